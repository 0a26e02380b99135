from __future__ import annotations

import hashlib
import json
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proxy.model.messages import BlockKind, Request
from proxy.wire.dialect import Unparsed
from tests.support.wire import ENCODERS, MESSAGES, encoded, read_request


def a_request(*messages: object, **fields: object) -> dict[str, Any]:
    return {"model": "claude-opus-5-5", "max_tokens": 1, "messages": list(messages)} | fields


def test_a_string_and_one_text_block_are_the_same() -> None:
    said = [{"type": "text", "text": "hello"}]
    as_string = read_request(a_request({"role": "user", "content": "hello"}, system="be brief"))
    as_blocks = read_request(
        a_request({"role": "user", "content": said}, system=[{"type": "text", "text": "be brief"}])
    )
    assert as_string == as_blocks
    assert as_string.messages[0].blocks[0].text == "hello"
    assert as_string.system[0].text == "be brief"


def test_every_block_kind_is_known() -> None:
    blocks: list[dict[str, Any]] = [
        {"type": "text", "text": "t"},
        {"type": "thinking", "thinking": "hm", "signature": "s"},
        {"type": "redacted_thinking", "data": "x"},
        {"type": "tool_use", "id": "toolu_1", "name": "Read", "input": {"file_path": "/a"}},
        {"type": "tool_result", "tool_use_id": "toolu_1", "content": "text"},
        {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "q"}},
        {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []},
        {"type": "mcp_tool_use", "id": "mcptoolu_1", "name": "m", "server_name": "s", "input": {}},
        {"type": "mcp_tool_result", "tool_use_id": "mcptoolu_1", "is_error": True, "content": []},
        {"type": "compaction", "content": "summary", "encrypted_content": None},
        {"type": "image", "source": {}},
        {"type": "document", "source": {}},
        {"type": "container_upload", "file_id": "f"},
        {"type": "tool_addition", "tool": {}},
        {"type": "fallback", "from": {}, "to": {}},
        {"type": "of the future", "x": 1},
        {"no": "type"},
    ]
    read = read_request(a_request({"role": "assistant", "content": blocks})).messages[0].blocks
    kind = BlockKind
    assert [block.kind for block in read] == [
        kind.TEXT, kind.THINKING, kind.THINKING, kind.CALL, kind.RESULT, kind.SERVER_CALL, kind.SERVER_RESULT,
        kind.SERVER_CALL, kind.SERVER_RESULT, kind.COMPACTION, kind.MEDIA, kind.MEDIA, kind.MEDIA, kind.OTHER,
        kind.OTHER, kind.OTHER, kind.OTHER,
    ]  # fmt: skip
    assert [block.raw for block in read] == blocks
    assert (read[3].call_id, read[3].tool, read[3].arguments) == ("toolu_1", "Read", {"file_path": "/a"})
    assert (read[4].call_id, read[4].text) == ("toolu_1", "text")
    assert read[8].is_error


def test_blocks_keep_the_parsed_value_and_do_not_copy_it() -> None:
    body = read_request(a_request({"role": "user", "content": [{"type": "text", "text": "x"}]}))
    block = body.messages[0].blocks[0]
    assert block.raw["text"] is block.text


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("plain", "plain"),
        ([{"type": "text", "text": "a"}, {"type": "image"}, {"type": "text", "text": "b"}], "a\nb"),
        (
            [{"type": "search_result", "content": [{"type": "text", "text": "hit"}]}, {"type": "text", "text": "b"}],
            "hit\nb",
        ),
        ([{"type": "tool_reference", "name": "x"}], ""),
        ([], ""),
        (None, ""),
        ([3, {"type": "text"}, {"type": "text", "text": 3}], "\n"),
    ],
)
def test_the_text_of_a_result_is_its_text_parts(content: object, text: str) -> None:
    result = {"type": "tool_result", "tool_use_id": "t", "content": content}
    assert read_request(a_request({"role": "user", "content": [result]})).messages[0].blocks[0].text == text


@pytest.mark.parametrize(
    ("block", "text", "opaque"),
    [
        ({"content": "what was"}, "what was", False),
        ({"content": "what was", "encrypted_content": "x"}, "what was", False),
        ({"content": None, "encrypted_content": "x"}, "", True),
        ({"content": None}, "", False),
        ({}, "", False),
    ],
)
def test_a_compaction_block_is_readable_opaque_or_failed(block: dict[str, Any], text: str, opaque: bool) -> None:
    read = read_request(a_request({"role": "user", "content": [{"type": "compaction"} | block]})).messages[0].blocks[0]
    assert (read.text, read.opaque) == (text, opaque)


def test_a_system_message_may_stand_inside_the_history_and_be_empty() -> None:
    request = read_request(
        a_request(
            {"role": "system", "content": [], "output_config": {"effort": "low"}}, {"role": "user", "content": "x"}
        )
    )
    assert [(message.role, len(message.blocks)) for message in request.messages] == [("system", 0), ("user", 1)]
    assert request.faults == ()


def test_a_tool_is_identified_by_its_definition_without_cache_control() -> None:
    schema = {"type": "object", "properties": {"b": {}, "a": {}}}
    plain = {"name": "Read", "description": "reads", "input_schema": schema}
    marked = {"cache_control": {"type": "ephemeral"}, "input_schema": schema, "description": "reads", "name": "Read"}
    canonical = b'{"description":"reads","input_schema":{"properties":{"a":{},"b":{}},"type":"object"},"name":"Read"}'
    first, second = read_request(a_request(tools=[plain, marked])).tools
    assert first == second
    assert first.schema_sha256 == hashlib.sha256(canonical).hexdigest()


@pytest.mark.parametrize(
    ("definition", "name", "kind"),
    [
        ({"name": "Read"}, "Read", "client"),
        ({"name": "x", "type": "custom"}, "x", "client"),
        ({"name": "bash", "type": "bash_20250124"}, "bash", "client"),
        ({"name": "memory", "type": "memory_20250818"}, "memory", "client"),
        ({"name": "web_search", "type": "web_search_20260318"}, "web_search", "server"),
        ({"name": "code_execution", "type": "code_execution_20260521"}, "code_execution", "server"),
        ({"name": "advisor", "type": "advisor_20260301", "model": "m"}, "advisor", "server"),
        ({"type": "mcp_toolset", "mcp_server_name": "files"}, "files", "server"),
    ],
)
def test_tools_of_the_provider_are_told_from_those_of_the_client(
    definition: dict[str, Any], name: str, kind: str
) -> None:
    tool = read_request(a_request(tools=[definition])).tools[0]
    assert (tool.name, tool.kind) == (name, kind)


def test_a_server_held_history_is_named() -> None:
    thread = {"type": "continue", "previous_message_id": "msg_7"}
    assert read_request(a_request(thread=thread)).previous_id == "msg_7"
    assert read_request(a_request(thread={"type": "create"})).previous_id == ""


def test_a_compaction_on_demand_is_seen() -> None:
    assert read_request(a_request(compaction={"type": "summarize"})).on_demand_compaction
    assert not read_request(a_request(compaction={"type": "of the future"})).on_demand_compaction


def test_other_fields_stay_as_metadata() -> None:
    request = read_request(a_request(metadata={"user_id": "u"}, stream=True, tools=[], of_the_future=[1]))
    assert request.metadata == {"max_tokens": 1, "metadata": {"user_id": "u"}, "of_the_future": [1]}
    assert request.stream


@pytest.mark.parametrize("name", list(ENCODERS))
def test_a_compressed_body_is_read(name: str) -> None:
    body, headers = encoded(orjson.dumps(a_request({"role": "user", "content": "x"})), name)
    request = MESSAGES.read_request(body, headers)
    assert isinstance(request, Request)
    assert request.messages[0].blocks[0].text == "x"


def nested(levels: int) -> bytes:
    return b'{"messages":[{"role":"user","content":[{"x":' + b"[" * levels + b"]" * levels + b"}]}]}"


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"", "empty"),
        (b" \n", "empty"),
        (b"{", "invalid JSON"),
        (b"not json", "invalid JSON"),
        (b'{"messages":[{"role":"user","content":NaN}]}', "invalid JSON"),
        (b'{"messages":[1e999]}', "invalid JSON"),
        (b'{"messages":["\\ud800"]}', "invalid JSON"),
        (b'{"messages":["\xff"]}', "invalid UTF-8"),
        (b"[]", "not an object"),
        (b"null", "not an object"),
        (b"{}", "messages is not a list"),
        (b'{"messages":{"0":1}}', "messages is not a list"),
        (nested(300), "too deeply nested"),
        (nested(5000), "too deeply nested"),
        (b"[" * 1_000_000, "too deeply nested"),
    ],
)
def test_what_is_no_request_says_why(body: bytes, reason: str) -> None:
    assert MESSAGES.read_request(body, ()) == Unparsed(reason)


def test_a_wrong_content_encoding_says_so() -> None:
    assert MESSAGES.read_request(b"{}", (("Content-Encoding", "gzip"),)) == Unparsed("undecodable: gzip")


def test_whatever_passes_can_be_written_again_inside_other_values() -> None:
    levels = max(n for n in range(200, 256) if isinstance(MESSAGES.read_request(nested(n), ()), Request))
    request = MESSAGES.read_request(nested(levels), ())
    assert isinstance(request, Request)
    orjson.dumps([[[[request.messages[0].blocks[0].raw]]]])


def test_the_last_of_repeated_keys_counts() -> None:
    request = MESSAGES.read_request(b'{"model":"a","messages":[],"model":"b"}', ())
    assert isinstance(request, Request)
    assert request.model == "b"


def test_wrong_types_are_faults_and_the_rest_is_read() -> None:
    body = {
        "model": 7,
        "stream": "yes",
        "system": 4,
        "messages": [
            3,
            {"role": 1, "content": 2},
            {"content": "x"},
            {"role": "user"},
            {"role": "user", "content": "ok"},
        ],
        "tools": [5, {"name": {}}],
        "thread": [],
        "compaction": "summarize",
    }
    request = read_request(body)
    assert request.faults == (
        "message 1: not an object",
        "message 2: no role",
        "message 2: no content",
        "message 3: no role",
        "message 4: no content",
        "tool 1: not an object",
    )
    assert (request.model, request.stream, request.system[0].raw) == ("", False, 4)
    assert request.messages[0].blocks[0].raw == 3
    assert request.messages[4].blocks[0].text == "ok"
    assert read_request(a_request(tools={"name": "x"})).faults == ("tools is not a list",)


def test_call_arguments_that_are_no_object_stay_as_text() -> None:
    calls = [{"type": "tool_use", "id": "t", "name": "n", "input": value} for value in ('{"cut', [1], None, 1.5)]
    blocks = read_request(a_request({"role": "assistant", "content": calls})).messages[0].blocks
    assert [(block.arguments, block.raw_arguments) for block in blocks] == [
        (None, '{"cut'),
        (None, "[1]"),
        (None, "null"),
        (None, "1.5"),
    ]


def test_faults_are_bounded() -> None:
    faults = read_request({"messages": list(range(1000))}).faults
    assert len(faults) == 17
    assert faults[-1] == "and 984 more"


json_values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=10,
)
field_names = st.sampled_from(
    [
        "model",
        "stream",
        "system",
        "messages",
        "tools",
        "thread",
        "compaction",
        "role",
        "content",
        "type",
        "text",
        "input",
        "id",
        "name",
        "tool_use_id",
        "is_error",
        "encrypted_content",
        "tool_result",
        "tool_use",
    ]
)
request_like = st.recursive(
    json_values | field_names,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(field_names, inner, max_size=6),
    max_leaves=25,
)


@given(request_like)
@settings(max_examples=100, deadline=None)
def test_no_document_is_a_crash(document: Any) -> None:
    for body in (document, {"messages": document}, {"messages": [document], "tools": [document]}):
        assert isinstance(MESSAGES.read_request(json.dumps(body).encode(), ()), Request | Unparsed)


@given(st.binary(max_size=60))
@settings(max_examples=100, deadline=None)
def test_no_bytes_are_a_crash(body: bytes) -> None:
    for whole in (body, b'{"messages":[' + body + b"]}"):
        assert isinstance(MESSAGES.read_request(whole, ()), Request | Unparsed)


some_messages = st.lists(
    st.builds(
        lambda role, said: {"role": role, "content": said},
        st.sampled_from(["user", "assistant", None]),
        st.sampled_from(["a", "b", [{"type": "text", "text": "a"}], [], None]),
    )
    | st.none(),
    max_size=5,
)
some_tools = st.lists(
    st.sampled_from([{"name": "a"}, {"name": "b"}, {"name": "a", "cache_control": {}}, 3]), max_size=3
)


@given(some_messages, some_tools, some_messages, some_tools)
@settings(max_examples=150, deadline=None)
def test_an_earlier_request_spares_reading_and_changes_nothing(
    before: list[Any], tools_before: list[Any], messages: list[Any], tools: list[Any]
) -> None:
    former = read_request(a_request(*before, tools=tools_before))
    body = orjson.dumps(a_request(*messages, tools=tools))
    again, alone = MESSAGES.read_request(body, (), former), MESSAGES.read_request(body, ())
    assert again == alone
    assert repr(again) == repr(alone)


def test_what_an_earlier_request_said_is_not_read_again() -> None:
    said = {"role": "user", "content": "hello"}
    former = read_request(a_request(said, tools=[{"name": "Read"}]))
    request = MESSAGES.read_request(orjson.dumps(a_request(said, said, tools=[{"name": "Read"}])), (), former)
    assert isinstance(request, Request)
    assert request.messages[0] is former.messages[0]
    assert request.messages[1] is not former.messages[0]
    assert request.tools[0] is former.tools[0]


@pytest.mark.parametrize("part", ["messages", "tools", "system", "metadata"])
def test_a_part_that_is_too_deep_is_refused_wherever_it_stands(part: str) -> None:
    deep: Any = "bottom"
    for _ in range(300):
        deep = [deep]
    whole: dict[str, Any] = {"model": "m", "messages": [{"role": "user", "content": "hello"}], "tools": []}
    body = {
        "messages": {**whole, "messages": [{"role": "user", "content": deep}]},
        "tools": {**whole, "tools": [{"name": "t", "input_schema": deep}]},
        "system": {**whole, "system": deep},
        "metadata": {**whole, "metadata": deep},
    }[part]
    text = json.dumps(body).encode()
    former = MESSAGES.read_request(json.dumps(whole).encode(), ())
    assert isinstance(former, Request)
    assert MESSAGES.read_request(text, ()) == Unparsed("too deeply nested")
    assert MESSAGES.read_request(text, (), former) == Unparsed("too deeply nested")
