"""An intercept door's process: listens, looks after its connections ten times a second, drains on SIGTERM."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import ssl
import time
from collections.abc import Callable

from mitmproxy.addons.next_layer import NextLayer
from mitmproxy.addons.proxyserver import Proxyserver
from mitmproxy.addons.tlsconfig import TlsConfig
from mitmproxy.master import Master
from mitmproxy.options import Options
from mitmproxy.proxy.mode_servers import ServerInstance
from mitmproxy.proxy.mode_specs import ProxyMode

from proxy.intercept.access import Access
from proxy.intercept.addon import JournalAddon
from proxy.intercept.authority import Authority, the_authority, write_stores
from proxy.intercept.egress import EgressAddon
from proxy.intercept.exchange import UNSEEN, Desk
from proxy.intercept.hosts import Hosts
from proxy.intercept.quiet import hush
from proxy.intercept.settings import InterceptSettings
from proxy.journal.limits import Clock
from proxy.journal.writer import JournalWriter
from proxy.model.exchange import Outcome
from proxy.page.memory import Page
from proxy.page.table import BYTES, OVERHEAD_SECONDS, OWN_ERRORS
from proxy.relay.addressing import RunTags
from proxy.relay.counters import RelayCounters
from proxy.relay.server import Listening, listen

_TICK_S = 0.1
_TICKS_PER_MIRROR = 10
_BACKLOG = 1024
_PATIENCE_S = 2.0
_NEVER_S = 10 * 365 * 86_400
"""There is no read timeout: agents think for minutes."""


async def run_intercept(
    settings: InterceptSettings,
    journal: JournalWriter,
    page: Page,
    *,
    ready: Callable[[Listening], None],
    stop: asyncio.Event | None = None,
    clock: Clock = time,
) -> None:
    """Intercept until SIGTERM or SIGINT (with `stop`: until that is set), then drain.

    Journal and page stay open for the caller to close.

    Raises:
        CannotWriteError: address or authority cannot be used.
        InputError: the authority is not what it should be.
    """
    hush()
    counters = RelayCounters(page, settings.relay.upstreams, start_us=clock.time_ns() // 1000)
    withhold(page)
    authority = the_authority(settings.authority)
    write_stores(authority, settings.relay.ca_bundle, os.environ)
    listener = listen(settings.relay)
    door = Door(settings, Desk(journal, counters, clock), authority)
    loop = asyncio.get_running_loop()
    stop = stop or _on_signals(loop)
    ticking = loop.create_task(_tick(journal, counters))
    try:
        await door.open(listener)
        host, port = listener.getsockname()[:2]
        ready(Listening(host, port, listener.fileno()))
        await stop.wait()
    finally:
        await door.close(settings.relay.drain_s)
        ticking.cancel()
        counters.mirror_journal(journal.counters)


def withhold(page: Page) -> None:
    """Leave out what is not measured here: bytes with framing, the door's own time, errors that it is not told of."""
    for direction in ("request", "response"):
        page.withhold(BYTES, direction=direction)
    page.withhold(OVERHEAD_SECONDS)
    for kind in UNSEEN:
        page.withhold(OWN_ERRORS, kind=kind.value)


class Door:
    """mitmproxy's master with the few addons that are needed; those that edit, answer or replay are left out."""

    def __init__(self, settings: InterceptSettings, desk: Desk, authority: Authority) -> None:
        relay, hosts = settings.relay, Hosts(settings.relay.upstreams.values())
        access = Access(relay.token_sha256, RunTags(relay.run_tags))
        self._addon = JournalAddon(desk, hosts, access, is_reverse=bool(settings.reverse))
        self._proxyserver = Proxyserver()  # type: ignore[no-untyped-call]
        self._mode = ProxyMode.parse(_mode(settings))
        options = _options(authority, [] if settings.reverse else hosts.patterns())
        self._master = Master(options)
        addons = (self._proxyserver, self._addon, NextLayer(), TlsConfig(), EgressAddon(relay.egress))
        self._master.addons.add(*addons)  # type: ignore[no-untyped-call]
        options.update(connection_strategy="lazy", keep_host_header=True)  # type: ignore[no-untyped-call]
        self._server: asyncio.Server | None = None

    async def open(self, listener: socket.socket) -> None:
        """Serve the listening socket. mitmproxy would make one of its own, which nobody could hand on."""
        self._addon.own_port = listener.getsockname()[1]
        await self._master.running()
        instance: ServerInstance[ProxyMode] = ServerInstance.make(self._mode, self._proxyserver)
        self._server = await asyncio.start_server(instance.handle_stream, sock=listener, backlog=_BACKLOG)

    async def close(self, drain_s: float) -> None:
        """Take no new connections, let exchanges end for at most `drain_s`, then cut."""
        if self._server is not None:
            self._server.close()
        ends = time.monotonic() + drain_s
        while await self._end_idle() and time.monotonic() < ends:  # noqa: ASYNC110  many end at once; looking is simpler
            await asyncio.sleep(_TICK_S / 2)
        self._addon.is_draining = True
        for client in tuple(self._addon.observed.connections):
            self._addon.observed.forget(client, Outcome.SHUTDOWN)
        await self._end_idle()
        await self._gone()
        await self._master.done()

    async def _gone(self) -> None:
        """Wait until mitmproxy has let go of every connection that was ended, but not for long."""
        ends = time.monotonic() + _PATIENCE_S
        while self._proxyserver.connections and time.monotonic() < ends:  # noqa: ASYNC110  as above
            await asyncio.sleep(_TICK_S / 10)

    async def _end_idle(self) -> int:
        """End the connections on which nothing is under way, tunnels among them; how many have something."""
        observed = self._addon.observed
        for connection in tuple(self._proxyserver.connections.values()):
            if observed.exchange_of(connection.client.id) is None:
                await connection.on_timeout()
        return observed.under_way()


def _options(authority: Authority, opened: list[str]) -> Options:
    """What mitmproxy is told; `opened` are the patterns of what is decrypted, none for everything."""
    return Options(
        confdir=str(authority.folder),
        allow_hosts=opened,
        ssl_verify_upstream_trusted_ca=str(authority.trust),
        ssl_verify_upstream_trusted_confdir=ssl.get_default_verify_paths().capath,
        http2=False,
        http3=False,
        upstream_cert=False,
        websocket=False,  # then what follows a 101 is passed on as bytes, and so recorded
        tcp_timeout=_NEVER_S,
    )


def _mode(settings: InterceptSettings) -> str:
    if not settings.reverse:
        return "regular"
    upstream = settings.relay.upstreams[settings.reverse]
    return f"reverse:{'https' if upstream.tls else 'http'}://{upstream.authority.decode('ascii')}"


def _on_signals(loop: asyncio.AbstractEventLoop) -> asyncio.Event:
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    return stop


async def _tick(journal: JournalWriter, counters: RelayCounters) -> None:
    ticks = 0
    while True:
        await asyncio.sleep(_TICK_S)
        journal.flush_due()
        ticks += 1
        if ticks % _TICKS_PER_MIRROR == 0:
            counters.mirror_journal(journal.counters)
