"""One result as it is compared."""

from __future__ import annotations

from typing import Any

from proxy.ledger.content import Content
from proxy.ledger.results import read_result
from proxy.sessions.lines import line_digest
from proxy.wire.anthropic_messages.blocks import block_of
from tests.support.journey import words


def content(shown: Any) -> Content:
    block = block_of({"type": "tool_result", "tool_use_id": "c", "content": shown})
    return Content.of(read_result((), block.text, is_error=False), block, words)


def test_nothing_is_nothing_in_whatever_form_it_comes() -> None:
    forms: list[Any] = [
        "",
        None,
        [],
        [{"type": "text", "text": ""}],
        [{"type": "text", "text": "", "cache_control": {}}],
    ]
    assert len({content(form).sha256 for form in forms}) == 1


def test_images_are_told_apart() -> None:
    one, other = ([{"type": "image", "source": {"data": data}}] for data in ("AAAA", "BBBB"))
    assert len({content(shown).sha256 for shown in ("", one, other)}) == 3
    assert content(one).sha256 == content([*one, {"type": "text", "text": ""}]).sha256


def test_lines_that_are_among_the_wanted_ones_are_given_once_and_in_order() -> None:
    rows = ["the second line", "the first line", "the second line"]
    wanted = {line_digest(row) for row in rows} | {line_digest("another line")}
    assert list(content("\n".join(rows)).among(wanted).values()) == rows[:2]
