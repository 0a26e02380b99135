"""What an observer drives. `proxy.journal.JournalReader` is the journal, `proxy.journey` the journey."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Protocol

from proxy.journal.layout import Mark
from proxy.model.exchange import Exchange
from proxy.model.facts import Fact
from proxy.model.ids import SessionId


class Journal(Protocol):
    """Exchanges of all writers, each in the order of its end."""

    def poll(self) -> Iterator[Exchange]:
        """Exchanges that have ended since the last poll. May be left half read when the process stops."""
        ...

    def mark(self, writer: str) -> Mark:
        """Where a restart has to begin once the exchange given out last is committed."""
        ...

    def marks(self) -> Mapping[str, Mark]:
        """The same of every writer that is there."""
        ...

    def release(self, writer: str, mark: Mark, *, wipe: bool = False) -> None:
        """Everything before the mark is done with; `wipe` overwrites it."""
        ...


class Observed(Protocol):
    """What a journey made of one exchange."""

    @property
    def facts(self) -> tuple[Fact, ...]:
        """New facts and those of which more is known; one is the ExchangeFact of this exchange."""
        ...

    @property
    def parts(self) -> Mapping[str, bytes]:
        """Parts of the session's state that changed."""
        ...

    @property
    def contents(self) -> tuple[tuple[str, bytes], ...]:
        """SHA-256 and text of contents not shown before; asked for in a full capture only."""
        ...


class Journey[S](Protocol):
    """Bytes in, facts out. The same exchange and state give the same result, on any observer."""

    def load(self, session: SessionId, parts: Mapping[str, bytes]) -> S:
        """A session's state from its stored parts; from none for a new session."""
        ...

    def session_of(self, exchange: Exchange) -> SessionId | None:
        """Whose state `observe` needs; None = it needs none."""
        ...

    def observe(self, exchange: Exchange, state: S | None) -> Observed:
        """Facts of an exchange. Changes the state, which is void when the facts cannot be kept."""
        ...
