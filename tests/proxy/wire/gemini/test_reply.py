from __future__ import annotations

from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proxy.model.messages import BlockKind, Reply
from proxy.model.usage import Usage
from tests.support.gemini import (
    MODEL,
    a_call,
    a_response,
    a_result,
    a_usage,
    as_array,
    as_sse,
    model,
    read_body,
    read_document,
    read_request,
    stream_of,
    user,
)
from tests.support.wire import ENCODERS, encoded, pieces_of

FULL = a_response(
    {"text": "Hm, which file?", "thought": True},
    {"text": "Grüße, 世界 🚀: I look.\u2028Then I write."},
    a_call("read", "c1", path="/a/b.py", limit=3) | {"thoughtSignature": "c2ln"},
    {"executableCode": {"language": "PYTHON", "code": "print(1)"}},
    usage=a_usage(1000, 40, cached=400, thoughts=20),
)
SSE, ARRAY = as_sse(stream_of(FULL)), as_array(stream_of(FULL))


def without_usage(response: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in response.items() if key != "usageMetadata"}


def test_every_way_to_send_it_is_the_same_reply() -> None:
    whole = read_document(FULL)
    assert read_body(SSE) == read_body(ARRAY) == read_document([FULL]) == whole
    assert (whole.id, whole.model, whole.stop_reason) == ("resp_1", MODEL, "STOP")
    assert (whole.terminal, whole.error, whole.faults) == (True, "", ())
    assert [block.kind.value for block in whole.blocks] == ["thinking", "text", "call", "server_call"]
    assert (whole.blocks[2].call_id, whole.blocks[2].arguments) == ("c1", {"path": "/a/b.py", "limit": 3})
    assert [each.usage for each in whole.iterations] == [Usage(uncached=600, cache_read=400, output=60, reasoning=20)]
    assert whole.usage_raw == FULL["usageMetadata"]


def test_a_reply_is_what_the_client_sends_back() -> None:
    chunks = [chunk["candidates"][0]["content"] for chunk in stream_of(FULL)]
    for contents in (chunks, [FULL["candidates"][0]["content"]]):
        assert read_request({"contents": [user("go"), *contents]}).messages[1].blocks == read_body(SSE).blocks


@pytest.mark.parametrize("name", list(ENCODERS))
def test_a_compressed_stream_is_the_same_reply(name: str) -> None:
    body, headers = encoded(SSE, name)
    assert read_body(body, headers=headers) == read_document(FULL)


@given(st.lists(st.integers(0, len(ARRAY)), max_size=12), st.sampled_from([SSE, ARRAY]))
@settings(max_examples=50, deadline=None)
def test_any_split_gives_the_same_reply(cuts: list[int], body: bytes) -> None:
    assert read_body(pieces_of(body, cuts)) == read_document(FULL)


@given(
    st.sampled_from([SSE, ARRAY]),
    st.lists(st.tuples(st.integers(0, len(SSE)), st.binary(max_size=4), st.integers(0, 30)), max_size=4),
    st.integers(0, len(ARRAY)),
    st.lists(st.integers(0, len(ARRAY)), max_size=5),
)
@settings(max_examples=80, deadline=None)
def test_any_split_of_a_damaged_stream_gives_the_same_reply_and_no_crash(
    body: bytes, damages: list[tuple[int, bytes, int]], end: int, cuts: list[int]
) -> None:
    body = body[:end]
    for at, put, removed in damages:
        body = body[:at] + put + body[at + removed :]
    assert read_body(pieces_of(body, cuts)) == read_body(body)


@pytest.mark.parametrize("body", [SSE, ARRAY])
def test_a_stream_that_breaks_off_is_no_turn_and_keeps_what_came(body: bytes) -> None:
    reply = read_body(body[: len(body) * 3 // 4])
    assert (reply.terminal, reply.stop_reason, reply.error) == (False, "", "")
    assert [block.kind for block in reply.blocks][:2] == [BlockKind.THINKING, BlockKind.TEXT]
    assert reply.iterations[0].usage == Usage(uncached=1000)
    assert reply.faults


def test_no_usage_is_no_iteration() -> None:
    reply = read_document(without_usage(FULL))
    assert (reply.terminal, reply.iterations, reply.usage_raw) == (True, (), None)


def test_the_last_usage_counts() -> None:
    chunks = [a_response("x", finish=None, usage=a_usage(100, n)) for n in range(3)]
    last = without_usage(a_response("x"))
    assert read_body(as_sse([*chunks, last])).iterations[0].usage == Usage(uncached=100, output=2)


def test_a_call_ends_with_stop_and_counts_by_its_part() -> None:
    reply = read_document(a_response(a_call()))
    assert (reply.stop_reason, [block.kind for block in reply.blocks]) == ("STOP", [BlockKind.CALL])


def test_a_call_without_id_is_named_as_in_later_requests() -> None:
    history = [user("go"), model(a_call(path="a")), user(a_result("x"))]
    reply = read_document(a_response(a_call(path="a")), request=read_request({"contents": history}))
    later = read_request({"contents": [*history, model(a_call(path="a")), user(a_result("x"))]})
    names = [block.call_id for message in later.messages[1:] for block in message.blocks]
    assert names[0:2] == [names[0]] * 2
    assert names[2:4] == [reply.blocks[0].call_id] * 2
    assert names[0] != names[2]


def test_further_candidates_are_left_out_and_said() -> None:
    first = FULL["candidates"][0]
    reply = read_document(FULL | {"candidates": [first, first | {"index": 1}]})
    assert reply.blocks == read_document(FULL).blocks
    assert reply.faults == ("further candidates are left out",)


@pytest.mark.parametrize("reason", ["MAX_TOKENS", "MALFORMED_FUNCTION_CALL", "SAFETY", "OF_THE_FUTURE"])
def test_any_finish_reason_is_an_end(reason: str) -> None:
    reply = read_body(as_sse([a_response("x", finish=reason)]))
    assert (reply.terminal, reply.stop_reason) == (True, reason)


def test_a_blocked_prompt_is_an_answer_without_a_price() -> None:
    blocked = {"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}, "usageMetadata": {"promptTokenCount": 9}}
    for reply in (read_document(blocked), read_body(as_sse([blocked]))):
        assert (reply.terminal, reply.stop_reason, reply.error, reply.blocks) == (True, "PROHIBITED_CONTENT", "", ())
        assert reply.iterations[0].usage == Usage(uncached=9)
        assert reply.iterations[0].unpriceable == "blocked before any output"


@pytest.mark.parametrize(
    ("error", "word"),
    [
        ({"code": 429, "message": "m", "status": "RESOURCE_EXHAUSTED", "details": []}, "RESOURCE_EXHAUSTED"),
        ({"code": 500, "message": "m"}, "error_500"),
        ({"message": "m"}, "error"),
        ("m", "error"),
    ],
)
def test_errors_by_their_status(error: object, word: str) -> None:
    body = {"error": error}
    for reply in (read_document(body, status=429), read_document([body], status=429), read_body(as_sse([FULL, body]))):
        assert reply.error == word
    assert not read_document(body).terminal


def test_nothing_counts_after_an_error() -> None:
    reply = read_body(as_sse([a_response("x", finish=None), {"error": {"status": "INTERNAL"}}, FULL]))
    assert (reply.error, reply.terminal, [block.text for block in reply.blocks]) == ("INTERNAL", False, ["x"])


def test_a_reply_that_names_no_error_has_that_of_its_status() -> None:
    assert read_body(b"<html>", status=502).error == "http_502"


def test_gemini_clis_own_service_wraps_each_response() -> None:
    wrapped = [{"response": chunk, "traceId": "t"} for chunk in stream_of(FULL)]
    assert read_body(as_sse(wrapped)) == read_body(SSE)


def test_search_grounding_is_counted_and_has_no_price() -> None:
    response = a_response("x")
    response["candidates"][0]["groundingMetadata"] = {"webSearchQueries": ["a", "b"]}
    [iteration] = read_body(as_sse([a_response("w", finish=None), response])).iterations
    assert (iteration.server_tool_calls, iteration.unpriceable) == (2, "search grounding cannot be priced")


def test_arguments_that_came_in_pieces_are_said() -> None:
    piece = {"functionCall": {"name": "read", "partialArgs": [{"jsonPath": "$.path", "stringValue": "a"}]}}
    assert read_document(a_response(piece)).faults == ("arguments of a call are no JSON object",)


def test_what_cannot_be_read_is_said() -> None:
    chunks: list[Any] = [
        7,
        {"candidates": [7]},
        {"candidates": [{"content": 7}]},
        {"x": 1},
        FULL | {"usageMetadata": 7},
    ]
    assert read_body(as_sse(chunks)).faults == (
        "event 1: not an object",
        "event 2: a candidate that is no object",
        "event 3: a content that is no object",
        "event 4: not a response",
        "usage is not an object",
    )
    assert read_document({"x": 1}).terminal is False
    assert read_document(7).faults == ("body: not an object",)


MEMBERS = (
    "candidates", "content", "parts", "text", "functionCall", "name", "args", "finishReason", "index", "usageMetadata",
    "promptTokenCount", "error", "status", "promptFeedback", "blockReason", "groundingMetadata", "webSearchQueries",
    "response", "modelVersion", "trafficType", "promptTokensDetails",
)  # fmt: skip
VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-5, 5), st.text(max_size=3)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(MEMBERS), inner, max_size=6)),
    max_leaves=14,
)


@given(st.lists(VALUES, max_size=4))
@settings(max_examples=150, deadline=None)
def test_nothing_raises_on_any_shape(payloads: list[Any]) -> None:
    assert isinstance(read_body(b"".join(b"data: %s\n\n" % orjson.dumps(payload) for payload in payloads)), Reply)
    assert isinstance(read_document(payloads), Reply)
    for payload in payloads:
        assert isinstance(read_document(payload), Reply)
