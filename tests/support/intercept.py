"""An intercept door in a thread, beside which a test plays client and upstream itself."""

from __future__ import annotations

import asyncio
import socket
import ssl
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from queue import Queue
from typing import Any

import uvloop

from proxy.intercept.door import run_intercept
from proxy.intercept.settings import InterceptSettings
from proxy.journal.writer import JournalWriter
from proxy.page.memory import Page
from proxy.relay.counters import vocabulary
from proxy.relay.server import Listening
from proxy.relay.settings import RelaySettings, Upstream
from tests.support.relay import LIMITS, PATIENCE_S, Peer, Running


@contextmanager
def door(folder: Path, url: str, *, reverse: bool = False, **changes: Any) -> Iterator[Running]:
    """A door that knows one upstream, `a`."""
    usual = RelaySettings(upstreams={"a": Upstream.from_url("a", url)}, default_upstream="a", drain_s=0.1)
    relay = replace(usual, **changes)
    settings = InterceptSettings(relay=relay, reverse="a" if reverse else "", authority=folder / "authority")
    journal = JournalWriter(folder / "journal", settings=LIMITS, clock=time)
    page = Page(folder / "relay.page", vocabulary(relay.upstreams))
    began: Queue[tuple[asyncio.AbstractEventLoop, asyncio.Event, Listening]] = Queue()

    async def main() -> None:
        loop, stop = asyncio.get_running_loop(), asyncio.Event()
        await run_intercept(settings, journal, page, ready=lambda it: began.put((loop, stop, it)), stop=stop)

    thread = threading.Thread(target=uvloop.run, args=(main(),), daemon=True)
    thread.start()
    loop, stop, listening = began.get(timeout=PATIENCE_S)

    def end() -> None:
        if thread.is_alive():
            loop.call_soon_threadsafe(stop.set)

    running = Running(listening, folder, end, thread)
    try:
        yield running
    finally:
        for peer in running.peers:
            peer.close()
        end()
        thread.join(PATIENCE_S)
        journal.close()
        page.close()


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
