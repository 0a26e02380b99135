"""The upstream's side of the relay, over real sockets."""

from __future__ import annotations

import pytest

from proxy.model.exchange import Outcome
from tests.support.relay import Listener, Peer, Running

POST = b"POST /v1/messages HTTP/1.1\r\nHost: relay\r\nContent-Length: 5\r\n\r\nhello"
CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
UPGRADE = (
    b"GET /live HTTP/1.1\r\nHost: relay\r\nConnection: keep-alive, Upgrade\r\nUpgrade: websocket\r\n"
    b"Sec-WebSocket-Key: x\r\nSec-WebSocket-Protocol: key.canary-ws\r\n\r\n"
)
SWITCH = b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n"


def ask(running: Running, upstream: Listener, request: bytes = POST) -> tuple[Peer, Peer]:
    """A client whose request has arrived, and the upstream it arrived at."""
    client = running.connect()
    client.send(request)
    provider = upstream.accept()
    provider.message()
    return client, provider


def test_each_piece_is_written_on_as_it_arrives(running: Running, upstream: Listener) -> None:
    client, provider = ask(running, upstream)
    provider.send(CHUNKED)
    assert client.until() == CHUNKED
    for event in (b"event: ping\n\n", b"event: x\ndata: \xe2", b"\x82\xac\n\n"):
        piece = b"%x\r\n%s\r\n" % (len(event), event)
        provider.send(piece)
        assert client.take(len(piece)) == piece
    provider.send(b"5\r\nhal")
    assert client.take(6) == b"5\r\nhal"
    provider.send(b"ve\r\n0\r\n\r\n")
    assert client.take(9) == b"ve\r\n0\r\n\r\n"
    (exchange,) = running.journalled()
    assert exchange.response_body.endswith(b"\x82\xac\n\nhalve")
    assert exchange.outcome is Outcome.COMPLETE


def test_who_holds_the_last_byte_finds_the_whole_exchange_in_the_journal(running: Running, upstream: Listener) -> None:
    client, provider = ask(running, upstream)
    for number in range(20):
        if number:
            client.send(POST)
            provider.message()
        provider.send(CHUNKED + b"2\r\nok\r\n0\r\n\r\n")
        client.until(b"0\r\n\r\n")
        assert len(running.journalled(number + 1)) == number + 1


def test_interim_answers_are_passed_on_at_once(running: Running, upstream: Listener) -> None:
    client = running.connect()
    client.send(POST[:-5].replace(b"Host", b"Expect: 100-continue\r\nHost"))
    provider = upstream.accept()
    assert b"Expect: 100-continue\r\n" in provider.until()
    provider.send(b"HTTP/1.1 100 Continue\r\n\r\n")
    assert client.until() == b"HTTP/1.1 100 Continue\r\n\r\n"
    client.send(b"hello")
    assert provider.take(5) == b"hello"
    provider.send(b"HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" + CHUNKED + b"0\r\n\r\n")
    assert client.until() == b"HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n"
    assert client.until() == CHUNKED
    assert running.journalled()[0].status == 200


def test_a_body_until_close_ends_with_the_connection(running: Running, upstream: Listener) -> None:
    client, provider = ask(running, upstream)
    provider.send(b"HTTP/1.1 200 OK\r\n\r\nall of")
    assert client.until() == b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n"
    provider.send(b" it")
    provider.close()
    assert client.rest() == b"all of it"
    assert running.journalled()[0].outcome is Outcome.COMPLETE


def test_a_reset_inside_a_body_until_close_is_a_reset_for_the_client(running: Running, upstream: Listener) -> None:
    client, provider = ask(running, upstream)
    provider.send(b"HTTP/1.1 200 OK\r\n\r\nhalf")
    client.until(b"half")
    provider.reset()
    with pytest.raises(ConnectionResetError):
        client.rest()
    assert running.journalled()[0].outcome is Outcome.UPSTREAM_CUT


@pytest.mark.parametrize("body", [b"Transfer-Encoding: chunked\r\n\r\n9\r\nhalf", b"Content-Length: 9\r\n\r\nhalf"])
def test_a_cut_inside_a_framed_body_leaves_it_unfinished(running: Running, upstream: Listener, body: bytes) -> None:
    client, provider = ask(running, upstream)
    provider.send(b"HTTP/1.1 200 OK\r\n" + body)
    provider.close()
    assert client.rest() == b"HTTP/1.1 200 OK\r\n" + body
    (exchange,) = running.journalled()
    assert (exchange.outcome, exchange.response_complete, exchange.status) == (Outcome.UPSTREAM_CUT, False, 200)
    assert exchange.response_body == b"half"


@pytest.mark.parametrize("sent", [b"", b"HTTP/1.1 200 O"])
def test_an_upstream_that_goes_unanswered_is_told_as_502(running: Running, upstream: Listener, sent: bytes) -> None:
    client, provider = ask(running, upstream)
    provider.send(sent)
    provider.close()
    answer = client.rest()
    assert answer.startswith(b"HTTP/1.1 502 Bad Gateway\r\n")
    assert b"\r\nx-compaction-gate-error: upstream_closed\r\n" in answer
    (exchange,) = running.journalled()
    assert (exchange.outcome, exchange.status) == (Outcome.UPSTREAM_CUT, None)
    assert upstream.nobody_comes(0.05)


@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\n",
        b"HTTP/2 200\r\n\r\n",
        b"SSH-2.0-x\r\n",
        SWITCH,
    ],
)
def test_an_answer_that_cannot_be_framed_is_told_as_502(running: Running, upstream: Listener, answer: bytes) -> None:
    client, provider = ask(running, upstream)
    provider.send(answer)
    told = client.rest()
    assert told.startswith(b"HTTP/1.1 502 Bad Gateway\r\n")
    assert b"\r\nx-compaction-gate-error: upstream_framing\r\n" in told
    assert provider.is_ended()


def test_a_body_that_breaks_its_framing_is_cut_where_it_broke(running: Running, upstream: Listener) -> None:
    client, provider = ask(running, upstream)
    provider.send(CHUNKED + b"2\r\nok\r\n")
    client.until(b"ok\r\n")
    provider.send(b"zz\r\n")
    assert client.rest() == b""
    assert running.journalled()[0].outcome is Outcome.UPSTREAM_CUT


def test_what_nobody_asked_for_ends_both_connections(running: Running, upstream: Listener) -> None:
    client, provider = ask(running, upstream)
    provider.send(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 200 OK\r\n\r\n")
    assert client.rest() == b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
    assert provider.is_ended()


def test_the_answer_to_head_and_a_304_have_no_body_whatever_they_say(running: Running, upstream: Listener) -> None:
    client, provider = ask(running, upstream, b"HEAD / HTTP/1.1\r\nHost: a\r\n\r\n")
    provider.send(b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n")
    assert client.until() == b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n"
    client.send(POST)
    provider.message()
    provider.send(b"HTTP/1.1 304 Not Modified\r\nTransfer-Encoding: chunked\r\n\r\n")
    assert client.until().startswith(b"HTTP/1.1 304 ")
    assert len(running.journalled(2)) == 2


def test_frames_pass_both_ways_unread_behind_an_accepted_upgrade(running: Running, upstream: Listener) -> None:
    client = running.connect()
    client.send(UPGRADE + b"early")
    provider = upstream.accept()
    assert provider.until() == UPGRADE.replace(b"Host: relay", b"Host: 127.0.0.1:%d" % upstream.port)
    assert not provider.has_heard(0.1)
    provider.send(SWITCH + b"\x81\x05first")
    assert client.until() == SWITCH
    assert client.take(7) == b"\x81\x05first"
    assert provider.take(5) == b"early"
    client.send(b"GET / HTTP/1.1\r\n\r\n")
    assert provider.take(18) == b"GET / HTTP/1.1\r\n\r\n"
    provider.send(b"\x88\x02\x03\xe8")
    provider.close()
    assert client.rest() == b"\x88\x02\x03\xe8"
    (exchange,) = running.journalled()
    assert (exchange.status, exchange.outcome) == (101, Outcome.COMPLETE)
    assert exchange.request_body == b"earlyGET / HTTP/1.1\r\n\r\n"
    assert exchange.response_body == b"\x81\x05first\x88\x02\x03\xe8"
    assert b"canary-ws" not in running.written()


def test_a_declined_upgrade_is_an_answer_like_any_other(running: Running, upstream: Listener) -> None:
    client = running.connect()
    client.send(UPGRADE)
    provider = upstream.accept()
    provider.until()
    declined = b"HTTP/1.1 426 Upgrade Required\r\nContent-Length: 0\r\n\r\n"
    provider.send(declined)
    assert client.until() == declined
    client.send(POST)
    assert provider.message().endswith(b"hello")


def test_an_upgrade_to_something_else_is_not_passed_on(running: Running, upstream: Listener) -> None:
    client = running.connect()
    client.send(
        POST.replace(b"Host", b"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: x\r\nHost")
    )
    provider = upstream.accept()
    assert provider.message() == POST.replace(b"Host: relay", b"Host: 127.0.0.1:%d" % upstream.port)


def test_lines_of_an_answer_keep_order_case_and_repeats_except_those_for_one_hop(
    running: Running, upstream: Listener
) -> None:
    client, provider = ask(running, upstream)
    provider.send(
        b"HTTP/1.1 429 Too Many Requests\r\nretry-after: 7\r\nSet-Cookie: a=1\r\nKeep-Alive: timeout=5\r\nX: 1\r\n"
        b"Set-Cookie: b=2\r\nConnection: keep-alive, X\r\nProxy-Authenticate: Basic\r\nContent-Length: 0\r\n\r\n"
    )
    assert client.until() == (
        b"HTTP/1.1 429 Too Many Requests\r\nretry-after: 7\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\n"
        b"Content-Length: 0\r\n\r\n"
    )
    assert running.value("compaction_relay_responses_total", **{"upstream": "a", "class": "4xx"}) == 1
