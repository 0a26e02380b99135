"""The connection to an upstream that one client connection owns."""

from __future__ import annotations

import asyncio
from typing import Protocol, cast

from proxy.framing.faults import Fault, FramingError
from proxy.framing.framer import Data, ResponseFramer
from proxy.framing.head import Body, ResponseHead
from proxy.relay.dial import DialError
from proxy.relay.exchange import Exchange
from proxy.relay.heads import response_to_send
from proxy.relay.refusals import Kind
from proxy.relay.settings import Upstream
from proxy.relay.sockets import Pieces, write
from proxy.relay.switchboard import Switchboard

WAITING_LIMIT = 64 * 1024
"""Bytes that may wait for a connection to come up."""


class Owner(Protocol):
    """The client connection, as its upstream connection sees it."""

    full: bool
    """It takes no more response bytes for now."""

    def to_client(self, pieces: Pieces) -> None:
        """Write response bytes."""

    def complete(self, pieces: Pieces, read_ns: int) -> None:
        """The response is complete with these bytes."""

    def spliced(self) -> None:
        """From here on bytes pass both ways unread."""

    def upstream_failed(self, link: Link, kind: Kind, detail: str) -> None:
        """The upstream cannot be reached, or what it says cannot be relayed."""

    def upstream_ended(self, link: Link) -> None:
        """The upstream ended the connection."""

    def hold_request(self, link: Link, *, hold: bool) -> None:
        """The upstream takes no more request bytes for now, or again."""


class Link(asyncio.Protocol):
    """One connection, at most one exchange at a time. Dialled once: what fails is told, never tried again."""

    def __init__(self, board: Switchboard, owner: Owner, upstream: Upstream) -> None:
        self.upstream = upstream
        self.full = False
        """It takes no more request bytes for now."""
        self.connected = False
        """Bytes go out at once."""
        self._board = board
        self._owner = owner
        self._framer = ResponseFramer()
        self._transport: asyncio.Transport | None = None
        self._exchange: Exchange | None = None
        self._waiting: Pieces = []
        self._waiting_bytes = 0
        self._began_ns = board.clock.monotonic_ns()
        self._over = False
        self._task = asyncio.get_running_loop().create_task(self._dial())

    def begin(self, exchange: Exchange) -> None:
        """The next bytes are a request of this exchange."""
        self._exchange = exchange
        self._framer.method = exchange.method
        if self._owner.full:
            self.pause(pause=True)

    def end(self) -> None:
        """The exchange is over; the connection stays for the next one."""
        self._exchange = None
        if self._owner.full:
            self.pause(pause=False)  # its end must be seen

    def send(self, pieces: Pieces) -> None:
        """Send request bytes, now or as soon as the connection stands."""
        if self._transport is not None:
            write(self._transport, pieces)
            return
        self._waiting += pieces
        self._waiting_bytes += sum(map(len, pieces))
        if self._waiting_bytes > WAITING_LIMIT:
            self._owner.hold_request(self, hold=True)

    def pause(self, *, pause: bool) -> None:
        """Stop or go on reading what the upstream sends."""
        if self._transport is None:
            return
        if pause:
            self._transport.pause_reading()
        else:
            self._transport.resume_reading()

    def abort(self) -> None:
        """End the connection at once; nothing of it matters any more."""
        transport = self._leave()
        if transport is not None:
            transport.abort()

    def close(self) -> None:
        """End the connection once what was sent is written."""
        transport = self._leave()
        if transport is not None:
            transport.close()

    def _leave(self) -> asyncio.Transport | None:
        self._over = True
        self._exchange = None
        transport, self._transport = self._transport, None
        if transport is None:
            self._task.cancel()
        return transport

    async def _dial(self) -> None:
        try:
            await self._board.dialler.dial(self.upstream, self)
        except DialError as error:
            if not self._over and self._transport is None:
                self._over = True
                self._owner.upstream_failed(self, error.kind, f"{self.upstream.name}: {error.reason}")

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """The connection stands; what waited for it goes out."""
        self._transport = cast("asyncio.Transport", transport)
        if self._over:
            self.abort()
            return
        self.connected = True
        counters = self._board.counters
        waited_s = (self._board.clock.monotonic_ns() - self._began_ns) / 1e9
        counters.observe(counters.upstreams[self.upstream.name].connect, waited_s)
        if self._owner.full:
            self.pause(pause=True)
        self._owner.hold_request(self, hold=False)
        waiting, self._waiting = self._waiting, []
        write(self._transport, waiting)

    def data_received(self, data: bytes) -> None:
        """Response bytes: recorded, then written on as they came."""
        now = self._board.clock.monotonic_ns()
        exchange = self._exchange
        if exchange is None:  # nobody asked
            self.abort()
            self._owner.upstream_ended(self)
        elif exchange.spliced:
            exchange.splice_data(data, now, from_client=False)
            self._owner.to_client([data])
        else:
            self._relay(exchange, data, now)

    def _relay(self, exchange: Exchange, data: bytes, now: int) -> None:
        pieces: Pieces = []
        framer = self._framer
        try:
            event = framer.receive(data)
            while event is not None:
                if type(event) is Data:
                    exchange.response_data(event, now)
                    pieces.append(event.raw)
                    ended = event.last
                else:
                    ended = self._take_head(exchange, event, pieces, now)
                if ended:
                    # An upstream that sent more than its answer cannot be trusted with another request.
                    exchange.closes |= framer.held > 0
                    self._owner.complete(pieces, now)
                    return
                event = framer.next_event()
        except FramingError as error:
            exchange.leave_trace()
            self._owner.to_client(pieces)
            self._owner.upstream_failed(self, Kind.UPSTREAM_FRAMING, f"{self.upstream.name}: {error.fault.value}")
            return
        if pieces:
            if not exchange.traced:
                exchange.leave_trace()
            self._owner.to_client(pieces)
        if exchange.spliced:
            self._owner.spliced()

    def _take_head(self, exchange: Exchange, head: ResponseHead, pieces: Pieces, now: int) -> bool:
        """Record a head and have it passed on; whether the response is complete with it. Raises FramingError."""
        if head.status < 200:
            self._take_interim(exchange, head, pieces, now)
            return False
        if not head.keep_alive or head.minor == 0 or self._board.draining:
            exchange.closes = True
        exchange.until_close = head.body is Body.UNTIL_CLOSE
        exchange.response_head(head, now)
        pieces.append(response_to_send(head, close=exchange.closes))
        return head.last

    def _take_interim(self, exchange: Exchange, head: ResponseHead, pieces: Pieces, now: int) -> None:
        """Pass a 1xx on; behind an accepted upgrade all that follows too."""
        if head.status != 101:
            exchange.interim_head(head)
        elif exchange.websocket and head.websocket:
            exchange.splice(head, now)
        else:
            raise FramingError(Fault.UPGRADE)
        pieces.append(response_to_send(head, close=False))
        if exchange.spliced and (rest := self._framer.take_rest()):
            exchange.splice_data(rest, now, from_client=False)
            pieces.append(rest)

    def eof_received(self) -> None:
        """The upstream is done: the end of a body that lasts until then, of a splice, or a cut."""
        exchange = self._exchange
        now = self._board.clock.monotonic_ns()
        if exchange is not None and (exchange.spliced or self._framer.eof() is not None):
            self._over = True
            self._owner.complete([], now)
        else:
            self._tell_end()

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 asyncio's signature
        """The connection broke; after an orderly end this was told already."""
        self._tell_end()

    def _tell_end(self) -> None:
        self._transport = None
        if not self._over:
            self._over = True
            self._owner.upstream_ended(self)

    def pause_writing(self) -> None:
        """The upstream takes no more for now."""
        self.full = True
        self._owner.hold_request(self, hold=True)

    def resume_writing(self) -> None:
        """The upstream takes more again."""
        self.full = False
        self._owner.hold_request(self, hold=False)
