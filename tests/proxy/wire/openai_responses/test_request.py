from __future__ import annotations

import json
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proxy.model.messages import BlockKind, Request
from proxy.sessions.normalise import units
from proxy.wire.dialect import Unparsed
from proxy.wire.endpoint import dialect_for
from tests.support.responses import COMPACT, RESPONSES, a_call, a_result, read_request, said
from tests.support.wire import ENCODERS, encoded

USER = {"role": "user", "content": "hello"}
TRIGGER = {"type": "compaction_trigger"}


def read(body: bytes, former: Request | None = None) -> Request | Unparsed:
    return RESPONSES.read_request(body, (), former)


def test_a_text_is_one_message_of_the_users() -> None:
    as_text, as_items = read_request(input="hello"), read_request(USER)
    assert as_text == as_items
    assert [(message.role, message.blocks[0].text) for message in as_text.messages] == [("user", "hello")]


def test_each_item_is_a_message_and_keeps_its_raw_form() -> None:
    items = [USER, said("I look."), a_call(path="/a"), a_result("text"), {"type": "reasoning", "summary": []}]
    request = read_request(*items)
    assert [message.role for message in request.messages] == ["user", "assistant", "assistant", "tool", "assistant"]
    assert [message.raw for message in request.messages] == items
    assert request.faults == ()


def test_instructions_are_the_system_text() -> None:
    (block,) = read_request(USER, instructions="be brief").system
    assert (block.kind, block.text) == (BlockKind.TEXT, "be brief")
    assert read_request(USER, instructions=None).system == ()


def test_what_has_no_place_of_its_own_is_metadata() -> None:
    ids = {"session_id": "s", "thread_id": "t", "x-codex-window-id": "s:0"}
    fields: dict[str, Any] = {"truncation": "auto", "store": False, "client_metadata": ids, "of_the_future": [1]}
    request = read_request(USER, stream=True, **fields)
    assert request.metadata == fields
    assert (request.stream, request.model) == (True, "gpt-6-astra")


def test_what_the_provider_holds_is_named() -> None:
    request = read_request(USER, previous_response_id="resp_7", prompt_cache_key="k")
    assert (request.previous_id, request.conversation_id, request.cache_key) == ("resp_7", "", "k")
    assert read_request(USER, conversation="conv_1").conversation_id == "conv_1"
    assert read_request(USER, conversation={"id": "conv_1"}).conversation_id == "conv_1"
    assert read_request(USER, conversation=[], previous_response_id=3).previous_id == ""


@pytest.mark.parametrize("fields", [{"generate": False}, {"prompt_cache_options": {"prewarm": True}}])
def test_a_request_for_no_output_is_a_prewarm(fields: dict[str, Any]) -> None:
    assert read_request(USER, **fields).prewarm
    assert not read_request(USER, generate=True, prompt_cache_options={"ttl": "30m"}).prewarm


def test_a_frame_of_a_websocket_is_read_as_a_body() -> None:
    body = {"type": "response.create", "model": "gpt-6-astra", "input": [USER], "previous_response_id": "resp_1"}
    socket = dialect_for("WEBSOCKET", "/v1/responses")
    request = socket.read_request(orjson.dumps(body), (("Upgrade", "websocket"),))
    assert isinstance(request, Request)
    assert (request.previous_id, request.messages) == ("resp_1", read_request(USER).messages)


def test_a_trigger_at_the_end_asks_for_nothing_but_a_compaction() -> None:
    request = read_request(USER, TRIGGER | {"id": "ct_1"})
    assert request.on_demand_compaction
    last = units(request.messages)[-1]
    assert (last.role, last.block.kind, last.block.raw) == ("user", BlockKind.OTHER, TRIGGER)
    assert not read_request(TRIGGER, USER).on_demand_compaction
    assert not read_request().on_demand_compaction


@pytest.mark.parametrize("path", ["/v1/responses/compact", "/backend-api/codex/responses/compact/?x=1"])
def test_the_compact_endpoint_asks_for_nothing_but_a_compaction(path: str) -> None:
    assert read_request(USER, endpoint=dialect_for("POST", path)).on_demand_compaction
    assert read_request(endpoint=COMPACT, input=None, previous_response_id="resp_1").previous_id == "resp_1"


def test_background_work_is_out_of_scope() -> None:
    assert read(b'{"model":"m","input":"x","background":true}') == Unparsed("background", out_of_scope=True)
    assert isinstance(read(b'{"model":"m","input":"x","background":false}'), Request)


def test_what_only_refers_to_the_provider_is_a_fault() -> None:
    request = read_request(USER, {"type": "item_reference", "id": "msg_1"}, {"id": "msg_2"}, prompt={"id": "pmpt_1"})
    assert request.faults == (
        "prompt: held by the provider",
        "item 2: held by the provider",
        "item 3: held by the provider",
    )


@pytest.mark.parametrize(
    ("item", "fault"),
    [
        (3, "item 1: not an object"),
        (None, "item 1: not an object"),
        ({"type": "message", "content": "x"}, "item 1: no role"),
        ({"role": 3, "content": "x"}, "item 1: no role"),
        ({"role": "user"}, "item 1: no content"),
    ],
)
def test_an_item_that_is_none_is_a_fault_and_the_rest_is_read(item: object, fault: str) -> None:
    request = read_request(item, USER)
    assert request.faults == (fault,)
    assert request.messages[1].blocks[0].text == "hello"


def nested(levels: int) -> bytes:
    return b'{"input":[{"type":"x","x":' + b"[" * levels + b"]" * levels + b"}]}"


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"", "empty"),
        (b"{", "invalid JSON"),
        (b'{"input":["\\ud800"]}', "invalid JSON"),
        (b'{"input":["\xff"]}', "invalid UTF-8"),
        (b"[]", "not an object"),
        (b'{"input":{}}', "input is neither text nor a list"),
        (b'{"input":7}', "input is neither text nor a list"),
        (nested(300), "too deeply nested"),
        (nested(5000), "too deeply nested"),
    ],
)
def test_what_is_no_request_says_why(body: bytes, reason: str) -> None:
    assert read(body) == Unparsed(reason)


def test_arguments_that_are_too_deep_stay_text() -> None:
    deep = '{"x":' + "[" * 300 + "]" * 300 + "}"
    block = read_request(a_call() | {"arguments": deep}).messages[0].blocks[0]
    assert (block.arguments, block.raw_arguments) == (None, deep)


@pytest.mark.parametrize("name", list(ENCODERS))
def test_a_compressed_body_is_read(name: str) -> None:
    body, headers = encoded(orjson.dumps({"input": "x"}), name)
    request = RESPONSES.read_request(body, headers)
    assert isinstance(request, Request)
    assert request.messages[0].blocks[0].text == "x"


ITEMS = st.sampled_from(
    [USER, said("a"), a_call(), a_result(), TRIGGER, {"type": "compaction", "encrypted_content": "x"}]
)
TOOLS = st.lists(
    st.sampled_from([{"type": "custom", "name": "a"}, {"type": "namespace", "name": "n", "tools": [{}, {}]}])
)


@given(st.lists(ITEMS, max_size=5), st.lists(ITEMS, max_size=5), TOOLS, TOOLS)
@settings(deadline=None)
def test_the_former_request_saves_work_and_changes_nothing(
    first: list[Any], second: list[Any], before: list[Any], after: list[Any]
) -> None:
    former = read_request(*first, tools=before)
    body = orjson.dumps({"model": "m", "input": [*first, *second], "tools": after})
    request = read(body, former)
    assert request == read(body)
    assert isinstance(request, Request)
    assert all(new is old for new, old in zip(request.messages, former.messages, strict=False))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
FIELDS = st.sampled_from(
    ["model", "input", "instructions", "tools", "stream", "conversation", "prompt", "generate", "background", "type"]
)


@given(st.dictionaries(FIELDS, JSON))
@settings(deadline=None)
def test_no_body_raises(document: dict[str, Any]) -> None:
    assert isinstance(read(json.dumps(document).encode()), Request | Unparsed)
