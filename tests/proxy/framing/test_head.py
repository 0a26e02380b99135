from __future__ import annotations

import pytest

from proxy.framing.faults import Fault, FramingError
from proxy.framing.head import (
    LINE_LIMIT,
    Body,
    RequestHead,
    ResponseHead,
    check_request_line,
    check_status_line,
    read_request_head,
    read_response_head,
)


def request(*lines: str, start: str = "POST / HTTP/1.1") -> RequestHead:
    return read_request_head("\r\n".join([start, "Host: a", *lines, "", ""]).encode())


def response(*lines: str, start: str = "HTTP/1.1 200 OK", method: bytes = b"POST") -> ResponseHead:
    return read_response_head("\r\n".join([start, *lines, "", ""]).encode(), method)


@pytest.mark.parametrize(
    ("lines", "body", "length"),
    [
        ((), Body.NONE, 0),
        (("Content-Length: 0",), Body.NONE, 0),
        (("Content-Length: 7",), Body.LENGTH, 7),
        (("Transfer-Encoding: chunked",), Body.CHUNKED, 0),
    ],
)
def test_a_request_ends_where_its_lines_say(lines: tuple[str, ...], body: Body, length: int) -> None:
    head = request(*lines)
    assert (head.body, head.length, head.last) == (body, length, body is Body.NONE)


@pytest.mark.parametrize(
    ("start", "lines", "method", "body"),
    [
        ("HTTP/1.1 200 OK", (), b"POST", Body.UNTIL_CLOSE),
        ("HTTP/1.1 200 OK", ("Content-Length: 3",), b"POST", Body.LENGTH),
        ("HTTP/1.1 200 OK", ("Content-Length: 3",), b"HEAD", Body.NONE),
        ("HTTP/1.1 200 OK", ("Transfer-Encoding: chunked",), b"HEAD", Body.NONE),
        ("HTTP/1.1 200 OK", (), b"HEAD", Body.NONE),
        ("HTTP/1.1 204 No", ("Content-Length: 3",), b"POST", Body.NONE),
        ("HTTP/1.1 304 Not", ("Transfer-Encoding: chunked",), b"POST", Body.NONE),
        ("HTTP/1.1 103 Early", ("Content-Length: 3",), b"POST", Body.NONE),
        ("HTTP/1.1 529", ("Transfer-Encoding: chunked",), b"POST", Body.CHUNKED),
        ("HTTP/1.0 200 OK", (), b"POST", Body.UNTIL_CLOSE),
    ],
)
def test_a_response_ends_where_status_method_and_lines_say(
    start: str, lines: tuple[str, ...], method: bytes, body: Body
) -> None:
    assert response(*lines, start=start, method=method).body is body


@pytest.mark.parametrize(
    ("lines", "fault"),
    [
        (("Host: b",), Fault.HOST),
        (("Content-Length: 1", "Content-Length: 1"), Fault.LENGTH),
        (("Content-Length: 1", "Transfer-Encoding: chunked"), Fault.LENGTH_AND_CODING),
        (("Transfer-Encoding: chunked", "Transfer-Encoding: chunked"), Fault.CODING),
        (("Connection: close, content-length",), Fault.CONNECTION),
        (("Connection: Host",), Fault.CONNECTION),
        (("Connection: transfer-encoding",), Fault.CONNECTION),
        (tuple(f"X-{number}: x" for number in range(LINE_LIMIT)), Fault.TOO_MANY_LINES),
    ],
)
def test_lines_that_contradict_each_other_are_refused(lines: tuple[str, ...], fault: Fault) -> None:
    with pytest.raises(FramingError) as refused:
        request(*lines)
    assert refused.value.fault is fault


def test_a_request_needs_a_host_in_every_version() -> None:
    for version in ("1.0", "1.1"):
        with pytest.raises(FramingError, match="exactly one Host"):
            read_request_head(f"GET / HTTP/{version}\r\n\r\n".encode())


def test_http_1_0_has_no_transfer_codings() -> None:
    with pytest.raises(FramingError, match=r"HTTP/1\.0"):
        request("Transfer-Encoding: chunked", start="POST / HTTP/1.0")


@pytest.mark.parametrize(
    ("minor", "lines", "persists"),
    [
        (1, (), True),
        (1, ("Connection: close",), False),
        (1, ("Connection: x, CLOSE",), False),
        (1, ("Connection: keep-alive",), True),
        (0, (), False),
        (0, ("Connection: Keep-Alive",), True),
    ],
)
def test_version_and_connection_say_whether_more_may_follow(minor: int, lines: tuple[str, ...], persists: bool) -> None:
    assert request(*lines, start=f"GET / HTTP/1.{minor}").keep_alive is persists
    assert response("Content-Length: 1", *lines, start=f"HTTP/1.{minor} 200 OK").keep_alive is persists


def test_a_body_until_close_ends_the_connection() -> None:
    assert not response().keep_alive


@pytest.mark.parametrize(
    ("raw", "fault"),
    [
        (b"GET /", Fault.START_LINE),
        (b"GET / HTTP/0.9", Fault.START_LINE),
        (b"GET / HTTP/2.0", Fault.START_LINE),
        (b"GET / HTTP/1.2", Fault.START_LINE),
        (b"GET / http/1.1", Fault.START_LINE),
        (b"GET  / HTTP/1.1", Fault.START_LINE),
        (b"GET /a b HTTP/1.1", Fault.START_LINE),
        (b"GET / HTTP/1.1 ", Fault.START_LINE),
        (b" GET / HTTP/1.1", Fault.START_LINE),
        (b"G(T / HTTP/1.1", Fault.START_LINE),
        (b"", Fault.START_LINE),
        (b"CONNECT a:443 HTTP/1.1", Fault.TARGET),
        (b"CONNECT / HTTP/1.1", Fault.TARGET),
        (b"GET http://a/ HTTP/1.1", Fault.TARGET),
        (b"OPTIONS * HTTP/1.1", Fault.TARGET),
    ],
)
def test_request_lines_other_than_origin_form_of_http_1_are_refused(raw: bytes, fault: Fault) -> None:
    with pytest.raises(FramingError) as refused:
        check_request_line(raw)
    assert refused.value.fault is fault


def test_any_token_is_a_method() -> None:
    assert check_request_line(b"BREW-now /pot?x HTTP/1.0") == (b"BREW-now", b"/pot?x", 0)


@pytest.mark.parametrize(
    "raw", [b"HTTP/1.1", b"HTTP/1.1 20 OK", b"HTTP/1.1 2000 OK", b"HTTP/2 200", b"HTTP/1.1  200 OK", b"HTTP/1.1 099 X"]
)
def test_malformed_status_lines_are_refused(raw: bytes) -> None:
    with pytest.raises(FramingError):
        check_status_line(raw)


@pytest.mark.parametrize("raw", [b"HTTP/1.1 200", b"HTTP/1.1 200 ", b"HTTP/1.1 200 Gr\xfc\xdfe"])
def test_reasons_may_be_anything_or_nothing(raw: bytes) -> None:
    assert check_status_line(raw).status == 200


@pytest.mark.parametrize(
    ("start", "lines", "upgrade", "websocket"),
    [
        ("GET / HTTP/1.1", ("Connection: keep-alive, Upgrade", "Upgrade: WebSocket"), True, True),
        ("POST / HTTP/1.1", ("Connection: Upgrade", "Upgrade: websocket"), True, False),
        ("GET / HTTP/1.1", ("Connection: Upgrade", "Upgrade: websocket", "Content-Length: 1"), True, False),
        ("GET / HTTP/1.1", ("Connection: Upgrade", "Upgrade: h2c"), True, False),
        ("GET / HTTP/1.1", ("Connection: Upgrade", "Upgrade: websocket, h2c"), True, False),
        ("GET / HTTP/1.0", ("Connection: Upgrade", "Upgrade: websocket"), True, False),
        ("GET / HTTP/1.1", ("Upgrade: websocket",), False, False),
        ("GET / HTTP/1.1", ("Connection: Upgrade",), False, False),
    ],
)
def test_only_a_get_without_body_may_switch_and_only_to_websocket(
    start: str, lines: tuple[str, ...], upgrade: bool, websocket: bool
) -> None:
    head = request(*lines, start=start)
    assert (head.upgrade, head.websocket) == (upgrade, websocket)


def test_only_a_switch_to_websocket_is_one() -> None:
    switch = response("Connection: upgrade", "Upgrade: websocket", start="HTTP/1.1 101 Switching")
    assert (switch.websocket, switch.last) == (True, True)
    assert not response("Connection: upgrade", "Upgrade: h2c", start="HTTP/1.1 101 S").websocket
