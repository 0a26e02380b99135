"""What one exchange leaves in the journal and on the page."""

from __future__ import annotations

from collections.abc import Callable

from tests.support.relay import Listener, Peer, Running, until

POST = b"POST /v1/messages HTTP/1.1\r\nHost: relay\r\nContent-Length: 5\r\n\r\nhello"
OK = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nok"


def test_an_exchange_is_recorded_as_received_and_decoded(running: Running, upstream: Listener) -> None:
    client = running.connect()
    client.send(POST.replace(b"/v1", b"/a/v1").replace(b"Host: relay", b"hOst: relay\r\nConnection: keep-alive"))
    provider = upstream.accept()
    provider.message()
    provider.send(OK)
    client.message()
    (exchange,) = running.journalled()
    assert (exchange.method, exchange.target, exchange.upstream, exchange.door) == (
        "POST",
        "/v1/messages",
        "a",
        "base_url",
    )
    assert exchange.request_headers == (("hOst", "relay"), ("Connection", "keep-alive"), ("Content-Length", "5"))
    assert exchange.response_headers == (("Content-Type", "text/plain"), ("Content-Length", "2"))
    assert (exchange.request_body, exchange.response_body) == (b"hello", b"ok")
    assert (exchange.request_complete, exchange.response_complete, exchange.status) == (True, True, 200)
    assert exchange.first_byte_us is not None
    assert exchange.duration_us is not None
    assert 0 < exchange.first_byte_us <= exchange.duration_us


def test_bytes_are_counted_as_received(running: Running, upstream: Listener) -> None:
    client = running.connect()
    for _ in range(2):
        client.send(POST)
    provider = upstream.accept()
    for _ in range(2):
        provider.message()
        provider.send(OK)
        client.message()
    until(lambda: running.value("compaction_relay_in_flight") == 0)
    assert running.value("compaction_relay_bytes_total", direction="request") == 2 * len(POST)
    assert running.value("compaction_relay_bytes_total", direction="response") == 2 * len(OK)
    assert running.value("compaction_relay_connections") == 1


def cut_by_upstream(client: Peer, provider: Peer) -> None:
    provider.send(OK[:-1])
    client.until()
    provider.close()


def left_by_client(client: Peer, provider: Peer) -> None:
    provider.send(OK[:-1])
    client.until()
    client.close()


def test_the_in_flight_gauge_is_0_after_every_kind_of_end(running: Running, upstream: Listener) -> None:
    ends: tuple[Callable[[Peer, Peer], None], ...] = (
        lambda client, provider: provider.send(OK),
        lambda client, provider: client.close(),
        lambda client, provider: client.reset(),
        lambda client, provider: provider.close(),
        lambda client, provider: provider.reset(),
        lambda client, provider: provider.send(b"nonsense"),
        cut_by_upstream,
        left_by_client,
    )
    for end in ends:
        client = running.connect()
        client.send(POST)
        provider = upstream.accept()
        provider.message()
        until(lambda: running.value("compaction_relay_in_flight") == 1)
        end(client, provider)
        until(lambda: running.value("compaction_relay_in_flight") == 0)
    assert len(running.journalled(len(ends))) == len(ends)


def test_strangers_without_a_head_leave_no_exchange(running: Running) -> None:
    client = running.connect()
    client.send(b"nonsense\r\n\r\n")
    assert client.rest().startswith(b"HTTP/1.1 400 ")
    assert running.value("compaction_relay_in_flight") == 0
    assert running.value("compaction_relay_requests_total", upstream="a") == 0
