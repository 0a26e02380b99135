"""Any split of valid and damaged messages passes or is refused exactly as specified, byte for byte."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proxy.framing.faults import Fault, FramingError
from proxy.framing.framer import Data, Framer, RequestFramer, ResponseFramer
from proxy.framing.head import HEAD_LIMIT, RequestHead, ResponseHead

HEAD = b"POST /v1/messages HTTP/1.1\r\nHost: a\r\n"
CHUNKED = b"Transfer-Encoding: chunked\r\n\r\n"


@dataclass
class Seen:
    """What came out of a framer."""

    heads: list[bytes] = field(default_factory=list)
    bodies: list[bytes] = field(default_factory=list)
    payloads: list[bytes] = field(default_factory=list)
    ended: list[bool] = field(default_factory=list)
    fault: Fault | None = None

    def take(self, event: RequestHead | ResponseHead | Data) -> None:
        if isinstance(event, Data):
            assert not self.ended[-1]
            self.bodies[-1] += event.raw
            self.payloads[-1] += event.payload
            self.ended[-1] = event.last
        else:
            self.heads.append(event.raw)
            self.bodies.append(b"")
            self.payloads.append(b"")
            self.ended.append(event.last)

    @property
    def passed(self) -> bytes:
        return b"".join(head + body for head, body in zip(self.heads, self.bodies, strict=True))


def run(framer: Framer[RequestHead] | Framer[ResponseHead], pieces: list[bytes]) -> Seen:
    seen = Seen()
    try:
        for piece in pieces:
            event = framer.receive(piece)
            while event is not None:
                seen.take(event)
                event = framer.next_event()
    except FramingError as error:
        seen.fault = error.fault
    return seen


def split(data: bytes, cuts: list[int]) -> list[bytes]:
    marks = sorted({cut % (len(data) + 1) for cut in cuts} | {0, len(data)})
    return [data[start:end] for start, end in pairwise(marks)]


def responses(method: bytes = b"POST") -> ResponseFramer:
    framer = ResponseFramer()
    framer.method = method
    return framer


def test_raw_slices_are_what_was_received() -> None:
    head = HEAD + b"X-Odd:  1 \r\nContent-Length: 4\r\n\r\n"
    seen = run(RequestFramer(), [head + b"body"])
    assert (seen.heads, seen.bodies, seen.payloads, seen.ended) == ([head], [b"body"], [b"body"], [True])


def test_pipelined_requests_come_out_one_by_one() -> None:
    first = HEAD + b"Content-Length: 3\r\n\r\none"
    second = HEAD + CHUNKED + b"3\r\ntwo\r\n0\r\n\r\n"
    third = b"GET / HTTP/1.1\r\nHost: a\r\n\r\n"
    seen = run(RequestFramer(), [first + second + third])
    assert (seen.passed, seen.payloads) == (first + second + third, [b"one", b"two", b""])


def test_what_is_held_is_looked_at_only_when_asked() -> None:
    framer = RequestFramer()
    request = b"GET / HTTP/1.1\r\nHost: a\r\n\r\n"
    assert isinstance(framer.receive(request), RequestHead)
    framer.hold(request[:10])
    framer.hold(request[10:])
    assert framer.held == len(request)
    assert isinstance(framer.next_event(), RequestHead)
    assert framer.next_event() is None


def test_whoever_gives_up_framing_gets_the_rest() -> None:
    framer = responses(b"GET")
    switch = b"HTTP/1.1 101 S\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n"
    assert isinstance(framer.receive(switch + b"\x81\x00"), ResponseHead)
    assert framer.take_rest() == b"\x81\x00"
    assert framer.held == 0


def test_interim_answers_come_before_the_answer() -> None:
    interim = b"HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n"
    answer = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
    seen = run(responses(), [interim + interim + answer])
    assert seen.heads == [interim, interim, answer[:-2]]


@pytest.mark.parametrize("status", [b"204 No Content", b"304 Not Modified"])
def test_what_has_no_body_ends_with_its_head(status: bytes) -> None:
    head = b"HTTP/1.1 " + status + b"\r\nContent-Length: 9\r\n\r\n"
    assert run(responses(), [head]).ended == [True]


def test_the_answer_to_head_has_no_body() -> None:
    assert run(responses(b"HEAD"), [b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n"]).ended == [True]


def test_only_the_end_of_the_connection_ends_a_body_without_length() -> None:
    framer = responses()
    seen = run(framer, [b"HTTP/1.1 200 OK\r\n\r\n", b"all", b"of it"])
    assert (seen.bodies, seen.ended) == ([b"allof it"], [False])
    assert framer.eof() == Data(b"", b"", last=True)
    assert framer.eof() is None


def test_the_end_of_the_connection_ends_nothing_else() -> None:
    framer = responses()
    run(framer, [b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"])
    assert framer.eof() is None


@pytest.mark.parametrize(
    ("start", "fault"),
    [
        (b"GET /\r\n", Fault.START_LINE),
        (b"\x16\x03\x01\x02", Fault.START_LINE),
        (b"\r\nGET / HTTP/1.1\r\n", Fault.START_LINE),
        (b"GET / HTTP/1.1\n", Fault.LINE_ENDING),
        (b"GET / HTTP/1.1\r\nHost: a\nX: y", Fault.LINE_ENDING),
        (b"GET / HTTP/1.1\r\nHost: a\rX", Fault.LINE_ENDING),
        (b"CONNECT a:443 HTTP/1.1\r\n", Fault.TARGET),
        (b"GET / HTTP/1.1\r\nX: " + b"y" * HEAD_LIMIT, Fault.HEAD_TOO_LARGE),
        (b"GET / HTTP/1.1\r\nX: " + b"y" * HEAD_LIMIT + b"\r\n\r\n", Fault.HEAD_TOO_LARGE),
    ],
)
def test_what_cannot_become_a_head_is_refused_before_it_ends(start: bytes, fault: Fault) -> None:
    assert run(RequestFramer(), [start]).fault is fault


def test_a_head_of_exactly_the_limit_passes() -> None:
    start = HEAD + b"X: "
    head = start + b"y" * (HEAD_LIMIT - len(start) - 4) + b"\r\n\r\n"
    assert run(RequestFramer(), [head]).heads == [head]


def test_an_answer_that_is_no_http_is_refused_at_its_first_byte() -> None:
    assert run(responses(), [b"S"]).fault is Fault.START_LINE


_TOKENS = st.text("abcXYZ-_09!", min_size=1, max_size=8).map(lambda token: b"x-" + token.encode())
_VALUES = st.binary(max_size=20).map(lambda raw: bytes(byte for byte in raw if byte > 31 and byte != 127))
_LINES = st.tuples(_TOKENS, _VALUES).map(lambda pair: b"%s: %s\r\n" % pair)


@st.composite
def bodies(draw: st.DrawFn) -> tuple[bytes, bytes, bytes]:
    """The line that declares a body, the body, its payload."""
    pieces = draw(st.lists(st.binary(min_size=1, max_size=5000), max_size=4))
    payload = b"".join(pieces)
    if draw(st.booleans()):
        framed = b"".join(b"%X;e\r\n%s\r\n" % (len(piece), piece) for piece in pieces)
        return CHUNKED[:-2], framed + b"0\r\n" + draw(st.sampled_from([b"", b"T: x\r\n"])) + b"\r\n", payload
    return b"Content-Length: %d\r\n" % len(payload), payload, payload


@st.composite
def messages(draw: st.DrawFn, start: bytes) -> tuple[bytes, bytes]:
    """A message and its payload."""
    declaration, body, payload = draw(bodies())
    lines = draw(st.lists(_LINES, max_size=5))
    lines.insert(draw(st.integers(0, len(lines))), declaration)
    return start + b"".join(lines) + b"\r\n" + body, payload


@settings(max_examples=150)
@given(talk=st.lists(messages(HEAD), min_size=1, max_size=3), cuts=st.lists(st.integers(0, 1 << 20), max_size=25))
def test_any_split_of_valid_requests_passes_byte_for_byte(talk: list[tuple[bytes, bytes]], cuts: list[int]) -> None:
    stream = b"".join(raw for raw, _ in talk)
    seen = run(RequestFramer(), split(stream, cuts))
    assert seen.fault is None
    assert seen.passed == stream
    assert seen.payloads == [payload for _, payload in talk]
    assert all(seen.ended)


@settings(max_examples=150)
@given(message=messages(b"HTTP/1.1 200 OK\r\n"), cuts=st.lists(st.integers(0, 1 << 20), max_size=25))
def test_any_split_of_a_valid_response_passes_byte_for_byte(message: tuple[bytes, bytes], cuts: list[int]) -> None:
    seen = run(responses(), split(message[0], cuts))
    assert (seen.passed, seen.payloads, seen.ended, seen.fault) == (message[0], [message[1]], [True], None)


@settings(max_examples=300)
@given(
    message=messages(HEAD),
    at=st.integers(0, 1 << 20),
    damage=st.sampled_from([b"", b"\r", b"\n", b"\x00", b" ", b":", b"\r\n", b"0", b"Content-Length: 1\r\n"]),
    removed=st.integers(0, 3),
    cuts=st.lists(st.integers(0, 1 << 20), max_size=12),
)
def test_a_damaged_request_meets_the_same_fate_in_any_split(
    message: tuple[bytes, bytes], at: int, damage: bytes, removed: int, cuts: list[int]
) -> None:
    """Nothing passes that was not received, whole messages pass alike, and what is refused whole never passes cut."""
    raw = message[0]
    at %= len(raw)
    stream = raw[:at] + damage + raw[at + removed :]
    whole = run(RequestFramer(), [stream])
    cut = run(RequestFramer(), split(stream, cuts))
    assert stream.startswith(cut.passed)
    assert stream.startswith(whole.passed)
    assert [head for head, end in zip(cut.heads, cut.ended, strict=True) if end] == [
        head for head, end in zip(whole.heads, whole.ended, strict=True) if end
    ]
    assert cut.heads == whole.heads
    assert (cut.fault is None) == (whole.fault is None)
