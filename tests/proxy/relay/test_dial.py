"""Ways to an upstream: TLS verified against an added CA, a forward proxy, and what is told when there is none."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from proxy.model.exchange import Outcome
from proxy.relay.settings import Egress, Upstream
from tests.support.relay import Listener, relay
from tests.support.relay_tls import ForwardProxy, TlsListener, server_context

POST = b"POST /v1/messages HTTP/1.1\r\nHost: relay\r\nContent-Length: 5\r\n\r\nhello"
OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
NAME = "provider.test"


@pytest.fixture
def secure(tmp_path: Path) -> Iterator[TlsListener]:
    listener = TlsListener(server_context(tmp_path, NAME))
    yield listener
    listener.close()


def upstreams(listener: Listener, server_name: str = NAME) -> dict[str, Upstream]:
    return {"a": Upstream.from_url("a", f"https://127.0.0.1:{listener.port}", server_name=server_name)}


def test_a_tls_upstream_is_verified_by_the_name_of_the_settings_and_asked_for_http_1_1(
    tmp_path: Path, secure: TlsListener
) -> None:
    with relay(tmp_path, 1, upstreams=upstreams(secure), ca_bundle=tmp_path / "ca.pem") as running:
        client = running.connect()
        client.send(POST)
        provider = secure.accept()
        assert provider.message().endswith(b"hello")
        provider.send(OK)
        assert client.message() == OK
        assert (secure.asked_for, secure.protocols) == ([NAME], ["http/1.1"])


@pytest.mark.parametrize("trusted", [False, True], ids=["unknown CA", "wrong name"])
def test_an_upstream_that_does_not_prove_its_name_gets_nothing(
    tmp_path: Path, secure: TlsListener, trusted: bool
) -> None:
    bundle = tmp_path / "ca.pem" if trusted else None
    with relay(tmp_path, 1, upstreams=upstreams(secure, "other.test"), ca_bundle=bundle) as running:
        client = running.connect()
        client.send(POST)
        secure.refuse()
        told = client.rest()
        assert told.startswith(b"HTTP/1.1 502 ")
        assert b"x-compaction-gate-error: upstream_tls\r\n" in told
        assert running.journalled()[0].outcome is Outcome.REFUSED


def test_a_body_until_close_that_tls_does_not_end_properly_is_a_cut(tmp_path: Path, secure: TlsListener) -> None:
    with relay(tmp_path, 1, upstreams=upstreams(secure), ca_bundle=tmp_path / "ca.pem") as running:
        client = running.connect()
        client.send(POST)
        provider = secure.accept()
        provider.message()
        provider.send(b"HTTP/1.1 200 OK\r\n\r\nhalf")
        client.until(b"half")
        provider.close()  # a FIN without close_notify
        with pytest.raises(ConnectionResetError):
            client.rest()
        assert running.journalled()[0].outcome is Outcome.UPSTREAM_CUT


def test_a_tls_upstream_is_reached_through_the_forward_proxy(tmp_path: Path, secure: TlsListener) -> None:
    proxy = ForwardProxy(secure.port)
    egress = Egress.through(f"http://me:canary@127.0.0.1:{proxy.listener.port}")
    changes = {"upstreams": upstreams(secure), "ca_bundle": tmp_path / "ca.pem", "egress": egress}
    with relay(tmp_path, 1, **changes) as running:
        client = running.connect()
        client.send(POST)
        provider = secure.accept()
        provider.message()
        provider.send(OK)
        assert client.message() == OK
        assert proxy.asked == (
            b"CONNECT 127.0.0.1:%d HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nProxy-Authorization: Basic bWU6Y2FuYXJ5\r\n\r\n"
            % (secure.port, secure.port)
        )
        assert b"bWU6Y2FuYXJ5" not in running.written()
    proxy.close()


@pytest.mark.parametrize(
    "answer",
    [b"HTTP/1.1 407 Proxy Authentication Required\r\n\r\n", b"HTTP/1.1 200 OK\r\n\r\nsurprise", b"nonsense\r\n\r\n"],
)
def test_a_forward_proxy_that_gives_no_way_is_told_as_502(tmp_path: Path, secure: TlsListener, answer: bytes) -> None:
    proxy = ForwardProxy(1, answer if b"200" not in answer else answer.replace(b" 200 ", b" 299 "))
    egress = Egress.through(f"http://me:canary@127.0.0.1:{proxy.listener.port}")
    with relay(tmp_path, 1, upstreams=upstreams(secure), egress=egress) as running:
        client = running.connect()
        client.send(POST)
        told = client.rest()
        assert b"x-compaction-gate-error: egress_proxy\r\n" in told
        assert b"canary" not in told
    proxy.close()


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port: int = taken.getsockname()[1]
    return port


def test_an_upstream_that_is_not_there_is_told_as_502(tmp_path: Path) -> None:
    with relay(tmp_path, free_port()) as running:
        client = running.connect()
        client.send(POST)
        told = client.rest()
        assert told.startswith(b"HTTP/1.1 502 Bad Gateway\r\n")
        assert b"x-compaction-gate-error: upstream_unreachable\r\n" in told
        assert b"Connection refused" in told
        (exchange,) = running.journalled()
        assert (exchange.outcome, exchange.upstream) == (Outcome.REFUSED, "a")


def test_a_name_that_cannot_be_looked_up_is_told_as_502(tmp_path: Path) -> None:
    with relay(tmp_path, f"http://{'a' * 64}.test:1") as running:
        client = running.connect()
        client.send(POST)
        assert b"x-compaction-gate-error: upstream_unreachable\r\n" in client.rest()


def test_an_upstream_that_does_not_connect_in_time_is_told_as_504(tmp_path: Path, upstream: Listener) -> None:
    silent = {"a": Upstream.from_url("a", f"https://127.0.0.1:{upstream.port}")}
    with relay(tmp_path, 1, upstreams=silent, connect_timeout_s=0.2) as running:
        client = running.connect()
        client.send(POST)
        told = client.rest()
        assert told.startswith(b"HTTP/1.1 504 Gateway Timeout\r\n")
        assert b"x-compaction-gate-error: connect_timeout\r\n" in told


def test_a_client_that_goes_while_connecting_ends_the_attempt(tmp_path: Path, upstream: Listener) -> None:
    silent = {"a": Upstream.from_url("a", f"https://127.0.0.1:{upstream.port}")}
    with relay(tmp_path, 1, upstreams=silent, connect_timeout_s=60) as running:
        client = running.connect()
        client.send(POST)
        waiting = upstream.accept()
        client.close()
        assert waiting.is_ended()
        assert running.journalled()[0].outcome is Outcome.CLIENT_CLOSED
