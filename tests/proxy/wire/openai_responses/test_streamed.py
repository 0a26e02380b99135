from __future__ import annotations

from typing import Any

import pytest

from proxy.wire.faults import Faults
from proxy.wire.openai_responses.streamed import STREAMED, StreamedItem


@pytest.mark.parametrize("stem", list(STREAMED))
def test_the_whole_text_replaces_its_pieces(stem: str) -> None:
    field, part = STREAMED[stem]
    item, faults = StreamedItem({"type": "x"}), Faults()
    item.take(f"{stem}.delta", {"delta": "a"})
    item.take(f"{stem}.delta", {"delta": "b", "content_index": "no place"})
    expected: dict[str, Any] = {field: "ab"}
    assert item.finish(0, faults) == {"type": "x"} | ({"content": [{"type": part} | expected]} if part else expected)
    item.take(f"{stem}.done", {field: "whole"})
    finished = item.finish(0, faults)
    assert (finished["content"][0] if part else finished)[field] == "whole"
    assert faults.texts() == ("item 0: cut",)


def test_an_item_that_came_whole_is_as_it_came() -> None:
    item, faults = StreamedItem({"type": "x"}), Faults()
    item.take("response.output_text.delta", {"delta": "a"})
    item.end({"type": "x", "content": []})
    assert item.finish(0, faults) == {"type": "x", "content": []}
    assert faults.texts() == ()
