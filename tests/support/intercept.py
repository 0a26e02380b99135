"""An intercept door in a thread, beside which a test plays client and upstream itself."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from proxy.intercept.door import run_intercept
from proxy.intercept.settings import InterceptSettings
from proxy.relay.settings import RelaySettings, Upstream
from tests.support.relay import Peer, Running, live


@contextmanager
def door(folder: Path, url: str, *, reverse: bool = False, **changes: Any) -> Iterator[Running]:
    """A door that knows one upstream, `a`."""
    usual = RelaySettings(upstreams={"a": Upstream.from_url("a", url)}, default_upstream="a", drain_s=0.1)
    relay = replace(usual, **changes)
    settings = InterceptSettings(relay=relay, reverse="a" if reverse else "", authority=folder / "authority")
    with live(folder, relay.upstreams, partial(run_intercept, settings)) as running:
        yield running


def tunnel(running: Running, host: str, port: int, *lines: bytes) -> Peer:
    """A connection on which the door was asked for a tunnel."""
    peer = running.connect()
    peer.send(b"\r\n".join([b"CONNECT %s:%d HTTP/1.1" % (host.encode(), port), *lines, b"", b""]))
    return peer


def inside(running: Running, peer: Peer, name: str) -> Peer:
    """TLS in a tunnel, trusting the door's authority alone."""
    assert peer.until().startswith(b"HTTP/1.1 200 ")
    context = ssl.create_default_context(cafile=str(running.folder / "authority" / "ca.pem"))
    context.set_alpn_protocols(["h2", "http/1.1"])
    made = Peer(context.wrap_socket(peer._connection, server_hostname=name))
    running.peers.append(made)
    return made


def free_port() -> int:
    """A port nobody listens on."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port: int = probe.getsockname()[1]
        return port
