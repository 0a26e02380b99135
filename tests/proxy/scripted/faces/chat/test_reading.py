from __future__ import annotations

from typing import Any

from proxy.scripted.faces.chat.reading import body_of

CALL = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": '{"a": 1}'}}


def blocks(*messages: dict[str, Any]) -> list[dict[str, Any]]:
    return [block for message in body_of({"messages": list(messages)})["messages"] for block in message["content"]]


def test_the_system_prompt_comes_from_its_messages() -> None:
    body = body_of({"messages": [{"role": "developer", "content": "d"}, {"role": "user", "content": "u"}]})
    assert body["system"] == [{"type": "text", "text": "d"}]
    assert [message["role"] for message in body["messages"]] == ["user"]


def test_calls_and_results_are_joined_by_their_ids() -> None:
    found = blocks({"role": "assistant", "content": None, "tool_calls": [CALL]},
                   {"role": "tool", "tool_call_id": "c1", "content": [{"type": "text", "text": "x"}]})  # fmt: skip
    assert found == [
        {"type": "tool_use", "id": "c1", "name": "f", "input": {"a": 1}},
        {"type": "tool_result", "tool_use_id": "c1", "content": "x"},
    ]


def test_a_result_without_an_id_answers_the_first_open_call() -> None:
    bare = {"function": {"name": "f", "arguments": {"a": 1}}}
    found = blocks({"role": "assistant", "tool_calls": [bare, bare]}, {"role": "tool", "content": "x"},
                   {"role": "tool", "content": "y"}, {"role": "tool", "content": "z"})  # fmt: skip
    assert [block["tool_use_id"] for block in found[2:]] == ["call_0", "call_1", ""]


def test_free_text_tools_and_foreign_parts_are_kept() -> None:
    custom = {"id": "c", "type": "custom", "custom": {"name": "patch", "input": "free"}}
    image = {"type": "image_url", "image_url": {"url": "u"}}
    assert blocks({"role": "assistant", "tool_calls": [custom]})[0]["input"] == {"input": "free"}
    assert blocks({"role": "user", "content": [image]}) == [image]


def test_tools_are_brought_into_canonical_form() -> None:
    function = {"type": "function", "function": {"name": "f", "parameters": {}}}
    custom = {"type": "custom", "custom": {"name": "g"}}
    assert body_of({"messages": [], "tools": [function, custom, {"type": "odd"}]})["tools"] == [
        {"name": "f", "input_schema": {}},
        {"type": "custom", "name": "g"},
        {"type": "odd"},
    ]
