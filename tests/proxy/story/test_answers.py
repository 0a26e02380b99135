from __future__ import annotations

import json

import pytest

from proxy.story.answers import answers


@pytest.mark.parametrize(
    "message",
    [
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c", "content": "said"}]},
        {"content": [{"type": "tool_result", "tool_use_id": "c", "content": [{"type": "text", "text": "said"}]}]},
        {"role": "tool", "tool_call_id": "c", "content": "said"},
        {"type": "function_call_output", "call_id": "c", "output": "said"},
    ],
)  # fmt: skip
def test_an_answer_is_found_in_every_dialect_that_names_its_call(message: dict[str, object]) -> None:
    assert answers([json.dumps(message).encode()]) == {"c": "said"}


def test_what_is_no_json_too_deep_or_no_answer_is_passed_over() -> None:
    deep = json.dumps({"a": 1})
    for _ in range(40):
        deep = json.dumps([json.loads(deep)])
    pieces = [b"event: ping\n\n", deep.encode(), b'{"call_id": "c", "name": "f"}', b'{"tool_use_id": 4, "content": ""}']
    assert answers(pieces) == {}


def test_an_answer_that_is_no_text_is_shown_as_it_is() -> None:
    assert answers([b'{"call_id": "c", "output": {"b": 1}}']) == {"c": '{"b":1}'}
