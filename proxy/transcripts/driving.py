"""A session's files through the journey; its facts stay in memory, the last one of each key, as in a store."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from operator import attrgetter
from typing import assert_never

from proxy.journey import Journey
from proxy.model.facts import FACTS, BoundaryFact, Fact, Observability, SessionFact, TurnFact
from proxy.sessions.state import SessionState
from proxy.transcripts.calls import Beside, Told, read_calls
from proxy.transcripts.claude_code import ClaudeCode
from proxy.transcripts.codex import Codex
from proxy.transcripts.formats import Format, Group
from proxy.transcripts.trouble import Trouble

EVIDENCE = "compaction record"
"""What shows a compaction that the client marked."""
_KEYS = {kind: attrgetter(*kind.KEY) for kind in FACTS}


class _Unkept(SessionState):
    """A state that nobody stores."""

    def take_changes(self) -> dict[str, bytes]:
        """Nothing is written, so nothing is put into bytes."""
        self.changed.clear()
        return {}


class Facts:
    """Facts by class and key."""

    def __init__(self) -> None:
        self._facts: dict[type, dict[object, Fact]] = {}

    def take(self, fact: Fact) -> None:
        """A later fact replaces the earlier one of the same key."""
        self._facts.setdefault(type(fact), {})[_KEYS[type(fact)](fact)] = fact

    def of[F: Fact](self, kind: type[F]) -> list[F]:
        """All of one class, in the order in which they were first said."""
        return [fact for fact in self._facts.get(kind, {}).values() if isinstance(fact, kind)]


def calls_of(group: Group, beside: Beside, trouble: Trouble) -> Iterator[Told]:
    """All calls that a session's files tell of, each once."""
    match group.format:
        case Format.CLAUDE_CODE:  # its files are branches of one tree
            yield from read_calls(ClaudeCode(group.session, beside, trouble), group.files, trouble)
        case Format.CODEX:  # each of its files is a history of its own
            for file in group.files:
                yield from read_calls(Codex(beside, trouble), (file,), trouble)
        case _:
            assert_never(group.format)


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
