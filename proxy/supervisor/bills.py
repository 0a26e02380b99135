"""What compactions cost, of all sessions that have any: the bills of `proxy.ledger.bill` added up.

A bill needs the whole session, which is dear to read. So a scrape works at it for a short while only; until the
sessions that a start finds are all read, nothing is shown, so that no counter tells old money as new.
"""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from proxy.ledger.bill import Bill, ThreadBook
from proxy.metrics.definitions import BILL_PART, REPEAT_CLASSES
from proxy.metrics.readings import Labels, Readings
from proxy.model.facts import BoundaryFact, CallFact, IterationFact, Label, ToolClass, TurnFact
from proxy.model.ids import ThreadId
from proxy.store import Reader
from proxy.supervisor.totals import Entry, shown

BUDGET_S = 1.0
"""Time of a scrape for reading sessions; what is left waits for the next one."""
DAY_US = 86_400_000_000
_USD, _UNPRICED, _RETRIEVALS = (
    "compaction_bill_usd_total",
    "compaction_bill_unpriced_total",
    "compaction_retrievals_total",
)
NAMES = (_USD, _UNPRICED, _RETRIEVALS)
_UNANSWERED = (Label.PENDING, Label.NO_RESULT)


class _Recent(NamedTuple):
    """What the medians need of one compaction."""

    at_us: int
    pays_back_after: float
    """Modelled; infinite when it never does."""
    followed: int


class _Part(NamedTuple):
    """What one session adds."""

    exchanges: int
    amounts: Mapping[Entry, int]
    recent: tuple[_Recent, ...]
    who: Labels


class Bills:
    """The bills of all sessions, as far as this process has read them."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """Takes what tells the seconds of the budget."""
        self._clock = clock
        self._parts: dict[str, _Part] = {}
        self._is_complete = False

    def refresh(self, reader: Reader, exchanges: Mapping[str, int], whose: Callable[[str], Labels]) -> None:
        """Read again what has changed, as far as the budget goes; those that waited longest come first."""
        sessions = [str(key[0]) for key in reader.counts(BoundaryFact, "session")]
        changed = [own for own in sessions if self._read_at(own) != exchanges.get(own, 0)]
        ends = self._clock() + BUDGET_S
        for session in sorted(changed, key=self._read_at):
            if self._clock() > ends:
                return
            self._parts[session] = _part(reader, session, exchanges.get(session, 0), whose(session))
        self._is_complete = True

    def readings(self, now_us: int) -> Readings:
        """Counters, and the medians of the last 24 hours; nothing while sessions of the start are unread."""
        if not self._is_complete:
            return {}
        sums: dict[Entry, int] = {}
        for part in self._parts.values():
            for entry, amount in part.amounts.items():
                sums[entry] = sums.get(entry, 0) + amount
        return {**shown(sums, NAMES), **self._medians(now_us)}

    def _read_at(self, session: str) -> int:
        """Exchanges the session had when it was read; 0 when it was not."""
        part = self._parts.get(session)
        return part.exchanges if part else 0

    def _medians(self, now_us: int) -> Readings:
        recent: dict[Labels, list[_Recent]] = {}
        for part in self._parts.values():
            found = [one for one in part.recent if one.at_us >= now_us - DAY_US]
            if found:
                recent.setdefault(part.who, []).extend(found)
        return {
            "compaction_break_even_turns": {
                who: statistics.median_high(one.pays_back_after for one in found) for who, found in recent.items()
            },
            "compaction_followed_turns": {
                who: float(statistics.median_high(one.followed for one in found)) for who, found in recent.items()
            },
        }


def _part(reader: Reader, session: str, exchanges: int, who: Labels) -> _Part:
    turns = reader.facts(TurnFact, session=session)
    iterations = reader.facts(IterationFact, session=session)
    calls = reader.facts(CallFact, session=session)
    boundaries = reader.facts(BoundaryFact, session=session)
    amounts: dict[Entry, int] = {}
    bills: list[Bill] = []
    for thread in sorted({boundary.thread for boundary in boundaries}):
        own = [boundary for boundary in boundaries if boundary.thread == thread]
        book = ThreadBook(_of(turns, thread), iterations, _of(calls, thread))
        bills += book.bills(own)
        for entry in _retrievals(_of(calls, thread), min(boundary.turn for boundary in own), who):
            amounts[entry] = amounts.get(entry, 0) + 1
    for entry, amount in (found for bill in bills for found in _lines(bill, who)):
        amounts[entry] = amounts.get(entry, 0) + amount
    return _Part(exchanges, amounts, tuple(_recents(bills)), who)


def _of[F: (TurnFact, CallFact)](facts: list[F], thread: ThreadId) -> list[F]:
    return [fact for fact in facts if fact.thread == thread]


def _lines(bill: Bill, who: Labels) -> Iterator[tuple[Entry, int]]:
    lines = (bill.summary, bill.rewrite, bill.exact, bill.partial, bill.attempted)
    for part, line in zip(BILL_PART.values, lines, strict=True):
        yield Entry(_USD, (*who, part)), line.priced_pico_usd
        yield Entry(_UNPRICED, (*who, part)), line.unpriced


def _retrievals(calls: list[CallFact], first_turn: int, who: Labels) -> Iterator[Entry]:
    """Each answered retrieval, before or after the thread's first compaction, by what it repeats."""
    for call in calls:
        if call.tool_class is ToolClass.RETRIEVAL and call.label not in _UNANSWERED:
            phase = "after" if call.turn >= first_turn else "before"
            repeats = call.label.value if call.label in REPEAT_CLASSES else "none"
            yield Entry(_RETRIEVALS, (*who, phase, repeats))


def _recents(bills: list[Bill]) -> Iterator[_Recent]:
    for bill in bills:
        if bill.measured_pico_usd is not None and bill.saved_per_turn_pico_usd is not None:
            turns = math.inf if bill.pays_back_after is None else float(bill.pays_back_after)
            yield _Recent(bill.boundary.at_us, turns, bill.turns_followed)
