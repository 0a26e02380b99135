from __future__ import annotations

from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proxy.model.messages import BlockKind, ContextEdit, Reply
from tests.support.wire import (
    ENCODERS,
    MODEL,
    a_call,
    a_message,
    a_usage,
    an_iteration,
    as_bytes,
    encoded,
    frame,
    pieces_of,
    read_document,
    read_reply,
    stream_of,
    text,
)

USAGE = a_usage(
    23000,
    1000,
    cache_creation_input_tokens=3000,
    cache_read_input_tokens=100000,
    cache_creation={"ephemeral_5m_input_tokens": 1000, "ephemeral_1h_input_tokens": 2000},
    output_tokens_details={"thinking_tokens": 200},
    server_tool_use={"web_search_requests": 2, "web_fetch_requests": 0},
    service_tier="standard",
    speed="fast",
    iterations=[
        an_iteration("compaction", 180000, 3500),
        an_iteration("message", 23000, 1000, cache_read_input_tokens=100000, cache_creation_input_tokens=3000),
    ],
)
FULL = a_message(
    {"type": "compaction", "content": "what was done before", "encrypted_content": None},
    {"type": "thinking", "thinking": "Grüße, 世界 🚀 — hm", "signature": "c2ln"},
    text("I read the file.\u2028Then the next."),
    {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "q"}},
    {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": [{"type": "web_search_result"}]},
    a_call("Read", "toolu_1", file_path="/a/b.py", limit=3),
    a_call("List", "toolu_2"),
    usage=USAGE,
    stop_reason="tool_use",
    context_management={
        "applied_edits": [
            {"type": "clear_tool_uses_20250919", "cleared_tool_uses": 4, "cleared_input_tokens": 9000},
            {"type": "clear_thinking_20251015", "cleared_thinking_turns": 2, "cleared_input_tokens": 100},
        ]
    },
    input_transformations=[{"type": "thinking_dropped", "path": "messages.0.content.0"}],
)
FULL_STREAM = as_bytes(stream_of(FULL))


def start(**fields: object) -> dict[str, Any]:
    return {"type": "message_start", "message": a_message(usage=a_usage(100, 1)) | {"stop_reason": None} | fields}


def block_start(index: int, **block: object) -> dict[str, Any]:
    return {"type": "content_block_start", "index": index, "content_block": block}


def delta(index: int, kind: str, **fields: object) -> dict[str, Any]:
    return {"type": "content_block_delta", "index": index, "delta": {"type": kind} | fields}


def stop(index: int) -> dict[str, Any]:
    return {"type": "content_block_stop", "index": index}


def end(reason: str | None = "end_turn", usage: object = None, **fields: object) -> dict[str, Any]:
    return {"type": "message_delta", "delta": {"stop_reason": reason}, "usage": usage or {"output_tokens": 5}} | fields


STOP = {"type": "message_stop"}


def read(*events: dict[str, Any]) -> Reply:
    return read_reply(as_bytes(events))


def test_streamed_and_not_streamed_are_the_same_reply() -> None:
    streamed, whole = read_reply(FULL_STREAM), read_document(FULL)
    assert streamed == whole
    assert whole.terminal
    assert whole.faults == ()
    assert whole.usage_raw == USAGE
    assert [each.kind.value for each in whole.iterations] == ["compaction", "message"]


def test_everything_the_message_says_is_there() -> None:
    reply = read_document(FULL)
    assert (reply.id, reply.model, reply.stop_reason, reply.error) == ("msg_1", MODEL, "tool_use", "")
    assert [block.raw for block in reply.blocks] == FULL["content"]
    assert [block.tool for block in reply.blocks if block.kind is BlockKind.CALL] == ["Read", "List"]
    assert [block.arguments for block in reply.blocks if block.tool] == [
        {"query": "q"},
        {"file_path": "/a/b.py", "limit": 3},
        {},
    ]
    assert reply.edits == (
        ContextEdit(kind="clear_tool_uses_20250919", cleared_tool_uses=4, cleared_input_tokens=9000),
        ContextEdit(kind="clear_thinking_20251015", cleared_input_tokens=100),
    )
    assert reply.transformations == ("thinking_dropped",)


@pytest.mark.parametrize("name", list(ENCODERS))
def test_a_compressed_stream_is_the_same_reply(name: str) -> None:
    body, headers = encoded(FULL_STREAM, name)
    assert read_reply(body, headers=headers) == read_reply(FULL_STREAM)


@given(st.lists(st.integers(0, len(FULL_STREAM)), max_size=12), st.sampled_from(["", "gzip", "br", "zstd"]))
@settings(max_examples=60, deadline=None)
def test_any_split_gives_the_same_reply(cuts: list[int], encoding: str) -> None:
    body, headers = encoded(FULL_STREAM, encoding) if encoding else (FULL_STREAM, ())
    assert read_reply(pieces_of(body, cuts), headers=headers) == read_reply(FULL_STREAM)


def test_a_stream_byte_by_byte_is_the_same_reply() -> None:
    assert read_reply(bytes([byte]) for byte in FULL_STREAM) == read_reply(FULL_STREAM)


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
    assert not reply.terminal
    assert reply.stop_reason in {"", "tool_use"}
    assert reply.usage_raw is None or reply.iterations


def test_usage_of_the_deltas_overwrites_and_is_never_added() -> None:
    reply = read(
        start(usage=a_usage(100, 1, cache_read_input_tokens=7, cache_creation_input_tokens=None, speed="standard")),
        end(None, {"output_tokens": 3}),
        end("end_turn", {"output_tokens": 9, "cache_read_input_tokens": None, "cache_creation_input_tokens": 4}),
        STOP,
    )
    usage = reply.iterations[0].usage
    assert (usage.uncached, usage.cache_read, usage.cache_write_5m, usage.output) == (100, 7, 4, 9)
    assert reply.usage_raw == {
        "input_tokens": 100,
        "output_tokens": 9,
        "cache_read_input_tokens": 7,
        "cache_creation_input_tokens": 4,
        "speed": "standard",
    }


def test_cache_counts_that_only_the_last_event_tells_are_counted() -> None:
    reply = read(start(), end(usage={"input_tokens": 30, "output_tokens": 9, "cache_read_input_tokens": 70}), STOP)
    assert (reply.iterations[0].usage.uncached, reply.iterations[0].usage.cache_read) == (30, 70)


def test_lifetimes_come_from_the_start_of_the_stream() -> None:
    split = {"ephemeral_5m_input_tokens": 1, "ephemeral_1h_input_tokens": 2}
    reply = read(
        start(usage=a_usage(1, 1, cache_creation_input_tokens=3, cache_creation=split)),
        end(usage={"output_tokens": 9, "cache_creation_input_tokens": 3}),
        STOP,
    )
    assert (reply.iterations[0].usage.cache_write_5m, reply.iterations[0].usage.cache_write_1h) == (1, 2)


def test_a_stream_that_breaks_keeps_the_usage_seen_so_far() -> None:
    error = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
    reply = read(start(), block_start(0, type="text", text=""), delta(0, "text_delta", text="Hel"), error)
    assert (reply.terminal, reply.error, reply.stop_reason) == (False, "overloaded_error", "")
    assert (reply.iterations[0].usage.uncached, reply.iterations[0].usage.output) == (100, 1)
    assert reply.blocks[0].text == "Hel"
    assert reply.faults == ("block 0: cut",)


def test_nothing_after_an_error_makes_it_a_turn() -> None:
    reply = read(start(), {"type": "error", "error": {}}, end(), STOP)
    assert (reply.terminal, reply.error, reply.stop_reason) == (False, "error", "")


def test_nothing_after_the_end_counts() -> None:
    reply = read(start(), end(), STOP, end("max_tokens", {"output_tokens": 999}))
    assert (reply.terminal, reply.stop_reason, reply.iterations[0].usage.output) == (True, "end_turn", 5)


def test_a_compaction_delta_replaces() -> None:
    first = delta(0, "compaction_delta", content="draft", encrypted_content="x")
    last = delta(0, "compaction_delta", content="the summary", encrypted_content=None)
    reply = read(start(), block_start(0, type="compaction", content=None), first, last, stop(0), end(), STOP)
    assert reply.blocks[0].text == "the summary"
    assert reply.blocks[0].raw == {"type": "compaction", "content": "the summary", "encrypted_content": None}


DEEP = '{"a":' + "[" * 300 + "]" * 300 + "}"


def test_an_encrypted_summary_is_opaque_and_a_null_one_has_failed() -> None:
    opaque, failed = (
        read(start(), block_start(0, type="compaction"), delta(0, "compaction_delta", **fields), stop(0), end(), STOP)
        for fields in ({"content": None, "encrypted_content": "x"}, {"content": None})
    )
    assert opaque.blocks[0].opaque
    assert (failed.blocks[0].opaque, failed.blocks[0].text) == (False, "")


@pytest.mark.parametrize(
    ("parts", "arguments", "raw", "faults"),
    [
        (['{"file_', 'path": "/a"}'], {"file_path": "/a"}, "", ()),
        ([], {}, "", ()),
        (["", " "], {}, "", ()),
        (['{"file_path": "/a', ""], None, '{"file_path": "/a', ("block 0: arguments are no JSON object",)),
        (["[1]"], None, "[1]", ("block 0: arguments are no JSON object",)),
        (['{"a": NaN}'], None, '{"a": NaN}', ("block 0: arguments are no JSON object",)),
        ([DEEP], None, DEEP, ("block 0: arguments are no JSON object",)),
    ],
)  # fmt: skip
def test_arguments_are_parsed_when_whole_and_kept_raw_when_not(
    parts: list[str], arguments: dict[str, Any] | None, raw: str, faults: tuple[str, ...]
) -> None:
    deltas = [delta(0, "input_json_delta", partial_json=part) for part in parts]
    reply = read(start(), block_start(0, type="tool_use", id="t", name="Read", input={}), *deltas, stop(0), end(), STOP)
    block = reply.blocks[0]
    assert (block.arguments, block.raw_arguments, reply.faults) == (arguments, raw, faults)
    assert block.raw["input"] == (arguments or {})
    assert (block.call_id, block.tool, reply.terminal) == ("t", "Read", True)


def test_citations_are_collected() -> None:
    reply = read(
        start(),
        block_start(0, type="text", text="", citations=None),
        delta(0, "citations_delta", citation={"n": 1}),
        delta(0, "text_delta", text="said"),
        delta(0, "citations_delta", citation={"n": 2}),
        stop(0),
        end(),
        STOP,
    )
    assert reply.blocks[0].raw == {"type": "text", "text": "said", "citations": [{"n": 1}, {"n": 2}]}


def test_a_fallback_block_names_the_model_that_answers() -> None:
    hop = block_start(0, type="fallback", **{"from": {"model": "claude-fable-5"}, "to": {"model": "claude-opus-4-8"}})
    reply = read(start(model="claude-fable-5"), hop, stop(0), end(), STOP)
    assert reply.model == "claude-opus-4-8"
    assert reply.iterations[0].model == "claude-opus-4-8"


def test_unknown_events_pings_and_comments_are_skipped() -> None:
    body = (
        b": keepalive\n\n"
        + frame({"type": "ping"})
        + as_bytes([start()])
        + frame({"type": "of_the_future", "x": 1})
        + b"event: ping\n\nid: 3\n\n"
        + as_bytes([block_start(0, type="text", text=""), delta(0, "of_the_future", x=1), stop(0), end(), STOP])
        + b"data: [DONE]\n\n"
    )
    reply = read_reply(body)
    assert (reply.terminal, reply.faults, len(reply.blocks)) == (True, (), 1)


def test_the_name_of_the_frame_serves_when_the_data_has_no_type() -> None:
    body = (
        b"event: message_start\ndata: "
        + orjson.dumps({"message": start()["message"]})
        + b"\n\n"
        + as_bytes([end(), STOP])
    )
    assert read_reply(body).terminal


@pytest.mark.parametrize("headers", [(), (("Content-Type", "application/json"),), (("Content-Type", "text/plain"),)])
def test_a_stream_is_known_without_its_content_type(headers: tuple[tuple[str, str], ...]) -> None:
    assert read_reply(FULL_STREAM, headers=headers) == read_document(FULL)
    assert read_reply(b"\r\n\r\n" + FULL_STREAM, headers=headers).terminal
    assert read_reply(b"\xef\xbb\xbf" + FULL_STREAM, headers=headers).terminal


def test_a_document_is_known_under_the_content_type_of_a_stream() -> None:
    assert read_reply(b"\n " + orjson.dumps(FULL)).terminal


@pytest.mark.parametrize(
    ("body", "faults"),
    [
        (b"", ("body: empty",)),
        (b" \r\n", ("body: empty",)),
        (b"<html>busy</html>", ("body: invalid JSON",)),
        (b'{"id": "msg_1", "content": [', ("body: invalid JSON",)),
        (b'{"ok": true}', ("body: not a message",)),
        (b"null", ("body: not a message",)),
        (b'{"content": "text"}', ("body: not a message",)),
        (b"[" * 5000, ("body: too deeply nested",)),
        (b": only a comment\n\n", ()),
        (b"data: {", ("stream ends inside an event",)),
    ],
)
def test_a_200_that_is_no_message_is_no_turn(body: bytes, faults: tuple[str, ...]) -> None:
    reply = read_reply(body)
    assert (reply.terminal, reply.faults, reply.iterations, reply.usage_raw) == (False, faults, (), None)


def test_what_is_wrong_in_a_stream_is_named_by_its_place_and_the_rest_is_read() -> None:
    body = b"".join([
        frame(start()),
        b"event: x\ndata: {not json\n\n",
        b'data: "text"\n\n',
        frame({"type": "content_block_start", "index": "0", "content_block": {}}),
        frame(delta(4, "text_delta", text="x")),
        frame(stop(4)),
        frame(start()),
        frame({"type": "message_start"}),
        frame({"type": "message_delta", "usage": 7}),
        frame(end()),
        frame(STOP),
    ])  # fmt: skip
    reply = read_reply(body)
    assert reply.terminal
    assert reply.faults == (
        "event 2: invalid JSON",
        "event 3: not an object",
        "event 4: no new block",
        "event 5: a delta without block",
        "event 6: the end of no block",
        "event 7: a second message_start",
        "event 8: no message",
        "event 9: no delta",
        "usage is not an object",
    )


def test_bad_bytes_in_a_text_are_replaced_and_said() -> None:
    body = as_bytes(
        [start(), block_start(0, type="text", text=""), delta(0, "text_delta", text="AB"), stop(0), end(), STOP]
    )
    reply = read_reply(body.replace(b"AB", b"A\xff"))
    assert (reply.terminal, reply.blocks[0].text, reply.faults) == (True, "A\ufffd", ("event 3: invalid UTF-8",))


@pytest.mark.parametrize(
    ("status", "document", "error"),
    [
        (529, {"type": "error", "error": {"type": "overloaded_error", "message": "x"}}, "overloaded_error"),
        (
            400,
            {"type": "error", "error": {"type": "invalid_request_error"}, "request_id": "r"},
            "invalid_request_error",
        ),
        (401, {"error": {"message": "sk-ant-secret"}}, "error"),
        (400, {"error": {"type": "a text that is no name, with sk-ant-secret"}}, "error"),
        (502, {"detail": "busy"}, "http_502"),
        (200, {"type": "error", "error": {"type": "api_error"}}, "api_error"),
    ],
)
def test_errors_carry_the_providers_type_and_nothing_else(status: int, document: object, error: str) -> None:
    reply = read_document(document, status=status)
    assert (reply.error, reply.terminal, reply.iterations) == (error, False, ())


def test_an_error_page_is_an_error_by_its_status() -> None:
    reply = read_reply(b"<html>", status=503)
    assert (reply.error, reply.terminal, reply.faults) == ("http_503", False, ("body: invalid JSON",))
    assert read_reply(b"", status=529).error == "http_529"
    assert read_reply(b"", status=0).error == "no_response"


def test_a_message_under_an_error_status_is_no_turn() -> None:
    assert not read_document(FULL, status=500).terminal


def test_a_refusal_before_any_output_is_not_priced() -> None:
    reply = read_document(a_message(usage=a_usage(412, 0), stop_reason="refusal"))
    assert reply.terminal
    assert reply.iterations[0].unpriceable == "refused before any output"


def test_a_compaction_on_demand_is_one_compaction_sampling() -> None:
    block = {"type": "compaction", "content": "s", "encrypted_content": None}
    usage = a_usage(0, 0, iterations=[an_iteration("compaction", 180000, 3500)])
    reply = read_document(a_message(block, usage=usage, stop_reason="compaction"))
    assert [(each.kind.value, each.usage.uncached) for each in reply.iterations] == [("compaction", 180000)]


def test_a_message_without_usage_has_no_iterations() -> None:
    document = a_message(text("x"))
    del document["usage"]
    reply = read_document(document)
    assert (reply.terminal, reply.iterations, reply.usage_raw, reply.usage_disagrees) == (True, (), None, "")


def test_strange_edits_and_transformations_are_no_crash() -> None:
    edits = [3, {"type": 4, "cleared_tool_uses": "x", "cleared_input_tokens": -1}]
    reply = read_document(a_message(context_management={"applied_edits": edits}, input_transformations=[1, {}]))
    assert reply.edits == (ContextEdit(kind=""),)
    assert reply.transformations == ("(no name)",)
    assert read_document(a_message(context_management=[])).edits == ()


def test_a_body_in_another_encoding_is_a_fault_and_no_turn() -> None:
    reply = read_reply(FULL_STREAM, headers=(("Content-Encoding", "gzip"),))
    assert (reply.terminal, reply.faults) == (False, ("undecodable: gzip",))


def test_a_compressed_stream_that_ends_early_keeps_its_usage() -> None:
    body, headers = encoded(FULL_STREAM, "gzip")
    reply = read_reply(body[:-30], headers=headers)
    assert not reply.terminal
    assert reply.faults[0] == "gzip ends early"
    assert reply.iterations[0].usage.uncached == 23000
