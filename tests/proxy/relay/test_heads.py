from __future__ import annotations

import pytest

from proxy.framing.head import RequestHead, read_request_head, read_response_head
from proxy.relay.heads import request_to_send, response_to_send


def request(*lines: bytes, start: bytes = b"POST /a/x HTTP/1.1") -> RequestHead:
    return read_request_head(b"\r\n".join([start, *lines, b"", b""]))


def sent(*lines: bytes, close: bool = False, start: bytes = b"POST /a/x HTTP/1.1") -> list[bytes]:
    head = request(*lines, start=start)
    return request_to_send(head, b"/x", b"up.stream:1", close=close)[:-4].split(b"\r\n")


def test_target_and_host_are_replaced_in_place_and_the_rest_is_untouched() -> None:
    assert sent(b"a: 1", b"hOsT:  relay ", b"A:1", b"a: 1") == [
        b"POST /x HTTP/1.1", b"a: 1", b"hOsT:  up.stream:1 ", b"A:1", b"a: 1",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "line",
    [b"Keep-Alive: 5", b"Proxy-Authorization: x", b"proxy-connection: x", b"x-compaction-session: a", b"TE: gzip",
     b"Connection: keep-alive"],
)  # fmt: skip
def test_lines_for_one_hop_or_for_us_do_not_travel(line: bytes) -> None:
    assert sent(b"Host: a", line, b"b: c") == [b"POST /x HTTP/1.1", b"Host: up.stream:1", b"b: c"]


@pytest.mark.parametrize(
    "line", [b"TE: trailers", b"Trailer: x", b"Expect: 100-continue", b"Transfer-Encoding: chunked", b"Upgrade: h2c"]
)
def test_lines_for_the_other_end_travel(line: bytes) -> None:
    assert line in sent(b"Host: a", line)


def test_what_connection_names_does_not_travel_in_any_case_or_number() -> None:
    lines = (b"Host: a", b"X-One: 1", b"connection: X-ONE, x-two", b"x-one: 2", b"X-Two: 3", b"X-Three: 4")
    assert sent(*lines) == [b"POST /x HTTP/1.1", b"Host: up.stream:1", b"X-Three: 4"]


def test_te_named_by_connection_travels_all_the_same() -> None:
    assert b"TE: trailers" in sent(b"Host: a", b"TE: trailers", b"Connection: TE")


def test_close_takes_the_place_of_connection_or_the_last_one() -> None:
    assert sent(b"Connection: keep-alive", b"Host: a", b"Connection: x", close=True) == [
        b"POST /x HTTP/1.1", b"Connection: close", b"Host: up.stream:1",
    ]  # fmt: skip
    assert sent(b"Host: a", close=True)[-1] == b"Connection: close"


def test_an_accepted_upgrade_travels_as_received() -> None:
    lines = (b"Host: a", b"Connection: keep-alive, Upgrade, X", b"Upgrade: websocket", b"X: 1")
    assert sent(*lines, start=b"GET /a/x HTTP/1.1") == [b"GET /x HTTP/1.1", b"Host: up.stream:1", *lines[1:3]]


def test_an_upgrade_that_is_not_accepted_does_not_travel() -> None:
    lines = (b"Host: a", b"Connection: Upgrade, HTTP2-Settings", b"Upgrade: h2c", b"HTTP2-Settings: x")
    assert sent(*lines) == [b"POST /x HTTP/1.1", b"Host: up.stream:1"]


def test_a_switch_travels_as_received() -> None:
    raw = b"HTTP/1.1 101 S\r\nConnection: upgrade\r\nupgrade: websocket\r\n\r\n"
    assert response_to_send(read_response_head(raw, b"GET"), close=False) == raw


def test_an_answer_says_close_when_the_connection_ends() -> None:
    raw = b"HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 1\r\n\r\n"
    closing = response_to_send(read_response_head(raw, b"GET"), close=True)
    assert closing == b"HTTP/1.0 200 OK\r\nConnection: close\r\nContent-Length: 1\r\n\r\n"
