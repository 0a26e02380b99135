"""The client's side of the relay, over real sockets."""

from __future__ import annotations

from pathlib import Path

import pytest

from proxy.model.exchange import Outcome
from tests.support.relay import Listener, Peer, Running, relay, until

POST = b"POST /v1/messages?beta=true HTTP/1.1\r\nHost: relay\r\nContent-Length: 5\r\n\r\nhello"
SENT = POST.replace(b"Host: relay", b"Host: 127.0.0.1:%d")
OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"


def answer(upstream: Peer, reply: bytes = OK) -> bytes:
    """Take one request, answer it."""
    asked = upstream.message()
    upstream.send(reply)
    return asked


def test_a_request_and_its_answer_pass_as_they_are(running: Running, upstream: Listener) -> None:
    client = running.connect()
    client.send(POST)
    provider = upstream.accept()
    assert answer(provider) == SENT % upstream.port
    assert client.message() == OK


def test_lines_keep_order_case_and_repeats_except_those_for_one_hop(running: Running, upstream: Listener) -> None:
    client = running.connect()
    client.send(
        b"POST /x HTTP/1.1\r\nanthropic-beta: b\r\nX-ODD:  two  \r\nhOST:\trelay \r\nanthropic-beta: a\r\n"
        b"Keep-Alive: timeout=5\r\nconnection: keep-alive, x-hop\r\nX-Hop: 1\r\nProxy-Connection: x\r\n"
        b"TE: trailers\r\nx-compaction-session: mine\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n"
        b"3;a=b\r\nabc\r\n0\r\nX-Sum: 1\r\n\r\n"
    )
    provider = upstream.accept()
    assert provider.until(b"X-Sum: 1\r\n\r\n") == (
        b"POST /x HTTP/1.1\r\nanthropic-beta: b\r\nX-ODD:  two  \r\nhOST:\t127.0.0.1:%d \r\nanthropic-beta: a\r\n"
        b"TE: trailers\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n"
        b"3;a=b\r\nabc\r\n0\r\nX-Sum: 1\r\n\r\n" % upstream.port
    )
    provider.send(OK)
    assert client.message() == OK
    (exchange,) = running.journalled()
    assert exchange.request_body == b"abc"
    assert exchange.header("X-Compaction-Session") == "mine"
    assert [name for name, _ in exchange.request_headers].count("anthropic-beta") == 2


def test_one_connection_carries_many_exchanges_over_one_upstream_connection(
    running: Running, upstream: Listener
) -> None:
    client = running.connect()
    provider = None
    for _ in range(3):
        client.send(POST)
        provider = provider or upstream.accept()
        answer(provider)
        client.message()
    assert upstream.nobody_comes(0.05)
    assert running.value("compaction_relay_requests_total", upstream="a") == 3


def test_pipelined_requests_are_answered_in_order_one_at_a_time(running: Running, upstream: Listener) -> None:
    client = running.connect()
    client.send(POST + POST.replace(b"hello", b"again"))
    provider = upstream.accept()
    assert provider.message().endswith(b"hello")
    assert not provider.has_heard(0.1)
    provider.send(OK)
    assert provider.message().endswith(b"again")
    provider.send(OK.replace(b"ok", b"ko"))
    assert client.message() == OK
    assert client.message().endswith(b"ko")


def test_a_client_that_sends_on_while_an_answer_is_pending_is_read_up_to_a_limit(
    running: Running, upstream: Listener
) -> None:
    client = running.connect()
    client.send(POST)
    provider = upstream.accept()
    provider.message()
    following = POST.replace(b"5\r", b"%d\r" % 200_000).replace(b"hello", b"x" * 200_000)
    client.send(following)
    provider.send(OK)
    assert provider.message().endswith(b"x" * 200_000)
    provider.send(OK)
    assert client.message() == OK
    assert client.message() == OK


@pytest.mark.parametrize("sent_ahead", [b"", b"x" * 400_000], ids=["being read", "paused"])
def test_a_client_that_goes_takes_the_upstream_along(running: Running, upstream: Listener, sent_ahead: bytes) -> None:
    client = running.connect()
    client.send(POST + sent_ahead)
    provider = upstream.accept()
    provider.message()
    client.close()
    assert provider.is_ended()
    (exchange,) = running.journalled()
    assert exchange.outcome is Outcome.CLIENT_CLOSED
    assert running.value("compaction_relay_client_closed_total", upstream="a") == 1
    until(lambda: running.value("compaction_relay_in_flight") == 0)


def test_a_client_that_half_closes_while_an_answer_is_pending_is_gone(running: Running, upstream: Listener) -> None:
    client = running.connect()
    client.send(POST)
    provider = upstream.accept()
    provider.message()
    client.done()
    assert provider.is_ended()
    assert running.journalled()[0].outcome is Outcome.CLIENT_CLOSED


def test_a_client_that_goes_inside_its_request_is_gone(running: Running, upstream: Listener) -> None:
    client = running.connect()
    client.send(POST[:-2])
    provider = upstream.accept()
    provider.take(20)
    client.close()
    assert provider.is_ended()
    (exchange,) = running.journalled()
    assert (exchange.outcome, exchange.request_complete, exchange.status) == (Outcome.CLIENT_CLOSED, False, None)


def test_an_idle_upstream_that_ends_ends_the_client_too(running: Running, upstream: Listener) -> None:
    client = running.connect()
    client.send(POST)
    provider = upstream.accept()
    answer(provider)
    client.message()
    provider.close()
    assert client.rest() == b""


def test_connection_close_is_said_on_both_sides_and_meant(running: Running, upstream: Listener) -> None:
    client = running.connect()
    client.send(POST.replace(b"Host", b"Connection: keep-alive, close\r\nHost"))
    provider = upstream.accept()
    assert b"\r\nConnection: close\r\nHost: " in answer(provider)
    assert client.until() == OK[:-6] + b"\r\nConnection: close\r\n\r\n"
    assert client.rest() == b"ok"
    assert provider.is_ended()


def test_an_answer_before_the_end_of_the_request_arrives_whole(running: Running, upstream: Listener) -> None:
    client = running.connect()
    client.send(POST.replace(b"5\r", b"9999\r"))
    provider = upstream.accept()
    provider.until()
    provider.send(OK.replace(b"200 OK", b"413 No"))
    assert client.rest() == OK.replace(b"200 OK", b"413 No")
    assert provider.is_ended()


def test_what_cannot_be_framed_is_refused_and_never_reaches_the_upstream(running: Running, upstream: Listener) -> None:
    client = running.connect()
    client.send(POST.replace(b"Host", b"Transfer-Encoding: chunked\r\nHost"))
    refused = client.rest()
    assert refused.startswith(b"HTTP/1.1 400 Bad Request\r\n")
    assert b"\r\nx-compaction-gate-error: bad_framing\r\n" in refused
    assert upstream.nobody_comes(0.05)
    assert running.value("compaction_relay_own_errors_total", kind="bad_framing") == 1


def test_a_body_that_breaks_its_framing_is_cut_off_on_both_sides(running: Running, upstream: Listener) -> None:
    client = running.connect()
    client.send(b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n")
    provider = upstream.accept()
    provider.until(b"abc\r\n")
    client.send(b"zz\r\n")
    assert client.rest().startswith(b"HTTP/1.1 400 ")
    assert provider.is_ended()
    assert running.journalled()[0].outcome is Outcome.REFUSED


def test_a_refusal_reaches_a_client_that_is_still_sending(tmp_path: Path, upstream: Listener) -> None:
    with relay(tmp_path, upstream.port, default_upstream="") as running:
        client = running.connect()
        client.send(POST.replace(b"5\r", b"%d\r" % (8 << 20)))
        for _ in range(8):
            client.send(bytes(1 << 20))
        assert client.rest().startswith(b"HTTP/1.1 404 Not Found\r\n")


def test_a_refused_head_request_gets_no_body(tmp_path: Path, upstream: Listener) -> None:
    with relay(tmp_path, upstream.port, default_upstream="") as running:
        client = running.connect()
        client.send(b"HEAD / HTTP/1.1\r\nHost: a\r\n\r\n")
        assert client.rest().endswith(b"\r\n\r\n")
