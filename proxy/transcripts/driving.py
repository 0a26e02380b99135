"""Calls through the journey; the facts stay in memory, the last one of each key, as a store would hold them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from proxy.journey import Journey
from proxy.model.facts import BoundaryFact, Fact, Observability, SessionFact, TurnFact
from proxy.sessions.state import SessionState
from proxy.transcripts.calls import Told

EVIDENCE = "compaction record"
"""What shows a compaction that the client marked."""


class _Unkept(SessionState):
    """A state that nobody stores."""

    def take_changes(self) -> dict[str, bytes]:
        """Nothing is written, so nothing is put into bytes."""
        self.changed.clear()
        return {}


class Facts:
    """Facts by class and key."""

    def __init__(self) -> None:
        self._facts: dict[type, dict[tuple[object, ...], Fact]] = {}

    def take(self, fact: Fact) -> None:
        """A later fact replaces the earlier one of the same key."""
        key = tuple(getattr(fact, name) for name in fact.KEY)
        self._facts.setdefault(type(fact), {})[key] = fact

    def of[F: Fact](self, kind: type[F]) -> list[F]:
        """All of one class, in the order in which they were first said."""
        return [fact for fact in self._facts.get(kind, {}).values() if isinstance(fact, kind)]


def drive(journey: Journey, calls: Iterable[Told]) -> Facts:
    """Observe one session's calls in order."""
    facts, state = Facts(), None
    for told in calls:
        session = journey.session_of(told.exchange, told.reading)
        if session is not None and (state is None or state.session != session):
            state = _Unkept(session)
        for fact in journey.observe(told.exchange, state, told.reading).facts:
            facts.take(_as_told(fact))
    for session_fact in facts.of(SessionFact):
        starts = [turn.started_us for turn in facts.of(TurnFact)]
        facts.take(replace(session_fact, first_us=min(starts, default=session_fact.first_us)))
    return facts


def _as_told(fact: Fact) -> Fact:
    """A transcript is the client's account of what it sent: nothing in it is exact."""
    if not isinstance(fact, BoundaryFact):
        return fact
    level = Observability.INFERRED if fact.level is Observability.EXACT else fact.level
    return replace(fact, level=level, evidence=EVIDENCE if fact.evidence == "hint header" else fact.evidence)
