"""Committed facts to batches of spans.

A turn's spans go once the turn stands in the store: the turn, the boundary it crossed, the re-reads that its request
answered. A session's own span goes when the session has been quiet for a while, and once more under the same id when
it went on. What was sent is noted after each batch: a process that dies in between sends that batch again.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from proxy.export.progress import Followed, Progress, read_progress
from proxy.export.spans import Naming, Span, Told, boundary_span, reread_span, rereads, session_span, turn_span
from proxy.model.errors import GateError
from proxy.model.facts import BoundaryFact, CallFact, ExchangeFact, IterationFact, SessionFact, TurnFact
from proxy.store import Database, Reader, snapshot

LOG = logging.getLogger("export")
BATCH = 256
"""Spans from which on a batch goes."""
REMEMBERED_US = 24 * 3_600_000_000
"""A session that goes on after so long is sent anew, under the same ids."""


class Taker(Protocol):
    """Where spans go: `Collector`."""

    def send(self, spans: list[Span]) -> bool:
        """Whether they were taken."""
        ...

    def hurry(self) -> None:
        """Give up waiting for another try."""
        ...


class _Ending(Exception):  # noqa: N818  no error
    """We are to end, and the collector does not take spans: they wait for the next start."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Following:
    """Where an exporter reads, and when it looks."""

    progress: Path
    hosts: dict[str, str]
    """Upstream to the host behind it."""
    contents: bool
    idle_us: int
    """A session that was quiet for so long has ended, as far as we know."""
    now_us: Callable[[], int]
    poll_s: float = 2.0


class Follower:
    """Follows one store until told to stop."""

    def __init__(self, database: Database, taker: Taker, following: Following) -> None:
        """Takes what it reads and where spans go. A new progress begins with sessions that are active from now on."""
        self._database = database
        self._taker = taker
        self._following = following
        self._progress = read_progress(following.progress) or Progress(since_us=following.now_us())
        self._stop = threading.Event()

    def stop(self, *_: object) -> None:
        """End after a last look. Fit for a signal handler."""
        self._stop.set()
        self._taker.hurry()

    def run(self, *, is_orphan: Callable[[], bool] = lambda: False) -> None:
        """Look again and again; once more after `stop`. Ends by itself when nobody is left who could stop it."""
        self._save()
        while not self._stop.is_set() and not is_orphan():
            self._look()
            self._stop.wait(self._following.poll_s)
        self._look()

    def _look(self) -> None:
        try:
            self.look()
        except _Ending:
            LOG.warning("the collector does not answer: what was not sent waits for the next start")
        except GateError as error:
            LOG.warning("the store could not be read: %(reason)s", {"reason": error})

    def look(self) -> None:
        """Send what is new.

        Raises:
            GateError: the store cannot be read just now.
        """
        now_us = self._following.now_us()
        with snapshot(self._database) as reader:
            active = reader.sessions(since_us=self._progress.since_us)
        for session in sorted(active, key=lambda one: (one.first_us, one.session)):
            self._follow(session, now_us)
        self._forget(now_us)
        self._save()

    def _follow(self, session: SessionFact, now_us: int) -> None:
        followed = self._progress.sessions.setdefault(session.session, Followed())
        if followed.seen_us != session.last_us:
            while self._send_batch(session, followed):
                self._save()
            followed.seen_us = session.last_us
        if now_us - session.last_us >= self._following.idle_us and followed.ended_us != session.last_us:
            self._deliver([session_span(session)])
            followed.ended_us = session.last_us

    def _send_batch(self, session: SessionFact, followed: Followed) -> bool:
        """Send what is new of a session, the store let go before the collector is asked; whether there may be more."""
        naming = Naming(hosts=self._following.hosts, contents=self._following.contents)
        batch: list[Span] = []
        reached: dict[str, int] = {}
        with snapshot(self._database) as reader:
            for turn in _new_turns(reader, session, followed):
                batch += _spans(reader, turn, naming)
                reached[turn.thread] = turn.turn
                if len(batch) >= BATCH:
                    break
        self._deliver(batch)
        followed.turns |= reached
        return len(batch) >= BATCH

    def _deliver(self, spans: list[Span]) -> None:
        if not spans:
            return
        if self._taker.send(spans):
            self._progress.sent += len(spans)
        elif self._stop.is_set():
            raise _Ending
        else:
            self._progress.dropped += len(spans)
            LOG.warning("%(spans)s spans were not taken by the collector and are dropped", {"spans": len(spans)})

    def _forget(self, now_us: int) -> None:
        """Sessions that have ended long ago."""
        progress = self._progress
        progress.since_us = max(progress.since_us, now_us - REMEMBERED_US)
        progress.sessions = {
            session: followed
            for session, followed in progress.sessions.items()
            if followed.seen_us >= progress.since_us
        }

    def _save(self) -> None:
        try:
            self._progress.write(self._following.progress)
        except OSError as error:
            LOG.warning("%(file)s: %(reason)s", {"file": self._following.progress, "reason": error.strerror})


def _new_turns(reader: Reader, session: SessionFact, followed: Followed) -> Iterator[TurnFact]:
    """Turns after those that were sent, each thread in order."""
    for thread, turn in reader.counts(TurnFact, "thread", "turn", session=session.session):
        if int(turn or 0) > followed.turns.get(str(thread), 0):
            yield from reader.facts(TurnFact, session=session.session, thread=thread, turn=turn)


def _spans(reader: Reader, turn: TurnFact, naming: Naming) -> Iterator[Span]:
    who = {"session": turn.session, "thread": turn.thread}
    key = {"writer": turn.writer, "number": turn.number, "part": turn.part}
    (exchange,) = reader.facts(ExchangeFact, **key)
    yield turn_span(Told(turn, exchange, reader.facts(IterationFact, **key)), naming)
    for boundary in reader.facts(BoundaryFact, **who, turn=turn.turn):
        yield boundary_span(boundary, _summary(reader, boundary))
    for call in rereads(reader.facts(CallFact, **who, answered_turn=turn.turn)):
        yield reread_span(call, naming)


def _summary(reader: Reader, boundary: BoundaryFact) -> ExchangeFact | None:
    if boundary.summary_writer is None:
        return None
    key = {"writer": boundary.summary_writer, "number": boundary.summary_number, "part": boundary.summary_part}
    return next(iter(reader.facts(ExchangeFact, **key)), None)
