"""A relay process: listens, looks after its connections ten times a second, drains on SIGTERM."""

from __future__ import annotations

import asyncio
import gc
import signal
import socket
import time
from collections.abc import Callable
from typing import NamedTuple

from proxy.journal.limits import Clock
from proxy.journal.writer import JournalWriter
from proxy.model.errors import CannotWriteError
from proxy.page.memory import Page
from proxy.relay.addressing import Router, RunTags
from proxy.relay.client import Client
from proxy.relay.counters import RelayCounters
from proxy.relay.dial import Dialler, client_tls
from proxy.relay.settings import RelaySettings
from proxy.relay.switchboard import Switchboard

_TICK_S = 0.1
_TICKS_PER_MIRROR = 10
_BACKLOG = 1024


class Listening(NamedTuple):
    """Where a relay that is ready can be reached."""

    host: str
    port: int
    fd: int
    """The listening socket, to be handed to a successor."""


async def run_relay(
    settings: RelaySettings,
    journal: JournalWriter,
    page: Page,
    *,
    ready: Callable[[Listening], None],
    stop: asyncio.Event | None = None,
    clock: Clock = time,
) -> None:
    """Relay until SIGTERM or SIGINT (with `stop`: until that is set), then drain.

    Journal and page stay open for the caller to close. Raises CannotWriteError when the address cannot be listened on.
    """
    counters = RelayCounters(page, settings.upstreams, start_us=clock.time_ns() // 1000)
    board = Switchboard(
        router=Router(settings.upstreams, settings.default_upstream, RunTags(settings.run_tags)),
        dialler=Dialler(settings.egress, client_tls(settings.ca_bundle), settings.connect_timeout_s),
        journal=journal,
        counters=counters,
        clock=clock,
        token_sha256=settings.token_sha256,
    )
    listener = listen(settings)
    loop = asyncio.get_running_loop()
    stop = stop or _own_the_process(loop)
    server = await loop.create_server(lambda: Client(board), sock=listener, backlog=_BACKLOG)
    ticking = loop.create_task(_tick(board))
    try:
        host, port = listener.getsockname()[:2]
        ready(Listening(host, port, listener.fileno()))
        await stop.wait()
    finally:
        server.close()
        await _drain(board, settings.drain_s)
        ticking.cancel()
        counters.mirror_journal(journal.counters)


def _own_the_process(loop: asyncio.AbstractEventLoop) -> asyncio.Event:
    """The process is this relay: it ends when told, and what was made so far need not be collected again."""
    gc.collect()
    gc.freeze()
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    return stop


def listen(settings: RelaySettings) -> socket.socket:
    """The inherited socket, or one of our own. Raises CannotWriteError."""
    if settings.listen_fd is not None:
        listener = socket.socket(fileno=settings.listen_fd)
        listener.settimeout(0)
        return listener
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    try:
        return socket.create_server((settings.host, settings.port), family=family, backlog=_BACKLOG)
    except OSError as error:
        address = f"{settings.host}:{settings.port}"
        raise CannotWriteError(f"{address}: cannot listen: {error.strerror}") from error


async def _tick(board: Switchboard) -> None:
    ticks = 0
    while True:
        await asyncio.sleep(_TICK_S)
        board.journal.flush_due()
        now = board.clock.monotonic_ns()
        for client in tuple(board.watched):
            client.look(now)
        ticks += 1
        if ticks % _TICKS_PER_MIRROR == 0:
            board.counters.mirror_journal(board.journal.counters)


async def _drain(board: Switchboard, drain_s: float) -> None:
    """Let what is pending end, for at most `drain_s`; then cut."""
    board.draining = True
    for client in tuple(board.clients):
        client.drain()
    ends = board.clock.monotonic_ns() + int(drain_s * 1e9)
    while board.clients and board.clock.monotonic_ns() < ends:  # noqa: ASYNC110 many leave at once; looking is simpler
        await asyncio.sleep(_TICK_S / 2)
    for client in tuple(board.clients):
        client.cut()
    await asyncio.sleep(0)
