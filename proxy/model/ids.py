"""Names of things: each id has a type of its own, so that one cannot be passed for another."""

from __future__ import annotations

from hashlib import sha256
from typing import NamedTuple, NewType

SessionId = NewType("SessionId", str)
"""32 hex digits: a digest of the session key, never the key itself (a run tag is a secret)."""

ThreadId = NewType("ThreadId", str)
"""Unique inside its session: `main`, `agent:<id>`, `side:<n>`, `main.<n>` after a clear or fork."""

CallId = NewType("CallId", str)
"""The provider's id of a tool call (`toolu_…`); unique inside a thread, repeated across threads."""

ObservationId = NewType("ObservationId", str)
"""Unique inside its session: `<thread>/<turn>.<index>` of the call that first showed the content."""


class ExchangeId(NamedTuple):
    """One HTTP exchange on the live path, or one call inside it; unique over all relays and all time."""

    writer: str
    """32 hex digits drawn when a relay process starts writing its journal."""
    number: int
    """Counts up from 1 inside one writer, in the order in which request heads arrived."""
    part: int = 0
    """0 for the exchange as a whole; from 1 the model calls that one WebSocket carried."""

    def __str__(self) -> str:
        return f"{self.writer[:8]}:{self.number}" + (f".{self.part}" if self.part else "")


def opened_session(exchange: ExchangeId) -> SessionId:
    """The session of a client that names none, begun by this exchange."""
    return SessionId(sha256(f"opened by\0{':'.join(map(str, exchange))}".encode()).hexdigest()[:32])


def session_id(run: str, key: str) -> SessionId:
    """The session that a client calls `key` (an id of its own, or `x-compaction-session`) within a run of `wrap`.

    Args:
        run: Digest of the run tag; empty outside of runs.
        key: Text of the header, read as Latin-1.
    """
    return SessionId(sha256(f"{run}\0{key}".encode("utf-8", "surrogatepass")).hexdigest()[:32])
