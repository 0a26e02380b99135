from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proxy.model.messages import BlockKind, Reply
from proxy.model.usage import IterationKind, Usage
from tests.support.responses import (
    COMPACT,
    MODEL,
    a_call,
    a_response,
    a_usage,
    as_bytes,
    read_document,
    read_events,
    read_reply,
    read_request,
    said,
    stream_of,
)
from tests.support.wire import ENCODERS, encoded, pieces_of

USAGE = a_usage(
    1000,
    50,
    cached=400,
    written=100,
    output_tokens_details={"reasoning_tokens": 20},
)
COMPACTION = {"type": "compaction", "id": "cmp_1", "encrypted_content": "sealed"}
FULL = a_response(
    COMPACTION,
    {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "sealed too"},
    said("Grüße, 世界 🚀 — I read the file.\u2028Then the next."),
    {"type": "web_search_call", "id": "ws_1", "status": "completed", "action": {"type": "search", "query": "q"}},
    a_call("read", "call_1", path="/a/b.py", limit=3),
    {"type": "custom_tool_call", "id": "ctc_1", "call_id": "call_2", "name": "apply_patch", "input": "*** Begin Patch"},
    {"type": "of_the_future", "id": "x_1", "x": 1},
    usage=USAGE,
    tool_usage={
        "image_gen": {"input_tokens": 0, "input_tokens_details": {"image_tokens": 0}},
        "web_search": {"num_requests": 2},
    },
    input_transformations=[{"type": "reasoning", "id": "rs_0", "action": "removed", "reason": "turn_boundary"}],
    prompt_cache_diagnostics={"type": "cache_miss", "reason": "context_compacted", "cache_missed_tokens": 9},
)
FULL_STREAM = as_bytes(stream_of(FULL))


def created(**fields: object) -> dict[str, Any]:
    response = {"id": "resp_1", "object": "response", "status": "in_progress", "model": MODEL, "output": []}
    return {"type": "response.created", "response": response | fields}


def end(status: str = "completed", **fields: object) -> dict[str, Any]:
    return {"type": f"response.{status}", "response": a_response(status=status) | fields}


def added(index: int, item: dict[str, Any]) -> dict[str, Any]:
    return {"type": "response.output_item.added", "output_index": index, "item": item}


def done(index: int, item: dict[str, Any]) -> dict[str, Any]:
    return {"type": "response.output_item.done", "output_index": index, "item": item}


def delta(index: int, stem: str, text: str, **fields: object) -> dict[str, Any]:
    return {"type": f"response.{stem}.delta", "output_index": index, "delta": text} | fields


def test_streamed_and_not_streamed_are_the_same_reply() -> None:
    streamed, whole = read_reply(FULL_STREAM), read_document(FULL)
    assert streamed == whole
    assert whole.terminal
    assert whole.faults == ()


def test_everything_the_response_says_is_there() -> None:
    reply = read_document(FULL)
    assert (reply.id, reply.model, reply.stop_reason, reply.error) == ("resp_1", MODEL, "completed", "")
    kind = BlockKind
    assert [block.kind for block in reply.blocks] == [
        kind.COMPACTION, kind.THINKING, kind.TEXT, kind.SERVER_CALL, kind.CALL, kind.CALL, kind.OTHER
    ]  # fmt: skip
    assert [
        (block.tool, block.arguments, block.raw_arguments) for block in reply.blocks if block.kind is kind.CALL
    ] == [
        ("read", {"path": "/a/b.py", "limit": 3}, ""),
        ("apply_patch", None, "*** Begin Patch"),
    ]
    (iteration,) = reply.iterations
    assert (iteration.kind, iteration.model, iteration.server_tool_calls) == (IterationKind.MESSAGE, MODEL, 2)
    assert iteration.usage == Usage(uncached=500, cache_read=400, cache_write_30m=100, output=50, reasoning=20)
    assert reply.transformations == ("reasoning_removed",)
    beside = {name: FULL[name] for name in ("service_tier", "tool_usage", "prompt_cache_diagnostics")}
    assert reply.usage_raw == USAGE | beside


@pytest.mark.parametrize("name", list(ENCODERS))
def test_a_compressed_stream_is_the_same_reply(name: str) -> None:
    body, headers = encoded(FULL_STREAM, name)
    assert read_reply(body, headers=headers) == read_reply(FULL_STREAM)


@given(st.lists(st.integers(0, len(FULL_STREAM)), max_size=12), st.sampled_from(["", "gzip", "br", "zstd"]))
@settings(max_examples=60, deadline=None)
def test_any_split_gives_the_same_reply(cuts: list[int], encoding: str) -> None:
    body, headers = encoded(FULL_STREAM, encoding) if encoding else (FULL_STREAM, ())
    assert read_reply(pieces_of(body, cuts), headers=headers) == read_reply(FULL_STREAM)


@given(
    st.lists(st.tuples(st.integers(0, len(FULL_STREAM)), st.binary(max_size=4), st.integers(0, 30)), max_size=4),
    st.integers(0, len(FULL_STREAM)),
    st.lists(st.integers(0, len(FULL_STREAM)), max_size=5),
)
@settings(max_examples=120, deadline=None)
def test_any_split_of_a_damaged_stream_gives_the_same_reply_and_no_crash(
    damages: list[tuple[int, bytes, int]], length: int, cuts: list[int]
) -> None:
    body = FULL_STREAM
    for place, put, removed in damages:
        body = body[:place] + put + body[place + removed :]
    body = body[: max(length, 40)]
    assert read_reply(pieces_of(body, cuts)) == read_reply(body)


@given(st.integers(1, len(FULL_STREAM) - 1))
@settings(max_examples=60, deadline=None)
def test_a_stream_cut_anywhere_is_no_turn_and_has_no_invented_end(length: int) -> None:
    reply = read_reply(FULL_STREAM[:length])
    assert (reply.terminal, reply.stop_reason, reply.iterations, reply.usage_raw) == (False, "", (), None)


def test_items_of_the_stream_count_when_the_end_repeats_none() -> None:
    reply = read_events(created(), done(0, said("a")), done(1, a_call()), end(output=[]))
    assert [block.kind for block in reply.blocks] == [BlockKind.TEXT, BlockKind.CALL]
    assert reply.faults == ()


def test_items_of_the_end_count_when_the_stream_brought_fewer() -> None:
    reply = read_events(created(), added(0, said("")), end(output=[said("a"), a_call()]))
    assert [block.text for block in reply.blocks] == ["a", ""]
    assert reply.faults == ()


def test_the_end_of_an_item_counts_and_not_its_beginning() -> None:
    first, last = ({"type": "reasoning", "id": "rs", "encrypted_content": text} for text in ("part", "whole"))
    (block,) = read_events(created(), added(0, first), done(0, last), end(output=[])).blocks
    assert block.raw["encrypted_content"] == "whole"


@pytest.mark.parametrize("ended", [False, True])
def test_deltas_make_the_arguments_of_an_item_whose_end_did_not_come(ended: bool) -> None:
    pieces = [delta(0, "function_call_arguments", text, obfuscation="zz") for text in ('{"path"', ':"/a"}')]
    whole = {"type": "response.function_call_arguments.done", "output_index": 0, "arguments": '{"path":"/b"}'}
    start = added(0, a_call() | {"arguments": "", "status": "in_progress"})
    reply = read_events(created(), start, *pieces, *([whole] if ended else []), end(output=[]))
    assert reply.blocks[0].arguments == {"path": "/b" if ended else "/a"}
    assert (reply.terminal, reply.faults) == (True, ("item 0: cut",))


def test_a_cut_call_keeps_the_argument_text_that_came() -> None:
    reply = read_events(created(), added(0, a_call()), delta(0, "function_call_arguments", '{"path": "/'))
    assert (reply.blocks[0].arguments, reply.blocks[0].raw_arguments) == (None, '{"path": "/')
    assert reply.faults == ("item 0: cut", "item 0: arguments are no JSON object")


def test_a_cut_message_keeps_its_parts_in_order() -> None:
    reply = read_events(
        created(),
        added(0, said("") | {"content": []}),
        delta(0, "refusal", "No", content_index=1),
        delta(0, "output_text", "Hel", content_index=0),
        delta(0, "output_text", "lo", content_index=0),
        added(1, {"type": "custom_tool_call", "call_id": "c", "name": "n", "input": ""}),
        delta(1, "custom_tool_call_input", "x y"),
    )
    assert [(block.text, block.raw_arguments) for block in reply.blocks] == [("Hello", ""), ("No", ""), ("", "x y")]


def test_an_item_is_found_by_its_id_when_events_name_no_place() -> None:
    reply = read_events(
        created(),
        {"type": "response.output_item.added", "item": said("") | {"id": "msg_9"}},
        {"type": "response.output_text.delta", "item_id": "msg_9", "delta": "Hi"},
        end(output=[]),
    )
    assert (reply.blocks[0].text, reply.faults) == ("Hi", ("an item without a place: cut",))


INCOMPLETE = {"status": "incomplete"}


@pytest.mark.parametrize(
    ("document", "reason", "terminal"),
    [
        ({}, "completed", True),
        (INCOMPLETE | {"incomplete_details": {"reason": "max_output_tokens"}}, "incomplete:max_output_tokens", True),
        (INCOMPLETE | {"incomplete_details": {"reason": "told in many words"}}, "incomplete", True),
        (INCOMPLETE, "incomplete", True),
        ({"status": "cancelled"}, "cancelled", False),
        ({"status": "queued", "usage": None}, "", False),
        ({"status": "in_progress"}, "", False),
        ({"status": "of the future"}, "", False),
        ({"status": None}, "", True),
        ({"output": [COMPACTION]}, "compaction", True),
        ({"output": [{"type": "reasoning"}, COMPACTION]}, "compaction", True),
        ({"output": [COMPACTION, said("a")]}, "completed", True),
        ({"output": []}, "completed", True),
    ],
)  # fmt: skip
def test_the_status_is_the_stop_reason(document: dict[str, Any], reason: str, terminal: bool) -> None:
    reply = read_document(a_response() | document)
    assert (reply.stop_reason, reply.terminal, reply.error) == (reason, terminal, "")


@pytest.mark.parametrize("streamed", [False, True])
def test_a_failed_response_ended_and_is_an_error(streamed: bool) -> None:
    response = a_response(status="failed", error={"code": "rate_limit_exceeded", "message": "slow down"}, usage=None)
    reply = read_reply(as_bytes(stream_of(response))) if streamed else read_document(response)
    assert (reply.terminal, reply.stop_reason, reply.error) == (True, "failed", "rate_limit_exceeded")


ERROR = {"type": "invalid_request_error", "code": "previous_response_not_found", "message": "told to a person"}


@pytest.mark.parametrize(
    ("event", "name"),
    [
        ({"type": "error", "code": "server_error", "message": "m", "param": None}, "server_error"),
        ({"type": "error", "code": None, "message": "m"}, "error"),
        ({"type": "error", "status": 400, "error": ERROR}, "previous_response_not_found"),
        ({"type": "error", "error": ERROR | {"code": None}}, "invalid_request_error"),
        ({"type": "error", "error": {"code": "words for a person"}}, "error"),
    ],
)
def test_an_error_event_ends_the_reply_flat_or_nested(event: dict[str, Any], name: str) -> None:
    reply = read_events(created(), event, done(0, said("late")), end())
    assert (reply.terminal, reply.error, reply.blocks, reply.iterations) == (False, name, (), ())


def test_an_error_without_a_type_is_one() -> None:
    assert read_reply(b'data: {"error": {"code": "overloaded"}}\n\n').error == "overloaded"


@pytest.mark.parametrize(
    ("document", "status", "error", "faults"),
    [
        ({"error": ERROR}, 400, "previous_response_not_found", ()),
        ({"detail": "unauthorized"}, 401, "http_401", ("body: not a response",)),
        ([], 200, "", ("body: not a response",)),
        ({"error": "words"}, 500, "http_500", ("body: not a response",)),
    ],
)
def test_an_error_body_is_no_turn(document: object, status: int, error: str, faults: tuple[str, ...]) -> None:
    reply = read_document(document, status=status)
    assert (reply.terminal, reply.error, reply.faults) == (False, error, faults)


def test_a_response_under_an_error_status_is_no_turn() -> None:
    assert not read_document(a_response(), status=500).terminal


USER_ITEM = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "task"}]}


def test_the_compact_endpoint_answers_one_compaction_and_bills_its_pass() -> None:
    document = {"id": "resp_c", "object": "response.compaction", "output": [USER_ITEM, COMPACTION], "usage": USAGE}
    request = read_request(USER_ITEM, endpoint=COMPACT)
    reader = COMPACT.open_reply(200, (), request)
    reader.feed(json.dumps(document).encode())
    reply = reader.close()
    assert (reply.terminal, reply.stop_reason, reply.id, reply.model) == (True, "compaction", "resp_c", MODEL)
    assert [(block.kind, block.opaque, block.keeps_texts) for block in reply.blocks] == [
        (BlockKind.COMPACTION, True, True)
    ]
    assert [(each.kind, each.model, each.usage.input) for each in reply.iterations] == [("compaction", MODEL, 1000)]


def test_a_reply_of_only_a_compaction_bills_a_compaction() -> None:
    reply = read_reply(as_bytes(stream_of(a_response(COMPACTION))))
    assert (reply.stop_reason, [each.kind for each in reply.iterations]) == ("compaction", [IterationKind.COMPACTION])


@pytest.mark.parametrize(
    ("event", "fault"),
    [
        ([], "event 2: not an object"),
        ({"type": "response.created"}, "event 2: no response"),
        ({"type": "response.output_item.added", "output_index": 0}, "event 2: no new item"),
        ({"type": "response.output_item.done", "output_index": 0}, "event 2: the end of no item"),
        (delta(4, "output_text", "x"), "event 2: a delta without item"),
    ],
)
def test_what_cannot_be_followed_is_a_fault_and_the_rest_counts(event: Any, fault: str) -> None:
    frame = b"data: " + json.dumps(event).encode() + b"\n\n"
    reply = read_reply(as_bytes([created()]) + frame + as_bytes([done(1, said("a")), end(output=[])]))
    assert (reply.faults, reply.terminal) == ((fault,), True)
    assert [block.text for block in reply.blocks] == ["a"]


def test_an_item_counts_once() -> None:
    reply = read_events(created(), done(0, said("a")), done(0, said("b")), added(0, said("c")), end(output=[]))
    assert [block.text for block in reply.blocks] == ["a"]
    assert reply.faults == ("event 3: the end of no item", "event 4: no new item")


def test_unknown_events_and_the_mark_of_other_servers_are_passed_over() -> None:
    strange = [{"type": "response.audio.delta", "delta": "x"}, {"type": "response.output_text.of_the_future"}]
    body = as_bytes([created(), *strange, done(0, said("a")), end(output=[])]) + b"data: [DONE]\n\n"
    reply = read_reply(body)
    assert (reply.blocks[0].text, reply.terminal) == ("a", True)


def test_nothing_counts_after_the_end() -> None:
    first = read_events(created(), done(0, said("a")), end())
    assert read_events(created(), done(0, said("a")), end(), done(1, said("b")), end("failed")) == first


def test_an_event_is_named_by_its_frame_when_its_data_does_not() -> None:
    body = b"event: response.completed\ndata: " + json.dumps({"response": a_response(said("a"))}).encode() + b"\n\n"
    assert (read_reply(body).terminal, read_reply(body).stop_reason) == (True, "completed")


def test_no_answer_is_no_response() -> None:
    assert read_reply(b"", status=0).error == "no_response"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["type", "id", "output", "usage", "error", "code", "item", "role"]), inner)
    ),
    max_leaves=8,
)
NAMES = st.sampled_from(sorted({event["type"] for event in stream_of(FULL)} | {"error", "response.failed"}))
EVENT_FIELDS = st.sampled_from(
    ["response", "item", "output_index", "item_id", "delta", "content_index", "arguments", "text", "error"]
)


@given(st.lists(st.tuples(NAMES, st.dictionaries(EVENT_FIELDS, JSON)), max_size=6), JSON)
@settings(deadline=None)
def test_no_event_and_no_document_raises(events: list[tuple[str, dict[str, Any]]], document: object) -> None:
    body = "".join(f"data: {json.dumps({'type': name} | fields)}\n\n" for name, fields in events)
    assert isinstance(read_reply(body.encode()), Reply)
    assert isinstance(read_reply(json.dumps(document).encode()), Reply)
    response = {"output": [document], "usage": document, "service_tier": document, "tool_usage": document}
    assert isinstance(read_reply(json.dumps(response).encode()), Reply)
