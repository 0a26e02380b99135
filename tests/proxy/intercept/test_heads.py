from __future__ import annotations

import pytest

pytest.importorskip("mitmproxy", reason="the extra `intercept` is not installed")

from mitmproxy.http import Request, Response
from mitmproxy.net.http import http1

from proxy.framing.faults import FramingError
from proxy.framing.head import RequestHead
from proxy.intercept.heads import judge_request, judge_response, request_lines, response_lines


def a_request(*lines: bytes, start: bytes = b"GET /v1 HTTP/1.1") -> Request:
    return http1.read_request_head([start, *lines])


def a_response(*lines: bytes, start: bytes = b"HTTP/1.1 200 OK") -> Response:
    return http1.read_response_head([start, *lines])


def asked(*lines: bytes) -> RequestHead:
    return judge_request(a_request(b"Host: x", *lines))


def test_lines_of_one_hop_and_ours_stay_and_host_is_the_upstreams() -> None:
    head = asked(
        b"X-Kept: 1", b"Keep-Alive: 5", b"Connection: x-hop, keep-alive", b"X-Hop: 2", b"x-compaction-session: s"
    )
    assert request_lines(head, b"api.test").fields == ((b"Host", b"api.test"), (b"X-Kept", b"1"))
    assert request_lines(asked(), b"").fields == ((b"Host", b"x"),)


def test_a_last_request_says_so_to_the_upstream() -> None:
    assert request_lines(asked(b"Connection: close"), b"").fields[-1] == (b"Connection", b"close")


@pytest.mark.parametrize(
    "request_",
    [
        a_request(),
        a_request(b"Host: x", b"Host: y"),
        a_request(b"Host: x", b"X-A: 1\x00"),
        a_request(b"Host: x", b"X-A: 1", b" folded"),
        a_request(b"Host: x", b"Connection: content-length", b"Content-Length: 5"),
        a_request(b"Host: x", start=b"GET * HTTP/1.1"),
        a_request(b"Host: x", b"Content-Length: 99999999999999999999"),
    ],
)
def test_what_the_relay_would_refuse_is_refused(request_: Request) -> None:
    with pytest.raises(FramingError):
        judge_request(request_)


def test_an_answer_passes_with_its_lines_and_tells_its_length() -> None:
    head = judge_response(a_response(b"Content-Length: 5", b"Keep-Alive: 5", b"retry-after: 1"), asked())
    assert head.length == 5
    assert response_lines(head).fields == ((b"Content-Length", b"5"), (b"retry-after", b"1"))


@pytest.mark.parametrize(
    "response",
    [
        a_response(b"Content-Length: 5", b"Content-Length: 6"),
        a_response(b"X-A: 1\x00"),
        a_response(start=b"HTTP/1.1 103 Early Hints"),
        a_response(b"Connection: upgrade", b"Upgrade: websocket", start=b"HTTP/1.1 101 Switching Protocols"),
    ],
)
def test_an_answer_that_cannot_be_trusted_is_refused(response: Response) -> None:
    with pytest.raises(FramingError):
        judge_response(response, asked())


def test_a_switch_that_both_sides_want_passes() -> None:
    upgrade = (b"Connection: upgrade", b"Upgrade: websocket")
    head = judge_response(a_response(*upgrade, start=b"HTTP/1.1 101 Switching Protocols"), asked(*upgrade))
    assert response_lines(head).fields == ((b"Connection", b"upgrade"), (b"Upgrade", b"websocket"))
