"""Back-pressure both ways, and that nobody is left waiting after it."""

from __future__ import annotations

import asyncio
import os
import time
from pathlib import Path
from typing import cast

import uvloop

from proxy.journal.writer import JournalWriter
from proxy.page.memory import Page
from proxy.relay.addressing import Router, RunTags
from proxy.relay.client import Client
from proxy.relay.counters import RelayCounters, vocabulary
from proxy.relay.dial import Dialler
from proxy.relay.settings import Upstream
from proxy.relay.switchboard import Switchboard
from proxy.relay.upstream import Link
from tests.support.relay import LIMITS, Listener, Peer, Running

POST = b"POST /v1/messages HTTP/1.1\r\nHost: relay\r\nContent-Length: 5\r\n\r\nhello"
OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"


def test_back_pressure_reaches_an_uploading_client_and_memory_stays_bounded(
    running: Running, upstream: Listener
) -> None:
    size = 40 << 20
    client = running.connect()
    client.send(POST.replace(b"5\r", b"%d\r" % size)[:-5])
    provider = upstream.accept()
    provider.until()
    before = resident_bytes()
    sent = send_what_fits(client, size)
    assert sent < size
    assert resident_bytes() - before < 8 << 20
    received = sum(len(provider.take(min(1 << 18, sent - at))) for at in range(0, sent, 1 << 18))
    assert received == sent
    client.close()
    assert provider.is_ended()


def test_back_pressure_reaches_a_sending_upstream_and_memory_stays_bounded(
    running: Running, upstream: Listener
) -> None:
    size = 40 << 20
    client = running.connect()
    client.send(POST)
    provider = upstream.accept()
    provider.message()
    before = resident_bytes()
    provider.send(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % size)
    sent = send_what_fits(provider, size)
    assert sent < size
    assert resident_bytes() - before < 8 << 20
    client.until()
    assert sum(len(client.take(min(1 << 18, sent - at))) for at in range(0, sent, 1 << 18)) == sent
    client.close()
    assert provider.is_ended()


def send_what_fits(peer: Peer, size: int) -> int:
    """Send zeros until nobody takes more."""
    piece = bytes(1 << 18)
    sent = 0
    while sent < size:
        taken = peer.offer(piece)
        if not taken:
            break
        sent += taken
    return sent


def resident_bytes() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE")


class Still:
    """A transport that takes everything and tells whether it is read from."""

    def __init__(self) -> None:
        self.written = b""
        self._is_read = True

    def reads(self) -> bool:
        return self._is_read

    def writelines(self, pieces: list[bytes]) -> None:
        self.written += b"".join(pieces)

    def write(self, data: bytes) -> None:
        self.written += data

    def pause_reading(self) -> None:
        self._is_read = False

    def resume_reading(self) -> None:
        self._is_read = True

    def abort(self) -> None:
        """Nothing is there to be ended."""

    close = abort


class AtOnce:
    """Connects to nobody, at once."""

    async def dial(self, upstream: Upstream, protocol: asyncio.Protocol) -> None:
        protocol.connection_made(cast("asyncio.Transport", Still()))


async def connected(folder: Path) -> tuple[Client, Still, Link, Still]:
    """A client connection and the upstream connection of its first request, which is still pending."""
    upstreams = {"a": Upstream.from_url("a", "http://127.0.0.1:1")}
    page = Page(folder / "page", vocabulary(upstreams))
    board = Switchboard(
        router=Router(upstreams, "a", RunTags(None)),
        dialler=cast("Dialler", AtOnce()),
        journal=JournalWriter(folder / "journal", settings=LIMITS, clock=time),
        counters=RelayCounters(page, upstreams, start_us=0),
        clock=time,
    )
    client, near = Client(board), Still()
    client.connection_made(cast("asyncio.Transport", near))
    client.data_received(POST)
    await asyncio.sleep(0)
    (link,) = client._links.values()
    return client, near, link, cast("Still", link._transport)


def test_an_answer_ends_the_hold_of_an_upstream_that_stopped_reading(tmp_path: Path) -> None:
    async def scenario() -> None:
        client, near, link, far = await connected(tmp_path)
        link.pause_writing()
        assert not near.reads()
        link.data_received(OK)
        assert near.reads()
        client.data_received(POST)
        assert not near.reads()
        link.resume_writing()
        assert near.reads()
        link.data_received(OK)
        assert near.written == OK + OK
        assert far.written.count(b"hello") == 2

    uvloop.run(scenario())


def test_a_client_that_takes_no_more_stops_the_next_answer_too(tmp_path: Path) -> None:
    async def scenario() -> None:
        client, _, link, far = await connected(tmp_path)
        client.pause_writing()
        assert not far.reads()
        link.data_received(OK)
        assert far.reads()  # its end must be seen
        client.data_received(POST)
        assert not far.reads()
        client.resume_writing()
        assert far.reads()

    uvloop.run(scenario())


def test_a_client_that_sends_ahead_is_held_and_let_go_with_the_answer(tmp_path: Path) -> None:
    async def scenario() -> None:
        client, near, link, far = await connected(tmp_path)
        ahead = POST.replace(b"5\r", b"70000\r")[:-5] + bytes(70_000)
        client.data_received(ahead)
        assert not near.reads()
        assert client in client._board.watched
        link.data_received(OK)
        assert near.reads()
        assert client not in client._board.watched
        assert far.written.endswith(bytes(70_000))

    uvloop.run(scenario())
