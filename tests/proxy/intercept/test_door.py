"""The door itself: real sockets on both sides, real TLS, what goes by and what is written down."""

from __future__ import annotations

import hashlib
import ssl
from base64 import b64encode
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mitmproxy", reason="the extra `intercept` is not installed")

from proxy.model.exchange import Outcome
from proxy.page.memory import PageReader
from proxy.relay.settings import Egress
from tests.support.intercept import door, free_port, inside, tunnel
from tests.support.relay import Listener, Peer, Running, until
from tests.support.relay_tls import ForwardProxy, TlsListener, server_context

NAME = "localhost"
ASK = (
    b"POST /v1/messages?key=canary-query HTTP/1.1\r\nHost: localhost\r\nX-Api-Key: canary-key\r\nX-ODD:  kept \r\n"
    b"x-compaction-session: nightly\r\nContent-Length: 5\r\n\r\nhello"
)
OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
TOKEN = "a-long-enough-token"


@pytest.fixture
def plain() -> Iterator[Listener]:
    listener = Listener()
    yield listener
    listener.close()


@pytest.fixture
def secure(tmp_path: Path) -> Iterator[TlsListener]:
    listener = TlsListener(server_context(tmp_path, NAME))
    yield listener
    listener.close()


@pytest.fixture
def forward(tmp_path: Path, secure: TlsListener) -> Iterator[Running]:
    """The door as an HTTPS proxy for `secure`."""
    with door(tmp_path, f"https://{NAME}:{secure.port}", ca_bundle=tmp_path / "ca.pem") as running:
        yield running


@pytest.fixture
def reverse(tmp_path: Path, plain: Listener) -> Iterator[Running]:
    """The door before `plain`."""
    with door(tmp_path, f"http://127.0.0.1:{plain.port}", reverse=True) as running:
        yield running


def basic(password: str) -> bytes:
    return b"Proxy-Authorization: Basic " + b64encode(f"run:{password}".encode())


def converse(client: Peer, listener: Listener) -> bytes:
    """One exchange; the request as the upstream saw it."""
    client.send(ASK)
    upstream = listener.accept()
    seen = upstream.message()
    upstream.send(OK)
    assert client.message() == OK
    return seen


def test_an_upstream_is_decrypted_passed_on_and_recorded_without_its_secrets(
    forward: Running, secure: TlsListener
) -> None:
    client = inside(forward, tunnel(forward, NAME, secure.port), NAME)
    seen = converse(client, secure)
    assert seen.startswith(b"POST /v1/messages?key=canary-query HTTP/1.1\r\nHost: localhost:%d\r\n" % secure.port)
    assert b"X-Api-Key: canary-key\r\nX-ODD: kept\r\nContent-Length: 5\r\n\r\nhello" in seen
    assert secure.protocols == ["http/1.1"]
    (exchange,) = forward.journalled()
    assert (exchange.door, exchange.upstream, exchange.outcome) == ("intercept", "a", Outcome.COMPLETE)
    assert (exchange.request_body, exchange.response_body, exchange.status) == (b"hello", b"ok", 200)
    assert exchange.target == "/v1/messages?key=[redacted]"
    assert exchange.header("x-compaction-session") == "nightly"
    assert b"canary" not in forward.written()


def test_other_hosts_are_tunnelled_and_speak_to_their_client_alone(forward: Running, tmp_path: Path) -> None:
    folder = tmp_path / "other"
    folder.mkdir()
    other = TlsListener(server_context(folder, NAME))
    peer = tunnel(forward, NAME, other.port)
    assert peer.until().startswith(b"HTTP/1.1 200 ")
    trusts_them_alone = ssl.create_default_context(cafile=str(folder / "ca.pem"))
    trusts_them_alone.set_alpn_protocols(["h2"])
    with ThreadPoolExecutor(1) as beside:
        handshake = beside.submit(trusts_them_alone.wrap_socket, peer._connection, server_hostname=NAME)
        theirs = other.accept()
        client = Peer(handshake.result())
    client.send(b"anything")
    assert theirs.take(8) == b"anything"
    assert other.protocols == ["h2"]
    client.close()
    other.close()
    assert forward.value("compaction_relay_requests_total", upstream="a") == 0


def test_pieces_pass_as_they_come_in_both_directions(reverse: Running, plain: Listener) -> None:
    client = reverse.connect()
    client.send(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 6\r\n\r\nabc")
    upstream = plain.accept()
    assert upstream.until().endswith(b"\r\n\r\n")
    assert upstream.take(3) == b"abc"
    client.send(b"def")
    assert upstream.take(3) == b"def"
    upstream.send(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n")
    client.until()
    assert client.until(b"one\r\n")
    upstream.send(b"3\r\ntwo\r\n")
    assert client.until(b"two\r\n")
    upstream.send(b"0\r\n\r\n")
    assert client.until(b"0\r\n\r\n")
    (exchange,) = reverse.journalled()
    assert (exchange.request_body, exchange.response_body) == (b"abcdef", b"onetwo")


def test_a_websocket_passes_and_is_recorded_as_raw_bytes(reverse: Running, plain: Listener) -> None:
    client = reverse.connect()
    client.send(b"GET /ws HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
    upstream = plain.accept()
    assert b"Connection: Upgrade\r\nUpgrade: websocket\r\n" in upstream.until()
    upstream.send(b"HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
    assert client.until().startswith(b"HTTP/1.1 101 ")
    client.send(b"\x81\x80masked")
    assert upstream.take(8) == b"\x81\x80masked"
    upstream.send(b"\xc1\x02hi")
    assert client.take(4) == b"\xc1\x02hi"
    upstream.close()
    assert client.is_ended()
    (exchange,) = reverse.journalled()
    assert (exchange.status, exchange.outcome) == (101, Outcome.COMPLETE)
    assert (exchange.request_body, exchange.response_body) == (b"\x81\x80masked", b"\xc1\x02hi")


def test_who_ended_an_exchange_is_told(reverse: Running, plain: Listener) -> None:
    client = reverse.connect()
    client.send(ASK)
    upstream = plain.accept()
    upstream.message()
    client.close()
    assert upstream.is_ended()
    second = reverse.connect()
    second.send(ASK)
    upstream = plain.accept()
    upstream.message()
    upstream.send(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\npart")
    second.until(b"part")
    upstream.close()
    assert second.is_ended()
    outcomes = [exchange.outcome for exchange in reverse.journalled(2)]
    assert outcomes == [Outcome.CLIENT_CLOSED, Outcome.UPSTREAM_CUT]
    assert reverse.value("compaction_relay_client_closed_total", upstream="a") == 1
    assert reverse.value("compaction_relay_upstream_cut_total", upstream="a") == 1


def test_an_upstream_that_cannot_be_reached_is_a_502_and_counted(tmp_path: Path) -> None:
    with door(tmp_path, f"http://127.0.0.1:{free_port()}", reverse=True) as running:
        client = running.connect()
        client.send(ASK)
        assert client.until().startswith(b"HTTP/1.1 502 ")
        assert running.journalled()[0].outcome is Outcome.REFUSED
        assert running.value("compaction_relay_own_errors_total", kind="upstream_unreachable") == 1


def test_a_certificate_of_an_unknown_authority_is_not_believed(tmp_path: Path, secure: TlsListener) -> None:
    with door(tmp_path, f"https://{NAME}:{secure.port}") as running:
        client = inside(running, tunnel(running, NAME, secure.port), NAME)
        client.send(ASK)
        secure.refuse()
        assert client.until().startswith(b"HTTP/1.1 502 ")
        assert running.value("compaction_relay_own_errors_total", kind="upstream_tls") == 1


def test_what_is_not_measured_is_absent_and_not_zero(reverse: Running) -> None:
    names = {sample.metric.name for sample in PageReader(reverse.folder / "relay.page").read()}
    assert "compaction_relay_requests_total" in names
    assert not names & {"compaction_relay_bytes_total", "compaction_relay_overhead_seconds"}
    with pytest.raises(KeyError):
        reverse.value("compaction_relay_own_errors_total", kind="bad_framing")


def test_a_token_is_the_proxys_password_and_a_run_tag_is_as_good(tmp_path: Path, secure: TlsListener) -> None:
    tags = tmp_path / "tags"
    digest = hashlib.sha256(b"tag-of-a-run").hexdigest()[:32]
    tags.write_text(f"{digest}\n")
    asked: dict[str, Any] = {"token_sha256": hashlib.sha256(TOKEN.encode()).hexdigest(), "run_tags": tags}
    with door(tmp_path, f"https://{NAME}:{secure.port}", ca_bundle=tmp_path / "ca.pem", **asked) as running:
        for lines in ((), (basic("wrong"),), (b"Proxy-Authorization: Bearer x",)):
            refused = tunnel(running, NAME, secure.port, *lines).until()
            assert refused.startswith(b"HTTP/1.1 407 ")
            assert b"Proxy-Authenticate: Basic" in refused
        assert running.value("compaction_relay_own_errors_total", kind="token") == 3
        for number, password in enumerate((TOKEN, "tag-of-a-run"), 1):
            client = inside(running, tunnel(running, NAME, secure.port, basic(password)), NAME)
            assert b"Proxy-Authorization" not in converse(client, secure)
            assert len(running.journalled(number)) == number
        assert [exchange.tag for exchange in running.journalled(2)] == ["", digest]
        assert b"tag-of-a-run" not in running.written()


def test_before_an_upstream_the_token_is_our_own_header_and_web_pages_are_refused(
    tmp_path: Path, plain: Listener
) -> None:
    with door(tmp_path, f"http://127.0.0.1:{plain.port}", reverse=True) as running:
        page = running.connect()
        page.send(b"GET / HTTP/1.1\r\nHost: x\r\nOrigin: http://evil.example\r\n\r\n")
        assert b"x-compaction-gate-error: origin\r\n" in page.until()
        bad = running.connect()
        bad.send(b"GET / HTTP/1.1\r\nHost: x\r\nConnection: x-api-key\r\nx-api-key: k\r\n\r\n")
        assert b"x-compaction-gate-error: bad_framing\r\n" in bad.until()
        assert plain.nobody_comes()


def test_nobody_is_led_back_to_the_door_itself(forward: Running) -> None:
    port = forward.listening.port
    client = forward.connect()
    client.send(b"GET / HTTP/1.1\r\nHost: localhost:%d\r\n\r\n" % port)
    assert client.until().startswith(b"HTTP/1.1 502 ")


def test_the_networks_own_proxy_is_asked_for_upstreams_with_its_credentials(
    tmp_path: Path, secure: TlsListener
) -> None:
    proxy = ForwardProxy(secure.port)
    egress = Egress.through(f"http://user:canary@127.0.0.1:{proxy.listener.port}")
    with door(tmp_path, f"https://{NAME}:{secure.port}", ca_bundle=tmp_path / "ca.pem", egress=egress) as running:
        client = inside(running, tunnel(running, NAME, secure.port), NAME)
        converse(client, secure)
        assert proxy.asked.startswith(b"CONNECT localhost:%d HTTP/1.1\r\n" % secure.port)
        assert b"Proxy-Authorization: Basic " in proxy.asked
        assert b"canary" not in running.written()
    proxy.close()


def test_the_networks_own_proxy_is_asked_for_tunnels_too(tmp_path: Path, plain: Listener) -> None:
    proxy = ForwardProxy(plain.port)
    egress = Egress.through(f"http://127.0.0.1:{proxy.listener.port}")
    with door(tmp_path, "https://provider.test", egress=egress) as running:
        client = tunnel(running, "other.test", 443)
        assert client.until().startswith(b"HTTP/1.1 200 ")
        client.send(b"anything")
        assert plain.accept().take(8) == b"anything"
        assert proxy.asked.startswith(b"CONNECT other.test:443 HTTP/1.1\r\n")
    proxy.close()


def test_what_no_proxy_names_is_reached_directly(tmp_path: Path, secure: TlsListener) -> None:
    egress = Egress.through(f"http://127.0.0.1:{free_port()}", NAME)
    with door(tmp_path, f"https://{NAME}:{secure.port}", ca_bundle=tmp_path / "ca.pem", egress=egress) as running:
        converse(inside(running, tunnel(running, NAME, secure.port), NAME), secure)


def test_a_drain_lets_what_is_under_way_end_and_ends_the_rest(tmp_path: Path, plain: Listener) -> None:
    with door(tmp_path, f"http://127.0.0.1:{plain.port}", reverse=True, drain_s=30) as running:
        idle, client = running.connect(), running.connect()
        client.send(ASK)
        upstream = plain.accept()
        upstream.message()
        running.stop()
        assert idle.is_ended()
        upstream.send(OK)
        assert client.message() == OK
        running.thread.join(10)
        assert not running.thread.is_alive()
        assert running.journalled()[0].outcome is Outcome.COMPLETE


def test_what_the_drain_cuts_is_recorded_as_cut_by_us(tmp_path: Path, plain: Listener) -> None:
    with door(tmp_path, f"http://127.0.0.1:{plain.port}", reverse=True, drain_s=0) as running:
        client = running.connect()
        client.send(ASK)
        plain.accept().message()
        running.stop()
        assert client.is_ended()
        until(lambda: not running.thread.is_alive())
        assert running.journalled()[0].outcome is Outcome.SHUTDOWN
