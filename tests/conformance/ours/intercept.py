"""Our intercept door as a child process, pointed at the suite's upstream: the same probes, through mitmproxy.

Two ways to it: before a plain upstream (reverse mode), and as the proxy that a client asks for a tunnel to a TLS
upstream. There a plain connection of the suite is put into the tunnel and taken out of it by what stands here.
"""

from __future__ import annotations

import signal
import socket
import ssl
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

from config.load import load
from proxy.wiring.settings import relay_spec
from proxy.wiring.spec import RelaySpec
from tests.conformance.harness.messages import HEAD_END
from tests.conformance.harness.target import CannotStartError, Target, stop
from tests.conformance.ours.relay import read_port
from tests.conformance.ours.tunnels import PIECE, listening, make_authority, splice, tls_end
from tests.conformance.ours.unsupported import NOT_ASKED_IN_TUNNEL, UNSUPPORTED

HOST = "localhost"
"""Name of the TLS upstream."""


class OwnDoor(NamedTuple):
    """A running door."""

    port: int
    folder: Path
    """Its data folder: journal, page, authority."""
    process: subprocess.Popen[bytes]


def plain(upstream_port: int) -> RelaySpec:
    """In reverse mode before one plain upstream."""
    return replace(_spec({"anthropic": f"http://127.0.0.1:{upstream_port}"}), intercept="reverse:anthropic")


def _spec(upstreams: Mapping[str, str]) -> RelaySpec:
    spec = relay_spec(load(environment={}).settings)
    upstream = dict(upstreams)
    return replace(
        spec, upstreams=upstream, port=0, drain_s=0.5, egress_proxy="none", free_floor_bytes=0, intercept="regular"
    )


@contextmanager
def running(spec: RelaySpec) -> Iterator[OwnDoor]:
    """A door for as long as the block runs. Raises CannotStartError."""
    with tempfile.TemporaryDirectory(prefix="conformance-intercept-") as name:
        folder = Path(name)
        (folder / "spec.json").write_text(replace(spec, data=name).encode())
        with (folder / "said.txt").open("wb") as said:
            process = subprocess.Popen(
                [sys.executable, "-m", "tests.conformance.ours.serve_intercept", str(folder / "spec.json")],
                stdout=subprocess.PIPE,
                stderr=said,
            )
        try:
            port = read_port(process)
            if port is None:
                raise CannotStartError(f"the intercept door did not start:\n{(folder / 'said.txt').read_text()}")
            yield OwnDoor(port, folder, process)
        finally:
            stop(process)


@contextmanager
def reverse(upstream_port: int) -> Iterator[Target]:
    """The door before the suite's upstream."""
    with running(plain(upstream_port)) as door:
        yield Target(_name("reverse"), "127.0.0.1", door.port, unsupported=UNSUPPORTED)


@contextmanager
def tunnelled(upstream_port: int) -> Iterator[Target]:
    """The door as a proxy: every connection of the suite is a CONNECT and TLS with our certificate, on to TLS.

    What puts them there is a process of its own: 200 streams need 1,000 descriptors.
    """
    command = [sys.executable, "-m", "tests.conformance.ours.intercept", str(upstream_port)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE)
    try:
        assert process.stdout is not None
        line = process.stdout.readline().split()
        if not line:
            raise CannotStartError("the intercept door did not start: its reason stands above")
        port, tls_port = map(int, line)
        yield Target(
            _name("HTTPS_PROXY"),
            "127.0.0.1",
            port,
            unsupported=UNSUPPORTED,
            not_asked=NOT_ASKED_IN_TUNNEL,
            name_in_tunnel=b"%s:%d" % (HOST.encode(), tls_port),
        )
    finally:
        stop(process)
        if process.stdout is not None:
            process.stdout.close()


def serve_tunnels(upstream_port: int) -> None:
    """Door, TLS upstream and what leads into the tunnel, until SIGTERM; their ports on the first line of stdout."""
    with tempfile.TemporaryDirectory(prefix="conformance-tls-") as name:
        made = make_authority(Path(name), HOST)
        with tls_end(made.chain, upstream_port) as upstream:
            spec = replace(_spec({"anthropic": f"https://{HOST}:{upstream.port}"}), ca_bundle=str(made.bundle))
            with running(spec) as door, into_tunnel(door, upstream.port) as port:
                print(port, upstream.port, flush=True)
                signal.pause()


@contextmanager
def into_tunnel(door: OwnDoor, upstream_port: int) -> Iterator[int]:
    """A port whose connections are put into a tunnel to the TLS upstream, as a client would that is told a proxy."""
    context = ssl.create_default_context(cafile=str(door.folder / "intercept" / "ca.pem"))
    context.set_alpn_protocols(["h2", "http/1.1"])
    context.maximum_version = ssl.TLSVersion.TLSv1_2  # 1.3 sends tickets later: `splice` would wait behind them

    def serve(outer: socket.socket) -> None:
        with socket.create_connection(("127.0.0.1", door.port)) as raw:
            raw.sendall(b"CONNECT %s:%d HTTP/1.1\r\n\r\n" % (HOST.encode(), upstream_port))
            answer = b""
            while not answer.endswith(HEAD_END) and (piece := raw.recv(PIECE)):
                answer += piece
            with context.wrap_socket(raw, server_hostname=HOST) as inner:
                splice(outer, inner)

    with listening(serve) as port:
        yield port


def _name(way: str) -> str:
    return f"compaction-gate intercept ({way}, mitmproxy {version('mitmproxy')})"


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))  # the door is stopped on the way out
    serve_tunnels(int(sys.argv[1]))
