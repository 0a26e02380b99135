from __future__ import annotations

import json
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proxy.model.messages import BlockKind, Request
from proxy.wire.call_names import UNNAMED
from proxy.wire.dialect import Unparsed
from proxy.wire.endpoint import dialect_for
from tests.support.chat import CHAT, a_call, a_request, asks, read_request, result, user

WORK = (
    {"role": "system", "content": "be brief"},
    {"role": "developer", "content": [{"type": "text", "text": "use tools"}]},
    user("read it"),
    asks(a_call(path="a"), content="I look."),
    result("hello"),
)


def test_a_conversation_of_all_roles() -> None:
    request = read_request(a_request(*WORK, {"role": "developer", "content": "mode: plan"}))
    assert [block.text for block in request.system] == ["be brief", "use tools"]
    assert [message.role for message in request.messages] == ["user", "assistant", "tool", "system"]
    asked, said = request.messages[1].blocks[1], request.messages[1].blocks[0]
    assert (said.kind, said.text) == (BlockKind.TEXT, "I look.")
    assert (asked.kind, asked.call_id, asked.tool, asked.arguments) == (BlockKind.CALL, "call_1", "read", {"path": "a"})
    answered = request.messages[2].blocks[0]
    assert (answered.kind, answered.call_id, answered.text) == (BlockKind.RESULT, "call_1", "hello")
    assert (request.dialect, request.model, request.stream, request.faults) == ("openai_chat", "gpt-5.5", False, ())


@pytest.mark.parametrize(
    ("content", "kinds", "text"),
    [
        ("hello", ["text"], "hello"),
        ("", [], ""),
        (None, [], ""),
        ([{"type": "text", "text": "hello"}], ["text"], "hello"),
        (["hello"], ["text"], "hello"),
        ({"type": "text", "text": "hello"}, ["text"], "hello"),
        ([{"type": "refusal", "refusal": "no"}], ["text"], "no"),
        ([{"type": "image_url", "image_url": {"url": "data:,"}}, {"type": "file", "file": {}}], ["media", "media"], ""),
        ([{"type": "input_audio", "input_audio": {}}], ["media"], ""),
        ([{"type": "thinking", "thinking": []}], ["thinking"], ""),
        ([{"type": "of_the_future", "x": 1}, 7], ["other", "other"], ""),
        (7, ["other"], ""),
    ],
)
def test_content_is_text_parts_or_nothing(content: object, kinds: list[str], text: str) -> None:
    blocks = read_request(a_request({"role": "user", "content": content})).messages[0].blocks
    assert [block.kind.value for block in blocks] == kinds
    assert "".join(block.text for block in blocks) == text


def test_unknown_parts_are_kept_whole() -> None:
    part = {"type": "of_the_future", "x": [1]}
    assert read_request(a_request({"role": "user", "content": [part]})).messages[0].blocks[0].raw == part


@pytest.mark.parametrize("field", ["reasoning", "reasoning_content"])
def test_thinking_that_is_sent_back_is_thinking(field: str) -> None:
    message = {"role": "assistant", "content": "hello", field: "hm"}
    thinking, said = read_request(a_request(message)).messages[0].blocks
    assert (thinking.kind, thinking.raw) == (BlockKind.THINKING, {field: "hm"})
    assert said.text == "hello"


def test_a_refusal_is_what_the_model_said() -> None:
    message = {"role": "assistant", "content": None, "refusal": "I will not."}
    [block] = read_request(a_request(message)).messages[0].blocks
    assert (block.kind, block.text) == (BlockKind.TEXT, "I will not.")


def test_spoken_answers_are_media() -> None:
    [block] = read_request(a_request({"role": "assistant", "audio": {"id": "audio_1"}})).messages[0].blocks
    assert block.kind is BlockKind.MEDIA


@pytest.mark.parametrize(
    ("arguments", "parsed", "raw"),
    [
        ('{"path":"a"}', {"path": "a"}, ""),
        ("", {}, ""),
        ({"path": "a"}, {"path": "a"}, ""),
        (None, {}, ""),
        ('{"path":', None, '{"path":'),
        ("[1]", None, "[1]"),
        ([1], None, "[1]"),
    ],
)
def test_arguments_are_text_or_deviating_an_object(arguments: object, parsed: object, raw: str) -> None:
    call = {"id": "call_1", "type": "function", "function": {"name": "read", "arguments": arguments}}
    [block] = read_request(a_request(asks(call))).messages[0].blocks
    assert (block.arguments, block.raw_arguments) == (parsed, raw)


def test_a_custom_tool_is_called_with_text() -> None:
    call = {"id": "call_1", "type": "custom", "custom": {"name": "patch", "input": "*** Begin"}}
    [block] = read_request(a_request(asks(call))).messages[0].blocks
    assert (block.tool, block.arguments, block.raw_arguments) == ("patch", None, "*** Begin")


def test_a_call_of_unknown_form_is_kept_as_other() -> None:
    request = read_request(a_request(asks({"id": "x", "type": "of_the_future"}, 7)))
    assert [block.kind for block in request.messages[0].blocks] == [BlockKind.OTHER] * 2


def test_old_function_calls_are_joined_by_name_and_order() -> None:
    def old(path: str) -> dict[str, Any]:
        arguments = json.dumps({"path": path})
        return {"role": "assistant", "content": None, "function_call": {"name": "read", "arguments": arguments}}

    answer = {"role": "function", "name": "read", "content": "hello"}
    request = read_request(a_request(user("go"), old("a"), answer, old("b"), answer, functions=[{"name": "read"}]))
    first, answered, second, again = [message.blocks[0] for message in request.messages[1:]]
    assert first.call_id.startswith(UNNAMED)
    assert (first.call_id, second.call_id) == (answered.call_id, again.call_id)
    assert first.call_id != second.call_id
    assert (answered.kind, answered.text, request.messages[2].role) == (BlockKind.RESULT, "hello", "tool")
    assert [tool.name for tool in request.tools] == ["read"]


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("hello", "hello"),
        ([{"type": "text", "text": "a"}, {"type": "image_url"}, {"type": "text", "text": "b"}], "a\nb"),
        (None, ""),
        ([], ""),
    ],
)
def test_a_result_reads_as_its_texts(content: object, text: str) -> None:
    assert read_request(a_request(result(content))).messages[0].blocks[0].text == text


@pytest.mark.parametrize(
    ("tool", "name", "kind"),
    [
        ({"type": "function", "function": {"name": "read"}}, "read", "client"),
        ({"type": "custom", "custom": {"name": "patch"}}, "patch", "client"),
        ({"name": "read"}, "read", "client"),
        ({"type": "web_search", "web_search": {"country": "de"}}, "web_search", "server"),
        ({"type": "web_search"}, "web_search", "server"),
        (7, "", "client"),
    ],
)
def test_tools_by_name_and_by_who_runs_them(tool: object, name: str, kind: str) -> None:
    [read] = read_request(a_request(tools=[tool])).tools
    assert (read.name, read.kind) == (name, kind)
    assert len(read.schema_sha256) == 64


def test_everything_else_is_kept_beside_what_is_read() -> None:
    body = a_request(stream=True, prompt_cache_key="k", stream_options={"include_usage": True}, of_the_future=1)
    request = read_request(body)
    assert (request.stream, request.cache_key) == (True, "k")
    assert request.metadata == {"stream_options": {"include_usage": True}, "of_the_future": 1}


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"", "empty"),
        (b"{", "invalid JSON"),
        (b"[]", "not an object"),
        (b"{}", "messages is not a list"),
        (b'{"messages":{}}', "messages is not a list"),
        (b'{"messages":[' + b"[" * 300 + b"]" * 300 + b"]}", "too deeply nested"),
        (b'{"messages":[],"x":' + b"[" * 300 + b"]" * 300 + b"}", "too deeply nested"),
        (b'{"messages":[],"tools":[' + b"[" * 300 + b"]" * 300 + b"]}", "too deeply nested"),
    ],
)
def test_what_cannot_be_read_says_why(body: bytes, reason: str) -> None:
    assert CHAT.read_request(body, ()) == Unparsed(reason)


def test_the_rest_is_read_when_a_part_is_not() -> None:
    request = read_request(a_request(7, {"content": "x"}, user("go"), tools={}, functions=7))
    assert request.faults == (
        "message 1: not an object",
        "message 2: no role",
        "tools is not a list",
        "functions is not a list",
    )
    assert request.messages[-1].blocks[0].text == "go"


def test_a_former_request_gives_what_is_the_same_again() -> None:
    tools = [{"type": "function", "function": {"name": "read"}}]
    former = read_request(a_request(*WORK, tools=tools))
    longer = a_request(*WORK, user("and then?"), tools=tools)
    again = read_request(longer, former)
    assert again == read_request(longer)
    assert all(new is old for new, old in zip(again.messages, former.messages, strict=False))
    assert again.tools[0] is former.tools[0]


def test_names_of_calls_do_not_come_from_a_former_request_after_a_change() -> None:
    call = {"type": "function", "function": {"name": "read", "arguments": "{}"}}
    former = read_request(a_request(user("go"), asks(call), result("x", "")))
    changed = a_request(user("summary"), asks(call), result("x", ""))
    assert read_request(changed, former) == read_request(changed)


def test_a_former_request_of_another_dialect_gives_nothing() -> None:
    messages = dialect_for("POST", "/v1/messages")
    body = orjson.dumps(a_request({"role": "assistant", "content": "x", "refusal": "no"}))
    former = messages.read_request(body, ())
    assert isinstance(former, Request)
    assert CHAT.read_request(body, (), former) == CHAT.read_request(body, ())


MEMBERS = (
    "role", "content", "tool_calls", "function", "function_call", "name", "arguments", "id", "type", "text", "custom",
    "input", "tool_call_id", "refusal", "reasoning", "audio",
)  # fmt: skip
JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-9, 9), st.text(max_size=3)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(
            st.sampled_from(MEMBERS),
            st.one_of(inner, st.sampled_from(["assistant", "tool", "function", "custom", "text", "user"])),
            max_size=5,
        ),
    ),
    max_leaves=12,
)


@given(st.lists(JSON, max_size=4), JSON)
@settings(max_examples=150, deadline=None)
def test_nothing_raises_on_any_shape(messages: list[Any], tools: Any) -> None:
    body = orjson.dumps({"messages": messages, "tools": tools, "functions": tools})
    request = CHAT.read_request(body, ())
    assert isinstance(request, Request)
    assert CHAT.read_request(body, (), request) == request


@given(st.binary(max_size=60))
@settings(max_examples=60, deadline=None)
def test_nothing_raises_on_any_bytes(body: bytes) -> None:
    assert isinstance(CHAT.read_request(body, ()), Request | Unparsed)
