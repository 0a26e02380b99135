"""Where the two readings agree, and that a head on which they differ is refused."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proxy.framing.faults import FramingError
from proxy.framing.head import Body, RequestHead, ResponseHead, read_request_head, read_response_head
from proxy.framing.judge import Judge


def request(*lines: bytes, start: bytes = b"POST / HTTP/1.1") -> RequestHead:
    return read_request_head(b"\r\n".join([start, b"Host: a", *lines, b"", b""]))


def response(*lines: bytes, start: bytes = b"HTTP/1.1 200 OK", method: bytes = b"POST") -> ResponseHead:
    return read_response_head(b"\r\n".join([start, *lines, b"", b""]), method)


@pytest.mark.parametrize(
    "lines",
    [
        (),
        (b"Content-Length: 0",),
        (b"Content-Length: 1",),
        (b"content-length:2048 ",),
        (b"Content-Length: 1099511627776",),
        (b"Transfer-Encoding: Chunked",),
        (b"Connection: x,close",),
        (b"Connection: Upgrade", b"Upgrade: h2c", b"Content-Length: 9"),
        (b"Connection: Upgrade", b"Upgrade: websocket"),
    ],
)
@pytest.mark.parametrize("start", [b"POST / HTTP/1.1", b"GET / HTTP/1.1", b"BREW / HTTP/1.1", b"get / HTTP/1.1"])
def test_both_agree_on_what_clients_send(start: bytes, lines: tuple[bytes, ...]) -> None:
    Judge().check_request(request(*lines, start=start))


@pytest.mark.parametrize("method", [b"POST", b"HEAD"])
@pytest.mark.parametrize(
    ("start", "lines"),
    [
        (b"HTTP/1.1 200 OK", (b"Content-Length: 5",)),
        (b"HTTP/1.1 200", (b"Transfer-Encoding: chunked",)),
        (b"HTTP/1.1 200 OK", ()),
        (b"HTTP/1.0 200 OK", (b"Connection: keep-alive", b"Content-Length: 5")),
        (b"HTTP/1.0 200 OK", ()),
        (b"HTTP/1.1 204 No Content", ()),
        (b"HTTP/1.1 304 Not Modified", (b"Content-Length: 5",)),
        (b"HTTP/1.1 103 Early Hints", ()),
        (b"HTTP/1.1 101 Switching", (b"Connection: Upgrade", b"Upgrade: websocket")),
        (b"HTTP/1.1 529 Overloaded", (b"Connection: close", b"Content-Length: 0")),
    ],
)
def test_both_agree_on_what_upstreams_send(start: bytes, lines: tuple[bytes, ...], method: bytes) -> None:
    Judge().check_response(response(*lines, start=start, method=method))


@pytest.mark.parametrize(
    "otherwise",
    [
        {"length": 4},
        {"length": 6},
        {"body": Body.CHUNKED},
        {"body": Body.NONE, "length": 0},
        {"keep_alive": False},
        {"method": b"PUT"},
        {"websocket": True},
    ],
)
def test_a_request_read_otherwise_is_refused(otherwise: dict[str, Any]) -> None:
    head = request(b"Content-Length: 5")._replace(**otherwise)
    with pytest.raises(FramingError, match="two readings"):
        Judge().check_request(head)


@pytest.mark.parametrize(
    "otherwise",
    [
        {"length": 4},
        {"framed": Body.UNTIL_CLOSE},
        {"framed": Body.CHUNKED},
        {"keep_alive": False},
        {"status": 201},
        {"upgrade": True},
    ],
)
def test_a_response_read_otherwise_is_refused(otherwise: dict[str, Any]) -> None:
    head = response(b"Content-Length: 5")._replace(**otherwise)
    with pytest.raises(FramingError, match="two readings"):
        Judge().check_response(head)


@pytest.mark.parametrize(
    "lines",
    [
        (b"Content-Length: 5", b"Connection: close"),
        (b"Content-Length: 99999", b"Connection: close"),
        (b"Transfer-Encoding: chunked", b"Connection: close"),
    ],
)
def test_a_length_taken_for_a_body_until_close_is_refused(lines: tuple[bytes, ...]) -> None:
    head = response(*lines)._replace(framed=Body.UNTIL_CLOSE, body=Body.UNTIL_CLOSE)
    with pytest.raises(FramingError, match="two readings"):
        Judge().check_response(head)


def test_a_head_that_says_close_and_keep_alive_at_once_divides_them() -> None:
    with pytest.raises(FramingError, match="two readings"):
        Judge().check_request(request(b"Connection: close, keep-alive", start=b"GET / HTTP/1.0"))


_LINES = st.sampled_from(
    [
        b"Content-Length: 5", b"content-length:\t17\t", b"Transfer-Encoding: chunked", b"Connection: close",
        b"Connection: keep-alive", b"Connection: upgrade, x", b"Upgrade: websocket", b"Upgrade: h2c", b"X: y",
        b"Accept: */*", b"X-Empty:", b"Connection: ,close ,", b"Connection: \"close\"", b"Connection: closed",
        b"Expect: 100-continue", b"TE: trailers", b"Proxy-Connection: close", b"Connection: close x",
    ]
)  # fmt: skip


@settings(max_examples=300)
@given(
    method=st.sampled_from([b"GET", b"POST", b"HEAD", b"BREW", b"DELETE", b"M-SEARCH"]),
    minor=st.integers(0, 1),
    lines=st.lists(_LINES, max_size=6),
)
def test_whatever_the_first_reading_accepts_the_second_accepts_or_refuses_without_harm(
    method: bytes, minor: int, lines: list[bytes]
) -> None:
    """They differ on two things only, and a judge that refused goes on to judge right."""
    judge = Judge()
    try:
        head = request(*lines, start=b"%s / HTTP/1.%d" % (method, minor))
    except FramingError:
        return
    contradiction = minor == 0 and "close" in head.named and "keep-alive" in head.named
    old_spelling = minor == 1 and head.keep_alive and b"Proxy-Connection: close" in lines
    try:
        judge.check_request(head)
        assert not contradiction
        assert not old_spelling
    except FramingError:
        assert contradiction or old_spelling
    judge.check_request(request(b"Content-Length: 5"))
