from __future__ import annotations

from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proxy.model.messages import BlockKind, Reply
from proxy.model.usage import Usage
from proxy.wire.call_names import UNNAMED
from tests.support.chat import (
    DONE,
    a_call,
    a_chunk,
    a_completion,
    a_fragment,
    a_request,
    a_usage,
    as_bytes,
    asks,
    read_chunks,
    read_document,
    read_request,
    read_stream,
    result,
    stream_of,
    user,
)
from tests.support.wire import ENCODERS, encoded, pieces_of

FULL = a_completion(
    {
        "content": "Grüße, 世界 🚀: I look.\u2028Then I write.",
        "refusal": "but not that",
        "tool_calls": [
            a_call(path="/a/b.py", limit=3),
            {"id": "call_2", "type": "custom", "custom": {"name": "patch", "input": "*** Begin\n+x"}},
        ],
    },
    usage=a_usage(1000, 60, cached=400, reasoning=20),
    finish="tool_calls",
    service_tier="default",
    system_fingerprint="fp_1",
)
FULL_STREAM = as_bytes(stream_of(FULL))
CUT = a_chunk({"content": "I lo"})


def test_streamed_and_not_streamed_are_the_same_reply() -> None:
    streamed, whole = read_stream(FULL_STREAM), read_document(FULL)
    assert streamed == whole
    assert (whole.id, whole.model, whole.stop_reason) == ("chatcmpl_1", "gpt-5.5", "tool_calls")
    assert (whole.terminal, whole.error, whole.faults) == (True, "", ())
    assert [block.kind.value for block in whole.blocks] == ["text", "text", "call", "call"]
    assert whole.blocks[2].arguments == {"path": "/a/b.py", "limit": 3}
    assert whole.blocks[3].raw_arguments == "*** Begin\n+x"
    assert [each.usage for each in whole.iterations] == [Usage(uncached=600, cache_read=400, output=60, reasoning=20)]
    assert whole.usage_raw == FULL["usage"]


def test_a_reply_is_what_the_client_sends_back() -> None:
    reply = read_stream(FULL_STREAM)
    request = read_request(a_request(user("go"), FULL["choices"][0]["message"]))
    assert request.messages[1].blocks == reply.blocks


@pytest.mark.parametrize("name", list(ENCODERS))
def test_a_compressed_stream_is_the_same_reply(name: str) -> None:
    body, headers = encoded(FULL_STREAM, name)
    assert read_stream(body, headers=headers) == read_document(FULL)


@given(st.lists(st.integers(0, len(FULL_STREAM)), max_size=12))
@settings(max_examples=50, deadline=None)
def test_any_split_gives_the_same_reply(cuts: list[int]) -> None:
    assert read_stream(pieces_of(FULL_STREAM, cuts)) == read_document(FULL)


@given(
    st.lists(st.tuples(st.integers(0, len(FULL_STREAM)), st.binary(max_size=4), st.integers(0, 30)), max_size=4),
    st.integers(0, len(FULL_STREAM)),
    st.lists(st.integers(0, len(FULL_STREAM)), max_size=5),
)
@settings(max_examples=80, deadline=None)
def test_any_split_of_a_damaged_stream_gives_the_same_reply_and_no_crash(
    damages: list[tuple[int, bytes, int]], end: int, cuts: list[int]
) -> None:
    body = FULL_STREAM[:end]
    for at, put, removed in damages:
        body = body[:at] + put + body[at + removed :]
    assert read_stream(pieces_of(body, cuts)) == read_stream(body)


def test_no_finish_reason_is_no_turn() -> None:
    reply = read_chunks(CUT, end=b"")
    assert (reply.terminal, reply.stop_reason, reply.error) == (False, "", "")
    assert reply.blocks[0].text == "I lo"


def test_done_after_a_broken_stream_is_no_end() -> None:
    assert not read_chunks(CUT, end=DONE).terminal


def test_usage_of_a_broken_stream_is_kept() -> None:
    reply = read_chunks(a_chunk({"content": "I"}, usage=a_usage(100, 1)), end=b"")
    assert not reply.terminal
    assert reply.iterations[0].usage == Usage(uncached=100, output=1)


def test_a_stream_without_usage_has_no_iteration() -> None:
    reply = read_chunks(CUT, a_chunk(finish="stop"))
    assert (reply.terminal, reply.iterations, reply.usage_raw, reply.usage_disagrees) == (True, (), None, "")


def test_further_choices_are_left_out_and_said() -> None:
    other = {"index": 1, "delta": {"content": "Or so."}, "finish_reason": "length"}
    reply = read_chunks(CUT, CUT | {"choices": [other]}, a_chunk(finish="stop"), a_chunk(usage=a_usage(10, 40)))
    assert ([block.text for block in reply.blocks], reply.stop_reason) == (["I lo"], "stop")
    assert reply.faults == ("further choices are left out",)
    assert reply.iterations[0].usage.output == 40


def test_further_choices_of_a_document_are_left_out_and_said() -> None:
    first = FULL["choices"][0]
    other = first | {"index": 1, "message": {"content": "Or so."}}
    for choices in ([first, other], [other, first]):
        reply = read_document(FULL | {"choices": choices})
        assert reply.blocks == read_document(FULL).blocks
        assert reply.faults == ("further choices are left out",)


def test_an_end_of_another_choice_is_no_end() -> None:
    other = {"index": 1, "delta": {}, "finish_reason": "stop"}
    assert not read_chunks(CUT, CUT | {"choices": [other]}).terminal


def test_cut_arguments_are_kept_as_text() -> None:
    reply = read_chunks(a_chunk(a_fragment('{"path":', id="c", name="read")), a_chunk(finish="length"))
    assert (reply.blocks[0].arguments, reply.blocks[0].raw_arguments) == (None, '{"path":')
    assert reply.faults == ("call 1: arguments are no JSON object",)


def test_an_old_function_call_comes_in_pieces() -> None:
    reply = read_chunks(
        a_chunk({"function_call": {"name": "read", "arguments": ""}}),
        a_chunk({"function_call": {"arguments": '{"path":'}}),
        a_chunk({"function_call": {"arguments": '"a"}'}}),
        a_chunk(finish="function_call"),
    )
    [call] = reply.blocks
    assert (call.kind, call.tool, call.arguments) == (BlockKind.CALL, "read", {"path": "a"})
    assert call.call_id.startswith(UNNAMED)


def test_a_call_without_id_is_named_as_in_later_requests() -> None:
    call = a_call(path="a") | {"id": None}
    history = [user("go"), asks(call), result("x", "")]
    reply = read_document(a_completion({"tool_calls": [call]}), request=read_request(a_request(*history)))
    later = read_request(a_request(*history, asks(call), result("x", "")))
    assert [block.call_id for block in reply.blocks] == [block.call_id for block in later.messages[3].blocks]
    assert later.messages[4].blocks[0].call_id == later.messages[3].blocks[0].call_id
    assert later.messages[1].blocks[0].call_id != later.messages[3].blocks[0].call_id


@pytest.mark.parametrize(
    ("body", "error"),
    [
        ({"error": {"message": "m", "type": "invalid_request_error", "code": "context_length_exceeded"}},
         "context_length_exceeded"),
        ({"error": {"message": "m", "type": "server_error", "code": None}}, "server_error"),
        ({"error": {"message": "m", "code": 502, "metadata": {}}}, "error_502"),
        ({"error": {"message": "m", "type": "a b c"}}, "error"),
        ({"error": "model not found"}, "error"),
        ({"object": "error", "message": "m", "type": "BadRequestError", "code": 400}, "error_400"),
    ],
)  # fmt: skip
def test_errors_by_their_names(body: dict[str, Any], error: str) -> None:
    reply = read_document(body, status=400)
    assert (reply.error, reply.terminal, reply.faults) == (error, False, ())
    assert read_chunks(CUT, body, a_chunk(finish="stop")).error == error


@pytest.mark.parametrize(("status", "error"), [(422, "http_422"), (0, "no_response")])
def test_a_reply_that_names_no_error_has_that_of_its_status(status: int, error: str) -> None:
    reply = read_document({"detail": "x"}, status=status)
    assert (reply.error, reply.faults) == (error, ("body: not a completion",))


def test_nothing_counts_after_an_error() -> None:
    error = {"error": {"code": 502, "message": "m"}}
    reply = read_chunks(CUT, error, a_chunk({"content": "ok"}, finish="stop", usage=a_usage()))
    assert (reply.terminal, reply.iterations, reply.blocks[0].text) == (False, (), "I lo")


def test_a_document_without_choice_is_no_reply() -> None:
    bodies: tuple[Any, ...] = ([], 7, {}, {"choices": []}, {"choices": [{"message": None}]}, {"choices": 7})
    for body in bodies:
        reply = read_document(body)
        assert (reply.terminal, reply.faults[-1]) == (False, "body: not a completion")


def test_what_cannot_be_read_in_a_stream_is_said() -> None:
    chunks: list[Any] = [7, CUT | {"choices": [7]}, a_chunk(finish="stop", usage=7), CUT | {"choices": [{"delta": 7}]}]
    body = as_bytes(chunks)
    assert read_stream(body).faults == (
        "event 1: not an object",
        "event 2: a choice that is no object",
        "usage is not an object",
        "event 4: a delta that is no object",
    )
    assert read_chunks(a_chunk({"tool_calls": [7]})).faults == ("event 1: a call that is no object",)


MEMBERS = (
    "choices", "delta", "message", "index", "finish_reason", "usage", "tool_calls", "function", "name", "arguments",
    "id", "content", "error", "code", "prompt_tokens", "completion_tokens", "custom", "function_call", "timings",
    "prompt_tokens_details", "cached_tokens", "model", "service_tier",
)  # fmt: skip
VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-5, 5), st.text(max_size=3)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(
            st.sampled_from(MEMBERS),
            inner,
            max_size=6,
        ),
    ),
    max_leaves=14,
)


@given(st.lists(VALUES, max_size=4))
@settings(max_examples=150, deadline=None)
def test_nothing_raises_on_any_shape(payloads: list[Any]) -> None:
    stream = read_stream(b"".join(b"data: %s\n\n" % orjson.dumps(payload) for payload in payloads))
    assert isinstance(stream, Reply)
    for payload in payloads:
        assert isinstance(read_document(payload), Reply)
