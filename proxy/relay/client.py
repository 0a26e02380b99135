"""One client connection: requests in order, each to the upstream connection it owns."""

from __future__ import annotations

import asyncio
from typing import cast

from proxy.framing.faults import FramingError
from proxy.framing.framer import Data, RequestFramer
from proxy.framing.head import RequestHead
from proxy.model.exchange import Outcome
from proxy.relay.exchange import Exchange
from proxy.relay.heads import request_to_send
from proxy.relay.refusals import Kind, refusal
from proxy.relay.sockets import Farewell, Hold, Pieces, Reading, peer_has_left, reset, write
from proxy.relay.switchboard import AccessError, Switchboard
from proxy.relay.upstream import Link

AHEAD_LIMIT = 64 * 1024
"""Bytes that are read on while a response is pending, so that the client's going is seen."""
_COMPLETE = Outcome.COMPLETE
_CAME_FROM_UPSTREAM = frozenset({Kind.UPSTREAM_CLOSED, Kind.UPSTREAM_FRAMING})


class Client(asyncio.Protocol):
    """Owns its upstream connections; when one side ends, so does the other."""

    def __init__(self, board: Switchboard) -> None:
        self.full = False
        self._board = board
        self._clock = board.clock.monotonic_ns
        self._framer = RequestFramer()
        self._transport: asyncio.Transport | None = None
        self._links: dict[str, Link] = {}
        self._exchange: Exchange | None = None
        self._link: Link | None = None
        """That of the exchange."""
        self._farewell: Farewell | None = None
        """Once we have said our last word."""

    # --- the client speaks ---

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """A client is there."""
        self._transport = cast("asyncio.Transport", transport)
        self._reading = Reading(self._transport)
        self._board.clients.add(self)
        self._board.counters.add(self._board.counters.connections, 1)
        if self._board.draining:
            transport.close()

    def data_received(self, data: bytes) -> None:
        """Request bytes: recorded, then written on as they came."""
        exchange = self._exchange
        if exchange is not None and exchange.request_done:
            self._take_ahead(exchange, data)
        elif self._farewell is None:
            now = self._clock()
            try:
                self._advance(self._framer.receive(data), now)
            except FramingError as error:
                self._refuse(error)

    def _take_ahead(self, exchange: Exchange, data: bytes) -> None:
        """Bytes behind a complete request: of an accepted upgrade, else of the next request, which waits its turn."""
        if exchange.spliced:
            assert self._link is not None
            exchange.splice_data(data, self._clock(), from_client=True)
            self._link.send([data])
            return
        self._framer.hold(data)
        if self._framer.held > AHEAD_LIMIT:
            self._hold(Hold.AHEAD, on=True)

    def _advance(self, event: RequestHead | Data | None, now: int) -> None:
        """Relay as much of one request as there is. Raises FramingError."""
        pieces: Pieces = []
        began = False
        while event is not None:
            if type(event) is Data:
                assert self._exchange is not None
                self._exchange.request_data(event, now)
                pieces.append(event.raw)
            else:
                if not self._begin(event, pieces, now):
                    return
                began = True
            if event.last:
                break
            event = self._framer.next_event()
        if pieces:
            assert self._link is not None
            self._link.send(pieces)
            if began and self._link.connected:
                assert self._exchange is not None
                self._exchange.request_sent(self._clock())

    def _begin(self, head: RequestHead, pieces: Pieces, now: int) -> bool:
        """Begin an exchange; False when it was refused."""
        board = self._board
        try:
            route = board.admit(head)
        except AccessError as error:
            if error.recorded:
                self._exchange = Exchange(board, head, None, now)
            self._answer(error.kind, error.detail, with_body=head.method != b"HEAD")
            return False
        address = route.address
        name = address.upstream.name
        link = self._links.get(name)
        if link is None:
            link = self._links[name] = Link(board, self, address.upstream)
        self._exchange = exchange = Exchange(board, head, route, now)
        self._link = link
        link.begin(exchange)
        if link.full:
            self._hold(Hold.UPSTREAM, on=True)
        pieces.append(request_to_send(head, address.target, address.authority, close=exchange.closes))
        return True

    def eof_received(self) -> None:
        """The client is gone: nobody is there for what is pending."""
        self._end()

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 asyncio's signature
        """The connection is over."""
        self._end()
        self._board.counters.add(self._board.counters.connections, -1)
        self._board.clients.discard(self)

    # --- an upstream speaks ---

    def to_client(self, pieces: Pieces) -> None:
        """Write response bytes."""
        if self._transport is not None:
            write(self._transport, pieces)

    def complete(self, pieces: Pieces, read_ns: int) -> None:
        """The response is complete with these bytes. The journal has all of it before the client has."""
        exchange, link = self._exchange, self._link
        assert exchange is not None
        assert link is not None
        exchange.finish(_COMPLETE, read_ns)
        self.to_client(pieces)
        exchange.written(read_ns, self._clock())
        self._exchange = self._link = None
        link.end()
        if exchange.closes or not exchange.request_done:
            self._depart()
        elif self._framer.held or self._reading.held:
            self._go_on()

    def _go_on(self) -> None:
        """The next request is here already, or was held up."""
        self._hold(Hold.BOTH, on=False)
        try:
            self._advance(self._framer.next_event(), self._clock())
        except FramingError as error:
            self._refuse(error)

    def spliced(self) -> None:
        """From here on bytes pass both ways unread; some may be here already."""
        rest = self._framer.take_rest()
        self._hold(Hold.AHEAD, on=False)
        if rest and self._exchange is not None:
            self._take_ahead(self._exchange, rest)

    def upstream_failed(self, link: Link, kind: Kind, detail: str) -> None:
        """The upstream cannot be reached, or what it says cannot be relayed."""
        self._forget(link)
        if link is self._link:
            self._fail(kind, detail)

    def upstream_ended(self, link: Link) -> None:
        """The upstream ended the connection: inside its response, before it, or between two."""
        self._forget(link)
        if link is self._link:
            self._fail(Kind.UPSTREAM_CLOSED, link.upstream.name)
        elif self._exchange is None:
            self._depart()

    def _forget(self, link: Link) -> None:
        if self._links.get(link.upstream.name) is link:
            del self._links[link.upstream.name]
        link.abort()

    # --- flow ---

    def pause_writing(self) -> None:
        """The client takes no more for now."""
        self.full = True
        if self._link is not None:
            self._link.pause(pause=True)

    def resume_writing(self) -> None:
        """The client takes more again."""
        self.full = False
        if self._link is not None:
            self._link.pause(pause=False)

    def hold_request(self, link: Link, *, hold: bool) -> None:
        """The upstream takes no more request bytes for now, or again."""
        if link is self._link:
            self._hold(Hold.UPSTREAM, on=hold)

    def _hold(self, why: Hold, *, on: bool) -> None:
        self._reading.hold(why, on=on)
        if self._reading.held:
            self._board.watched.add(self)
        elif self._farewell is None:
            self._board.watched.discard(self)

    # --- ends ---

    def _refuse(self, error: FramingError) -> None:
        kind = Kind.HEAD_TOO_LARGE if error.fault.is_size else Kind.BAD_FRAMING
        self._fail(kind, error.fault.value)

    def _fail(self, kind: Kind, detail: str) -> None:
        """End the exchange, or the talk before one, with an error of ours; as a cut when the answer has begun."""
        exchange = self._exchange
        if exchange is None or not exchange.answered:
            self._answer(kind, detail, with_body=exchange is None or exchange.method != b"HEAD")
        else:
            exchange.finish(_outcome_of(kind), self._clock())
            self._depart(is_cut=exchange.until_close)

    def _answer(self, kind: Kind, detail: str, *, with_body: bool) -> None:
        if self._exchange is not None:
            self._exchange.finish(_outcome_of(kind), self._clock())
        self._board.counters.own_error(kind)
        self.to_client([refusal(kind, detail, with_body=with_body)])
        self._depart()

    def _depart(self, *, is_cut: bool = False) -> None:
        """We have said our last word; the client may still be talking, and must get to hear it."""
        self._drop_links()
        transport = self._transport
        if transport is None or transport.is_closing():
            return
        self._framer.take_rest()
        self._farewell = Farewell(transport, is_cut=is_cut)
        self._hold(Hold.BOTH, on=False)
        self._board.watched.add(self)
        self._farewell.look(self._clock())

    def _drop_links(self) -> None:
        exchange, self._exchange, self._link = self._exchange, None, None
        for link in self._links.values():
            if exchange is not None and exchange.spliced:
                link.close()
            else:
                link.abort()
        self._links.clear()

    def _end(self) -> None:
        """The client is gone."""
        transport, self._transport = self._transport, None
        if transport is None:
            return
        exchange = self._exchange
        if exchange is not None:
            exchange.finish(Outcome.CLIENT_CLOSED, self._clock())
            transport.abort()
        else:
            transport.close()
        self._drop_links()
        self._board.watched.discard(self)

    def look(self, now_ns: int) -> None:
        """See whether it left while nobody reads, or has heard our last word."""
        if self._transport is None:
            return
        if self._farewell is not None:
            self._farewell.look(now_ns)
        elif peer_has_left(self._transport):
            self._end()

    def drain(self) -> None:
        """End once nothing is pending."""
        if self._exchange is None:
            self._depart()
        else:
            self._exchange.closes = True

    def cut(self) -> None:
        """End now, so that the client sees it."""
        exchange, transport = self._exchange, self._transport
        if exchange is not None:
            exchange.finish(Outcome.SHUTDOWN, self._clock())
        self._drop_links()
        if transport is not None:
            reset(transport)


def _outcome_of(kind: Kind) -> Outcome:
    return Outcome.UPSTREAM_CUT if kind in _CAME_FROM_UPSTREAM else Outcome.REFUSED
