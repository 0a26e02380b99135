from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proxy.model.exchange import Exchange, Outcome
from proxy.wire.websocket import ResponsesSocket, SocketExchange, open_socket
from proxy.wire.websocket.calls import OpenCalls
from proxy.wire.websocket.splitter import FAULT_KINDS
from tests.support.websocket import (
    BINARY,
    CLOSE,
    DEFLATE,
    MASK,
    OPENED_US,
    answer,
    create,
    frame,
    from_client,
    from_server,
    handshake,
    peer_frames,
    said,
)
from tests.support.wire import pieces_of

END_US = 60_000_000


class Talk:
    """One socket, a millisecond between any two pieces."""

    def __init__(self, extensions: str = "", calls: OpenCalls | None = None) -> None:
        socket = (
            open_socket(handshake(extensions)) if calls is None else ResponsesSocket(handshake(), None, calls=calls)
        )
        assert socket is not None
        self.socket = socket
        self.given: list[Exchange] = []
        self._at_us = 0

    def client(self, *texts: bytes) -> list[Exchange]:
        return self.raw(from_client(*texts), from_client=True)

    def server(self, *texts: bytes) -> list[Exchange]:
        return self.raw(from_server(*texts), from_client=False)

    def raw(self, data: bytes, *, from_client: bool) -> list[Exchange]:
        self._at_us += 1_000
        return self._keep(self.socket.feed(data, from_client=from_client, at_us=self._at_us))

    def stop(self, *, from_client: bool) -> list[Exchange]:
        return self._keep(self.socket.stop(from_client=from_client))

    def end(self, outcome: Outcome = Outcome.COMPLETE, **changes: object) -> tuple[list[Exchange], SocketExchange]:
        duration = None if outcome is Outcome.CUT else END_US
        own = replace(handshake(), outcome=outcome, duration_us=duration, **changes)  # type: ignore[arg-type]  # its fields
        *calls, whole = self._keep(self.socket.close(own))
        assert isinstance(whole, SocketExchange)
        return calls, whole

    def _keep(self, given: Iterable[Exchange]) -> list[Exchange]:
        new = list(given)
        self.given += new
        return new


def sse(*texts: bytes) -> bytes:
    return b"".join(b"data: " + text + b"\n\n" for text in texts)


def test_a_call_comes_out_at_its_terminal_event_while_the_socket_is_open() -> None:
    talk, asked, events = Talk(), create(), answer("r1")
    assert talk.client(asked) == []
    assert talk.server(*events[:2]) == []
    (call,) = talk.server(events[2])
    assert (call.id.part, call.request_body, call.response_body) == (1, asked, sse(*events))
    assert (call.opened_us, call.first_byte_us, call.duration_us) == (OPENED_US + 1_000, 1_000, 2_000)
    assert (call.outcome, call.response_complete) == (Outcome.COMPLETE, True)
    calls, whole = talk.end()
    assert calls == []
    assert (whole.id.part, whole.request_body, whole.response_body, whole.duration_us) == (0, b"", b"", END_US)
    assert (whole.unread, whole.faults) == ("", ())


def test_calls_follow_each_other_on_one_socket_a_prewarm_among_them() -> None:
    talk = Talk()
    talk.client(create(generate=False))
    (prewarm,) = talk.server(said("response.created", response={"id": "r1"}), said("response.completed"))
    talk.client(create(previous_response_id="r1"))
    (second,) = talk.server(*answer("r2", "response.incomplete"))
    talk.client(create(previous_response_id="r2"))
    (third,) = talk.server(*answer("r3", "response.failed"))
    assert [call.id.part for call in (prewarm, second, third)] == [1, 2, 3]
    assert b'"generate": false' in prewarm.request_body


def test_lanes_are_told_apart_and_parts_count_in_the_order_asked() -> None:
    talk = Talk()
    talk.client(create("one", stream_id="a"), create("two", stream_id="b"), create("three", stream_id="a"))
    a, b, more = answer("ra", lane="a"), answer("rb", lane="b"), answer("rc", lane="a")
    talk.server(a[0], b[0], b[1], a[1], b[2])
    talk.server(a[2], *more)
    assert [(call.id.part, call.response_body) for call in talk.given] == [(2, sse(*b)), (1, sse(*a)), (3, sse(*more))]


def test_a_server_that_does_not_echo_the_lane_is_understood_while_there_is_one() -> None:
    talk = Talk()
    talk.client(create(stream_id="a"))
    (call,) = talk.server(*answer("r1"))
    assert (call.id.part, call.outcome) == (1, Outcome.COMPLETE)


@pytest.mark.parametrize("begun", [False, True])
def test_an_error_frame_ends_the_call(begun: bool) -> None:
    talk = Talk()
    talk.client(create())
    error = said("error", status=400, error={"type": "invalid_request_error", "code": "previous_response_not_found"})
    (call,) = talk.server(*answer("r1")[:begun], error)
    assert call.outcome is Outcome.COMPLETE
    assert call.response_body.endswith(sse(error))


@pytest.mark.parametrize(
    ("ended", "client_left", "outcome"),
    [
        (Outcome.CLIENT_CLOSED, False, Outcome.CLIENT_CLOSED),
        (Outcome.UPSTREAM_CUT, False, Outcome.UPSTREAM_CUT),
        (Outcome.SHUTDOWN, False, Outcome.SHUTDOWN),
        (Outcome.COMPLETE, False, Outcome.UPSTREAM_CUT),
        (Outcome.COMPLETE, True, Outcome.CLIENT_CLOSED),
    ],
)
def test_a_call_that_is_open_at_the_end_ends_as_the_socket_did(
    ended: Outcome, client_left: bool, outcome: Outcome
) -> None:
    talk = Talk()
    talk.client(create())
    talk.server(answer("r1")[0])
    farewells = [(frame(b"", CLOSE, mask=MASK), True), (frame(b"", CLOSE), False)]
    for data, of_client in farewells if client_left else farewells[::-1]:
        talk.raw(data, from_client=of_client)
    (call,), whole = talk.end(ended)
    assert (call.outcome, call.duration_us, call.response_complete) == (outcome, END_US - 1_000, False)
    assert (call.request_complete, call.request_lost, call.response_lost) == (True, 0, 0)
    assert whole.outcome is ended


def test_a_call_cut_with_the_relay_has_no_duration() -> None:
    talk = Talk()
    talk.client(create())
    (call,), _ = talk.end(Outcome.CUT)
    assert (call.outcome, call.status, call.duration_us) == (Outcome.CUT, None, None)


def test_what_belongs_to_no_call_is_counted_for_the_socket_without_content() -> None:
    talk = Talk()
    talk.client(said("response.cancel", secret="canary"), b"no JSON: canary", said("can ary"))
    talk.client(said("response.steer", previous_response_id="r1", input="canary"))
    talk.server(said("rate_limits"), said("rate_limits"), *answer("r1"), said("response.steer.pending"))
    talk.raw(frame(b"\0", BINARY), from_client=False)
    _, whole = talk.end()
    assert whole.faults == (
        "client event response.cancel (1)",
        "client event (no name) (2)",
        "client event response.steer (1)",
        "server event rate_limits (2)",
        "server event response.created (1)",
        "server event response.output_text.delta (1)",
        "server event response.completed (1)",
        "binary message (1)",
    )
    assert talk.given == [whole]


def test_kinds_of_faults_are_bounded() -> None:
    talk = Talk()
    talk.client(*(said(f"kind{number}") for number in range(FAULT_KINDS + 5)))
    assert talk.end()[1].faults[-2:] == ("client event kind15 (1)", "others (5)")


def test_a_message_that_is_no_json_stays_in_the_answer_it_came_in() -> None:
    talk = Talk()
    talk.client(create())
    begun, word, end = answer("r1")
    (call,) = talk.server(begun, b'{"bad', word, b"\xff", end)
    assert call.response_body == sse(begun, b'{"bad', word, b"\xff", end)


def test_a_response_whose_end_was_missed_does_not_take_the_next_one_s_place() -> None:
    talk = Talk()
    talk.client(create("one"), create("two"))
    talk.server(*answer("r1")[:2])
    first, second = talk.server(*answer("r2"))
    assert (first.id.part, first.outcome, first.response_lost, first.duration_us) == (1, Outcome.CUT, 1, None)
    assert (second.id.part, second.response_body) == (2, sse(*answer("r2")))


def test_a_steered_response_and_its_successor_are_two_calls() -> None:
    talk = Talk()
    talk.client(create("go", tools=[]))
    talk.server(answer("r1")[0])
    talk.client(said("response.steer", previous_response_id="r1", input="no, left"))
    talk.server(said("response.steer.accepted", steer={"id": "s", "previous_response_id": "r1"}))
    talk.client(create("queued behind"))
    (steered,) = talk.server(answer("r1", "response.incomplete")[2])
    (successor,) = talk.server(*answer("r2", parent="r1"))
    (queued,) = talk.server(*answer("r3"))
    assert [call.id.part for call in (steered, successor, queued)] == [1, 3, 2]
    request = json.loads(successor.request_body)
    assert (request["type"], request["previous_response_id"], request["tools"]) == ("response.steer", "r1", [])
    assert request["input"] == [{"type": "message", "role": "user", "content": "no, left"}]
    assert (successor.request_lost, successor.first_byte_us, successor.duration_us) == (0, None, None)
    assert json.loads(queued.request_body)["input"] == "queued behind"


def test_steering_that_waited_for_tools_stands_in_the_request_that_brings_them() -> None:
    talk = Talk()
    talk.client(create("go"))
    talk.server(answer("r1")[0])
    talk.client(said("response.steer", previous_response_id="r1", input="also"))
    talk.server(answer("r1")[2], said("response.steer.pending", steer={"previous_response_id": "r1"}))
    talk.client(create("output", previous_response_id="r1"))
    (call,) = talk.server(*answer("r2", parent="r1"))
    assert [item["content"] for item in json.loads(call.request_body)["input"]] == ["also", "output"]
    assert talk.end()[1].faults == ()


def test_an_extension_that_is_not_known_leaves_the_socket_unread() -> None:
    talk = Talk("x-mux; channels=3")
    talk.client(create())
    talk.server(*answer("r1"))
    talk.stop(from_client=True)
    calls, whole = talk.end()
    assert (calls, talk.given) == ([], [whole])
    assert (whole.unread, whole.faults) == ("websocket extension: x-mux", ())


def test_once_the_client_cannot_be_read_its_calls_are_told_by_their_answers() -> None:
    talk = Talk()
    talk.client(create("read"))
    talk.raw(frame(b"not masked"), from_client=True)
    assert len(talk.server(*answer("r1"))) == 1
    (call,) = talk.server(said("rate_limits"), *answer("r2"))
    assert (call.id.part, call.request_body, call.request_lost, call.request_complete) == (2, b"", 1, False)
    assert (call.response_body, call.outcome) == (sse(*answer("r2")), Outcome.COMPLETE)
    assert talk.end()[1].faults == ("client: unmasked frame (1)", "server event rate_limits (1)")


def test_once_the_server_cannot_be_read_every_call_is_given_out_as_not_wholly_recorded() -> None:
    talk = Talk()
    talk.client(create("one"), create("two"))
    cut = talk.raw(from_server(answer("r1")[0]) + frame(b"masked", mask=MASK) + frame(b"more"), from_client=False)
    later = talk.client(create("three"))
    assert [(call.id.part, call.response_lost, call.outcome) for call in cut + later] == [
        (1, 1, Outcome.CUT),
        (2, 1, Outcome.CUT),
        (3, 1, Outcome.CUT),
    ]
    assert talk.end()[1].faults == ("server: masked frame (1)",)


@pytest.mark.parametrize("of_client", [True, False])
def test_recording_that_stops_at_its_cap_is_no_fault_of_the_socket(of_client: bool) -> None:
    talk = Talk()
    talk.client(create("one"))
    talk.stop(from_client=of_client)
    talk.server(*answer("r1"))
    talk.client(create("two"))
    talk.server(*answer("r2"))
    calls, whole = talk.end(request_lost=9)
    assert (calls, whole.faults, whole.request_lost) == ([], (), 9)
    assert [(call.id.part, call.request_lost, call.response_lost) for call in talk.given[:-1]] == (
        [(1, 0, 0), (2, 1, 0)] if of_client else [(1, 0, 1), (2, 0, 1)]
    )


def test_more_calls_at_once_than_may_run_are_counted() -> None:
    talk = Talk(calls=OpenCalls(open_limit=1))
    talk.client(create("one"), create("two"))
    assert talk.end()[1].faults == ("response.create above the limit (1)",)


def test_only_sockets_of_model_calls_are_read() -> None:
    assert open_socket(handshake(target="/v1/realtime?model=m")) is None
    assert open_socket(handshake(target="/backend-api/codex/responses?x=1")) is not None


def test_an_error_of_ours_costs_the_rest_of_its_socket_and_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> None:
        raise RecursionError

    talk = Talk()
    talk.client(create("one"))
    talk.server(*answer("r1"))
    talk.client(create("two"))
    monkeypatch.setattr(OpenCalls, "begin", fails)
    talk.client(create("three"))
    talk.server(*answer("r2"))
    calls, whole = talk.end()
    assert (calls, whole.unread) == ([], "internal: RecursionError")
    assert [(call.id.part, call.response_lost) for call in talk.given[:-1]] == [(1, 0), (2, 1)]


KINDS = [
    "response.create",
    "response.steer",
    "response.created",
    "response.completed",
    "error",
    "response.steer.failed",
]
NAMES = st.one_of(st.sampled_from(["r1", "r2", "", None]), st.integers(), st.lists(st.none(), max_size=1))
EVENTS = st.fixed_dictionaries(
    {"type": st.one_of(st.sampled_from(KINDS), NAMES)},
    optional={
        "stream_id": NAMES,
        "previous_response_id": NAMES,
        "input": st.one_of(NAMES, st.lists(NAMES, max_size=2)),
        "response": st.one_of(NAMES, st.fixed_dictionaries({"id": NAMES, "previous_response_id": NAMES})),
        "steer": st.one_of(NAMES, st.fixed_dictionaries({"previous_response_id": NAMES, "input": NAMES})),
    },
)


@settings(deadline=None, max_examples=150)
@given(st.lists(st.tuples(st.booleans(), EVENTS), max_size=25))
def test_whatever_is_said_every_call_comes_out_once(story: list[tuple[bool, dict[str, object]]]) -> None:
    talk, asked = Talk(), 0
    for of_client, event in story:
        asked += of_client and event["type"] == "response.create"
        (talk.client if of_client else talk.server)(json.dumps(event).encode())
    _, whole = talk.end()
    parts = sorted(exchange.id.part for exchange in talk.given)
    assert whole.unread == ""
    assert parts == list(range(len(parts)))
    assert len(parts) >= asked + 1


@settings(deadline=None, max_examples=40)
@given(
    takeover=st.sampled_from([None, True, False]),
    cuts=st.lists(st.integers(0, 3_000), max_size=12),
    lanes=st.lists(st.sampled_from(["", "a", "b"]), min_size=1, max_size=5),
)
def test_any_split_of_a_real_peer_s_bytes_gives_the_same_calls(
    takeover: bool | None, cuts: list[int], lanes: list[str]
) -> None:
    extensions = "" if takeover is None else DEFLATE
    if takeover is False:
        extensions += "; server_no_context_takeover; client_no_context_takeover"
    asked = [create(f"ask {number}", stream_id=lane) for number, lane in enumerate(lanes)]
    answers = [answer(f"r{number}", lane=lane) for number, lane in enumerate(lanes)]
    talk = Talk(extensions)
    said_back = [text for events in answers for text in events]
    for texts, of_client in ((asked, True), (said_back, False)):
        for piece in pieces_of(peer_frames(texts, masked=of_client, takeover=takeover), cuts):
            talk.raw(piece, from_client=of_client)
    calls, whole = talk.end()
    assert (calls, whole.faults) == ([], ())
    assert [(call.request_body, call.response_body) for call in talk.given[:-1]] == [
        (text, sse(*events)) for text, events in zip(asked, answers, strict=True)
    ]
