"""A journey that only counts, and observers that die wherever one likes.

`observe` runs one life of an observer; with a `Fuse` it dies like a killed process: between any two things it does.
`canonical` is what must not depend on that. Both take any journey.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from proxy.journal.layout import Mark
from proxy.journal.reader import JournalReader
from proxy.model.exchange import Exchange
from proxy.model.facts import CallFact, ExchangeFact, ExchangeKind, Fact, Label, SessionFact, ThreadFact, TurnFact
from proxy.model.ids import ExchangeId, SessionId
from proxy.observer import Capture, ExchangeObserver, Journey, Keeper, Observer, Tally
from proxy.store import Commit, Database, LoadedState, Writer, dump
from proxy.wire.websocket import open_socket
from tests.support.journal import Play
from tests.support.store import MAIN, a_fact


class Killed(BaseException):
    """The process is gone."""


class Fuse:
    """Burns one step at a time; at its end the process dies. Without a length it never ends."""

    def __init__(self, steps: int | None = None) -> None:
        self._left = steps

    def burn(self) -> None:
        if self._left is not None:
            self._left -= 1
            if self._left < 0:
                raise Killed


class MortalJournal:
    """A journal whose reader may die before each exchange and on both sides of a release."""

    def __init__(self, reader: JournalReader, fuse: Fuse) -> None:
        self._reader = reader
        self._fuse = fuse

    def poll(self) -> Iterator[Exchange]:
        for exchange in self._reader.poll():
            self._fuse.burn()
            yield exchange

    def mark(self, writer: str) -> Mark:
        return self._reader.mark(writer)

    def marks(self) -> Mapping[str, Mark]:
        return self._reader.marks()

    def release(self, writer: str, mark: Mark, *, wipe: bool = False) -> None:
        self._fuse.burn()
        self._reader.release(writer, mark, wipe=wipe)
        self._fuse.burn()


class MortalWriter(Writer):
    """A store whose client may die before and after each commit."""

    def __init__(self, database: Database, fuse: Fuse) -> None:
        super().__init__(database)
        self._fuse = fuse

    def commit(self, change: Commit) -> bool:
        self._fuse.burn()
        is_new = super().commit(change)
        self._fuse.burn()
        return is_new

    def load_state(self, session: SessionId) -> LoadedState:
        self._fuse.burn()
        return super().load_state(session)


def observe(folder: Path, database: Database, journey: Journey[Any], fuse: Fuse | None = None) -> bool:
    """One life over the journal in `folder`, until it is idle; False when it died before."""
    fuse = fuse or Fuse()
    writer = MortalWriter(database, fuse)
    reader = JournalReader(folder, marks=writer.marks(), exclusive=True, sockets=open_socket)
    tally = Tally(started_us=0)
    station = ExchangeObserver(journey, writer, keeper=Keeper(Capture.HASHES, str), tally=tally)
    observer = Observer(MortalJournal(reader, fuse), station, tally, snapshot=folder.parent / "observer.json")
    try:
        observer.run(until_idle=True)
    except Killed:
        return False
    finally:
        reader.close()
    return True


def canonical(database: Database) -> bytes:
    """The canonical dump."""
    out = io.BytesIO()
    dump(database, out)
    return out.getvalue()


def a_play(number: int, session: str) -> Play:
    """An exchange of that session whose bodies name it."""
    name = f"{number}:{session} ".encode()
    return Play(target=f"/{session}", request=(name, b"asked" * 40), response=(name, b"answered" * 40))


@dataclass(slots=True)
class Count:
    """State of a counting session."""

    turns: int = 0
    digest: bytes = b""
    """Of all its bodies so far: shows a missing, repeated or exchanged turn."""


class Seen(NamedTuple):
    """What the counting journey observed."""

    facts: tuple[Fact, ...]
    parts: Mapping[str, bytes]
    contents: tuple[tuple[str, bytes], ...] = ()


class CountingJourney:
    """Numbers the exchanges of each session, which is the last segment of the target.

    `/none` has no session; `/poison` raises; each turn answers the call of the turn before it.
    """

    def __init__(self) -> None:
        self.observed: list[ExchangeId] = []

    def load(self, session: SessionId, parts: Mapping[str, bytes]) -> Count:
        del session
        return Count(int(parts["turns"]), parts["digest"]) if parts else Count()

    def session_of(self, exchange: Exchange) -> SessionId | None:
        name = exchange.target.rpartition("/")[2]
        return None if name == "none" else SessionId(name)

    def observe(self, exchange: Exchange, state: Count | None) -> Seen:
        self.observed.append(exchange.id)
        if exchange.target.endswith("/poison"):
            raise ValueError("a secret word of the traffic")
        if state is None:
            return Seen((_exchange_fact(exchange, kind=ExchangeKind.OTHER),), {})
        state.turns += 1
        state.digest = sha256(state.digest + exchange.request_body + exchange.response_body).digest()
        session = self.session_of(exchange)
        assert session is not None
        contents = ((sha256(exchange.request_body).hexdigest(), exchange.request_body),)
        parts = {"turns": str(state.turns).encode(), "digest": state.digest}
        return Seen(tuple(_facts(exchange, session, state)), parts, contents)


def _exchange_fact(exchange: Exchange, **given: Any) -> ExchangeFact:
    when = {"opened_us": exchange.opened_us, "outcome": exchange.outcome}
    return a_fact(ExchangeFact, **exchange.id._asdict(), **when, **given)


def _facts(exchange: Exchange, session: SessionId, state: Count) -> Iterator[Fact]:
    who: dict[str, Any] = {"session": session, "thread": MAIN}
    turn = state.turns
    yield a_fact(SessionFact, session=session, last_us=turn)
    yield a_fact(ThreadFact, **who)
    yield _exchange_fact(exchange, **who, kind=ExchangeKind.TURN, turn=turn)
    yield a_fact(TurnFact, **who, turn=turn, **exchange.id._asdict(), system_sha256=state.digest.hex())
    call = a_fact(CallFact, **who, turn=turn, index=0, label=Label.PENDING)
    yield call
    if turn > 1:
        yield replace(call, turn=turn - 1, label=Label.ACQUISITION, answered_turn=turn)
