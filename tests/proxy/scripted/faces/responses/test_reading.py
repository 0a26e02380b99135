from __future__ import annotations

from typing import Any

import pytest

from proxy.scripted.faces.responses.memory import Memory
from proxy.scripted.faces.responses.reading import body_of, items_in, text_in
from proxy.scripted.faces.seals import Seals


def read(document: dict[str, Any]) -> dict[str, Any]:
    memory = Memory(Seals(""))
    return body_of(document, items_in(document, memory), memory.seals)


def test_a_plain_text_is_a_user_message_and_instructions_are_the_system_prompt() -> None:
    body = read({"model": "m", "input": "hi", "instructions": "careful"})
    assert body["system"] == [{"type": "text", "text": "careful"}]
    assert body["messages"] == [{"role": "user", "content": [{"type": "text", "text": "hi"}]}]


def test_what_the_developer_says_first_is_the_system_prompt_and_later_a_system_message() -> None:
    developer = {"type": "message", "role": "developer", "content": [{"type": "input_text", "text": "d"}]}
    body = read({"input": [developer, {"role": "user", "content": "hi"}, developer]})
    assert body["system"] == [{"type": "text", "text": "d"}]
    assert [message["role"] for message in body["messages"]] == ["user", "system"]


def test_tools_are_brought_into_canonical_form_and_unknown_ones_kept() -> None:
    function = {"type": "function", "name": "f", "description": "d", "parameters": {"type": "object"}, "strict": True}
    body = read({"input": "", "tools": [function, {"type": "web_search"}, {"type": "custom", "name": "apply_patch"}]})
    assert body["tools"] == [
        {"name": "f", "description": "d", "input_schema": {"type": "object"}},
        {"type": "web_search"},
        {"type": "custom", "name": "apply_patch"},
    ]


def test_reasoning_of_another_provider_is_its_summary_or_nothing() -> None:
    foreign = {"type": "reasoning", "id": "rs", "encrypted_content": "?", "summary": []}
    told = {**foreign, "summary": [{"type": "summary_text", "text": "so"}]}
    body = read({"input": [foreign, told]})
    assert [block["thinking"] for message in body["messages"] for block in message["content"]] == ["so"]


def test_items_nobody_knows_are_kept_on_the_side_they_come_from() -> None:
    body = read({"input": [{"type": "shell_call", "id": "s"}, {"type": "shell_call_output", "id": "o"}]})
    assert [message["role"] for message in body["messages"]] == ["assistant", "user"]


@pytest.mark.parametrize(
    ("options", "lifetime"), [(None, "5m"), ({"ttl": "30m"}, "5m"), ({"ttl": "12h"}, "1h"), ("x", "5m")]
)
def test_prompts_are_always_cached_for_as_long_as_was_asked(options: object, lifetime: str) -> None:
    assert read({"input": "", "prompt_cache_options": options})["cache_control"]["ttl"] == lifetime


def test_text_is_found_in_strings_and_parts() -> None:
    assert text_in("a") == "a"
    assert (
        text_in([{"type": "output_text", "text": "a"}, {"type": "refusal", "refusal": "b"}, {"type": "image"}])
        == "a\nb"
    )
    assert text_in(None) == ""


def test_tools_may_come_as_an_item_and_in_namespaces() -> None:
    inner = {"type": "custom", "name": "exec"}
    offered = {"type": "additional_tools", "role": "developer",
               "tools": [{"type": "namespace", "name": "functions", "tools": [inner]}]}  # fmt: skip
    body = read({"input": [offered, {"role": "user", "content": "hi"}]})
    assert body["tools"] == [{"type": "custom", "name": "exec", "namespace": "functions"}]
    assert [message["role"] for message in body["messages"]] == ["user"]


def test_a_sub_agent_reads_its_task_from_another_agents_message() -> None:
    parts = [{"type": "input_text", "text": "NEW_TASK"}, {"type": "encrypted_content", "encrypted_content": "Look"}]
    body = read({"input": [{"type": "agent_message", "author": "/root", "content": parts}]})
    texts = [{"type": "text", "text": "NEW_TASK"}, {"type": "text", "text": "Look"}]
    assert body["messages"] == [{"role": "user", "content": texts}]
