"""The seam to whoever understands what is said on an upgraded connection, and the order in which it was said.

The journal knows no wire format: a splitter is given the pieces of both directions as they came, and gives back the
calls that they end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from heapq import merge
from typing import NamedTuple, Protocol

from proxy.journal.layout import REQUEST_CAPPED, RESPONSE_CAPPED, Buffer
from proxy.journal.payloads import decode_pieces
from proxy.model.exchange import Exchange


class Splitter(Protocol):
    """One socket to the calls on it; each is an exchange with a `part` from 1."""

    def feed(self, data: bytes, *, from_client: bool, at_us: int) -> Iterable[Exchange]:
        """Take the next piece, which came `at_us` after the socket's request head; the calls that it ends."""
        ...

    def stop(self, *, from_client: bool) -> Iterable[Exchange]:
        """Nothing more of that direction was recorded."""
        ...

    def close(self, socket: Exchange) -> Iterable[Exchange]:
        """The socket has ended like that: the calls that were open, then the socket itself, as part 0."""
        ...


Sockets = Callable[[Exchange], Splitter | None]
"""A splitter for an upgraded exchange, as far as it is known at its 101; None when its bytes are to stay together."""


def kept_whole(_: Exchange) -> None:
    """No splitter for any socket."""


class Piece(NamedTuple):
    """Bytes of one direction."""

    mono_ns: int
    from_client: bool
    data: bytes | None
    """None: nothing more of that direction was recorded."""


def in_order(request: Buffer, reply: Buffer, flags: int) -> Iterator[Piece]:
    """What both directions said within one record, in the order in which it came.

    Args:
        request: Payload of the request part; empty when there is none.
        reply: Payload of the reply part.
        flags: Of the record, those that stood in the record before it left out.
    """
    client = _pieces(request, from_client=True, ends=bool(flags & REQUEST_CAPPED))
    server = _pieces(reply, from_client=False, ends=bool(flags & RESPONSE_CAPPED))
    return merge(client, server, key=lambda piece: piece.mono_ns)  # a question goes before its answer at the same time


def _pieces(payload: Buffer, *, from_client: bool, ends: bool) -> Iterator[Piece]:
    mono_ns = 0
    for mono_ns, data in decode_pieces(payload) if payload else ():
        yield Piece(mono_ns, from_client, data)
    if ends:
        yield Piece(mono_ns, from_client, None)
