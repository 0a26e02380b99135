"""Profile `tls`: how our relay reaches an upstream that speaks TLS, directly or through the network's own proxy."""

from __future__ import annotations

import base64
import tempfile
from dataclasses import replace
from pathlib import Path

from tests.conformance.harness.bench import Bench
from tests.conformance.harness.findings import equal, short, true
from tests.conformance.harness.registry import Section
from tests.conformance.ours.errors import check_own_error
from tests.conformance.ours.relay import Spec, running
from tests.conformance.ours.tunnels import Authority, Tunnel, connect_proxy, make_authority, tls_end
from tests.conformance.probes.fidelity_codings import EVENTS
from tests.conformance.probes.streaming import OPEN_HEAD, in_turn

SECTION = Section("tls", is_ours=True)
probe = SECTION.probe

REFERENCE = "design §4 Connections"


def authority(bench: Bench, *names: str) -> Authority:
    """A CA and a server's certificate for these names."""
    return make_authority(Path(bench.enter(tempfile.TemporaryDirectory(prefix="conformance-tls-"))), *names)


def secure(bench: Bench, made: Authority, host: str = "localhost") -> tuple[Tunnel, Spec]:
    """A TLS end before the bench's upstream, and a relay's settings that lead there and trust the CA."""
    tunnel = bench.enter(tls_end(made.chain, bench.upstream.port))
    upstreams = {"secure": f"https://{host}:{tunnel.port}"}
    return tunnel, Spec(upstreams, default="secure", ca_bundle=str(made.bundle), connect_timeout_s=5.0)


def start(bench: Bench, spec: Spec) -> None:
    """Let the bench talk to a relay of that kind."""
    bench.target = bench.enter(running(spec)).target


@probe("tls.bundle", REFERENCE)
def _(bench: Bench) -> None:
    """An upstream whose CA is in the added bundle is reached, asked for http/1.1 by ALPN, and streams in order."""
    tunnel, spec = secure(bench, authority(bench, "localhost"))
    start(bench, spec)
    stream = bench.open_stream()
    in_turn(stream, EVENTS)
    equal("ALPN", tunnel.notes.protocols, ["http/1.1"])
    equal("SNI", tunnel.notes.server_names, ["localhost"])


@probe("tls.server-name", REFERENCE)
def _(bench: Bench) -> None:
    """SNI and the certificate's name come from the settings, whatever the client's Host says."""
    tunnel, spec = secure(bench, authority(bench, "provider.test"), host="127.0.0.1")
    start(bench, replace(spec, server_names={"secure": "provider.test"}))
    bench.exchange()
    equal("SNI", tunnel.notes.server_names, ["provider.test"])


@probe("tls.unknown-ca", REFERENCE)
def _(bench: Bench) -> None:
    """A certificate of an unknown CA: 502, and not a byte of the request leaves."""
    _, spec = secure(bench, authority(bench, "localhost"))
    start(bench, replace(spec, ca_bundle=""))
    check_own_error(bench.refused(bench.request().raw), {502})


@probe("tls.wrong-name", REFERENCE)
def _(bench: Bench) -> None:
    """A certificate for another name: 502, and not a byte of the request leaves."""
    _, spec = secure(bench, authority(bench, "other.test"))
    start(bench, spec)
    check_own_error(bench.refused(bench.request().raw), {502})


@probe("tls.not-tls", REFERENCE)
def _(bench: Bench) -> None:
    """An upstream that does not speak TLS where it should: 502 or 504, and no request in the clear."""
    start(bench, Spec({"secure": f"https://localhost:{bench.upstream.port}"}, default="secure", connect_timeout_s=1.0))
    client = bench.connect()
    client.send(bench.request().raw)
    upstream = bench.next_request()
    hello = upstream.arrived()
    true(f"the upstream saw {short(hello)}", b"/v1/messages" not in hello and b"Bearer" not in hello)
    upstream.send(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
    head = client.read_head("an error of ours")
    true(f"status {head.status}", head.status in {502, 504})


@probe("tls.cut", "F13, design §4 Connections")
def _(bench: Bench) -> None:
    """A chunked body cut inside TLS is seen as cut."""
    _, spec = secure(bench, authority(bench, "localhost"))
    start(bench, spec)
    stream = bench.open_stream()
    in_turn(stream, EVENTS[:1])
    stream.upstream.abort()
    true("no last chunk is invented", not stream.client.read_to_end().data.endswith(b"0\r\n\r\n"))


@probe("tls.truncated", "F13, design §4 Connections")
def _(bench: Bench) -> None:
    """A close-delimited body whose TLS ends without close_notify may be cut, and is seen as cut."""
    _, spec = secure(bench, authority(bench, "localhost"))
    start(bench, spec)
    stream = bench.open_stream(OPEN_HEAD)
    in_turn(stream, EVENTS[:1], is_chunked=False)
    stream.upstream.close()
    true("the end is a reset, as the end of TLS was none", stream.client.expect_end().was_reset)


@probe("tls.ended", REFERENCE)
def _(bench: Bench) -> None:
    """A close-delimited body whose TLS ends by close_notify ends cleanly."""
    made = authority(bench, "localhost")
    tunnel = bench.enter(tls_end(made.chain, bench.upstream.port, says_goodbye=True))
    upstreams = {"secure": f"https://localhost:{tunnel.port}"}
    start(bench, Spec(upstreams, default="secure", ca_bundle=str(made.bundle), connect_timeout_s=5.0))
    stream = bench.open_stream(OPEN_HEAD)
    in_turn(stream, EVENTS, is_chunked=False)
    stream.upstream.close()
    true("the end is orderly", not stream.client.expect_end().was_reset)


@probe("tls.client-gone", "F42")
def _(bench: Bench) -> None:
    """A client that goes takes its TLS upstream connection along."""
    _, spec = secure(bench, authority(bench, "localhost"))
    start(bench, spec)
    stream = bench.open_stream()
    stream.client.close()
    stream.upstream.expect_end()


@probe("egress.connect", REFERENCE)
def _(bench: Bench) -> None:
    """HTTPS_PROXY: the upstream is reached by CONNECT with the proxy's credentials, TLS goes through to the end."""
    tunnel, spec = secure(bench, authority(bench, "localhost"))
    proxy = bench.enter(connect_proxy())
    start(bench, replace(spec, egress=f"http://user:pass%20word@127.0.0.1:{proxy.port}"))
    in_turn(bench.open_stream(), EVENTS)
    words = proxy.notes.heads[0].split(b"\r\n")
    equal("request line", words[0], b"CONNECT localhost:%d HTTP/1.1" % tunnel.port)
    line = b"basic " + base64.b64encode(b"user:pass word").lower()
    true(f"credentials in {words}", any(word.lower().endswith(line) for word in words))
    equal("ALPN", tunnel.notes.protocols, ["http/1.1"])


@probe("egress.exception", REFERENCE)
def _(bench: Bench) -> None:
    """NO_PROXY: an upstream named there is reached directly."""
    _, spec = secure(bench, authority(bench, "localhost"))
    proxy = bench.enter(connect_proxy())
    start(bench, replace(spec, egress=f"http://127.0.0.1:{proxy.port}", egress_exceptions="example.org,localhost"))
    bench.exchange()
    equal("requests at the proxy", proxy.notes.heads, [])


@probe("egress.refused", "F106, design §4 Own errors")
def _(bench: Bench) -> None:
    """A proxy that answers 407: 502 without the proxy's credentials in it."""
    _, spec = secure(bench, authority(bench, "localhost"))
    proxy = bench.enter(connect_proxy(refuses=True))
    start(bench, replace(spec, egress=f"http://user:canary@127.0.0.1:{proxy.port}"))
    answer = bench.refused(bench.request().raw)
    check_own_error(answer, {502})
    true("no credentials in the answer", b"canary" not in answer.head.raw + answer.body)


@probe("egress.unreachable", "design §4 Own errors")
def _(bench: Bench) -> None:
    """A proxy that is not there: 502, and no way around it."""
    _, spec = secure(bench, authority(bench, "localhost"))
    start(bench, replace(spec, egress="http://127.0.0.1:1"))
    check_own_error(bench.refused(bench.request().raw), {502})
