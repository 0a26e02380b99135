from __future__ import annotations

from proxy.model.exchange import Outcome
from proxy.wire.sse import SseDecoder
from proxy.wire.websocket.calls import Call, OpenCalls
from tests.support.websocket import OPENED_US, handshake


def ended(calls: OpenCalls, lane: str = "") -> Call:
    call = calls.running(lane)
    assert call is not None
    return calls.remove(call)


def begun(calls: OpenCalls, lane: str = "", request: bytes = b"ask") -> Call:
    call = calls.begin(lane, 1_000, request)
    assert call is not None
    return call


def test_a_call_becomes_an_exchange_like_a_streamed_post() -> None:
    calls = OpenCalls()
    calls.add(begun(calls), b'{"a": 1}', 1_400)
    exchange = ended(calls).end(handshake(), Outcome.COMPLETE, 3_000)
    assert (str(exchange.id), exchange.opened_us) == ("aaaaaaaa:7.1", OPENED_US + 1_000)
    assert (exchange.method, exchange.target, exchange.status) == ("WEBSOCKET", "/v1/responses", 200)
    assert exchange.request_headers == handshake().request_headers
    assert exchange.response_headers == (("content-type", "text/event-stream"),)
    assert (exchange.request_body, exchange.response_body) == (b"ask", b'data: {"a": 1}\n\n')
    assert (exchange.request_complete, exchange.response_complete) == (True, True)
    assert (exchange.first_byte_us, exchange.duration_us, exchange.outcome) == (400, 2_000, Outcome.COMPLETE)


def test_a_call_nobody_answered_has_no_status_and_no_times_of_an_answer() -> None:
    calls = OpenCalls()
    begun(calls)
    exchange = ended(calls).end(handshake(), Outcome.CUT, None)
    assert (exchange.status, exchange.response_headers, exchange.response_body) == (None, (), b"")
    assert (exchange.first_byte_us, exchange.duration_us, exchange.response_complete) == (None, None, False)


def test_line_ends_inside_a_message_stay_inside_its_event() -> None:
    calls = OpenCalls()
    calls.add(begun(calls), b'{\r\n"a":\r1\n}', 1)
    body = ended(calls).end(handshake(), Outcome.COMPLETE, 2).response_body
    (event,) = SseDecoder().feed(body)
    assert event.data == b'{\n"a":\n1\n}'


def test_a_lane_is_answered_in_the_order_asked_and_lanes_do_not_wait_for_each_other() -> None:
    calls = OpenCalls()
    first, second, other = begun(calls), begun(calls), begun(calls, "b")
    assert [calls.running(lane) for lane in ("", "b", "c")] == [first, other, None]
    assert ended(calls, "b") is other
    assert ended(calls) is first
    assert calls.running("") is second
    assert (first.part, second.part, other.part) == (1, 2, 3)


def test_an_event_without_a_lane_is_about_the_only_one_there_is() -> None:
    calls = OpenCalls()
    first = begun(calls, "a")
    assert calls.running("") is first
    assert calls.running("b") is None
    begun(calls, "b")
    assert calls.running("") is None


def test_the_call_that_a_response_answers_is_found_while_it_runs() -> None:
    calls = OpenCalls()
    first = begun(calls)
    assert calls.answering("") is None
    first.response_id = "r1"
    assert calls.answering("r1") is first
    ended(calls)
    assert calls.answering("r1") is None


def test_an_answer_to_what_was_not_seen_asked_goes_ahead_and_has_no_times() -> None:
    calls = OpenCalls()
    due = begun(calls)
    unasked = calls.begin_unasked("", 5_000)
    assert unasked is not None
    assert calls.running("") is unasked
    calls.add(unasked, b"{}", 5_000)
    exchange = ended(calls).end(handshake(), Outcome.COMPLETE, 9_000)
    assert (exchange.request_lost, exchange.request_complete) == (1, False)
    assert (exchange.first_byte_us, exchange.duration_us) == (None, None)
    assert calls.running("") is due


def test_what_has_no_room_is_counted_as_lost_and_room_comes_back() -> None:
    calls = OpenCalls(held_limit=30)
    small, large = begun(calls, request=b"s" * 10), begun(calls, request=b"l" * 21)
    assert (small.request_lost, large.request, large.request_lost) == (0, b"", 21)
    calls.add(small, b"12", 1)
    calls.add(small, b"does not fit in", 2)
    calls.add(small, b"3", 3)
    assert (b"".join(small.events), small.response_lost) == (b"data: 12\n\ndata: 3\n\n", 23)
    ended(calls)
    assert begun(calls, request=b"l" * 30).request_lost == 0


def test_no_more_calls_run_than_may() -> None:
    calls = OpenCalls(open_limit=2)
    assert [calls.begin("", 0, b"") is None for _ in range(3)] == [False, False, True]
    assert calls.begin_unasked("", 0) is None
    assert [call.part for call in calls.remove_all()] == [1, 2]
    assert begun(calls).part == 3


def test_all_calls_end_in_the_order_asked() -> None:
    calls = OpenCalls()
    for lane in ("b", "a", "b", "c"):
        begun(calls, lane)
    assert [call.part for call in calls.remove_all()] == [1, 2, 3, 4]
    assert calls.remove_all() == []
