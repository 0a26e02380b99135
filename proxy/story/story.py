"""Everything that is known of one session, and the figures that follow from it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from proxy.ledger.bill import Bill, ThreadBook
from proxy.ledger.classify import REREADS
from proxy.model.facts import (
    BoundaryFact,
    CallFact,
    DropFact,
    IterationFact,
    Label,
    ObservationFact,
    SessionFact,
    ThreadFact,
    ToolClass,
    TurnFact,
)
from proxy.model.ids import ObservationId, ThreadId
from proxy.story.audit import Audited

EXACT = frozenset({Label.REACQUISITION})
PARTIAL = REREADS - EXACT
"""The same content by another range, tool or command: never added to exact ones (V4)."""


class Money(NamedTuple):
    """A sum that says what it leaves out."""

    pico_usd: int | None
    """None when nothing had a price."""
    unpriced: int
    """Samplings without one."""


@dataclass(frozen=True, kw_only=True)
class Story:
    """One session's facts, as one snapshot of the store gave them."""

    session: SessionFact
    threads: Sequence[ThreadFact]
    turns: Sequence[TurnFact]
    iterations: Sequence[IterationFact]
    calls: Sequence[CallFact]
    observations: Sequence[ObservationFact]
    boundaries: Sequence[BoundaryFact]
    drops: Sequence[DropFact]
    audited: Sequence[Audited] = ()
    """Labels given by hand to calls of any session of the store."""

    @cached_property
    def order(self) -> list[TurnFact]:
        """All turns of all threads in the order of time."""
        return sorted(self.turns, key=lambda turn: (turn.started_us, turn.exchange))

    @cached_property
    def main_turns(self) -> list[TurnFact]:
        """Turns of main threads in the order of time."""
        main = {thread.thread for thread in self.threads if thread.kind == "main"}
        return [turn for turn in self.order if turn.thread in main]

    @cached_property
    def calls_of(self) -> dict[tuple[ThreadId, int], list[CallFact]]:
        """Calls by the turn that asked for them."""
        found: dict[tuple[ThreadId, int], list[CallFact]] = {}
        for call in self.calls:
            found.setdefault((call.thread, call.turn), []).append(call)
        return found

    @cached_property
    def labels(self) -> Counter[Label]:
        """Calls by class."""
        return Counter(call.label for call in self.calls)

    @cached_property
    def bills(self) -> list[Bill]:
        """Bills in the order of time; their places are the names `b1`, `b2`."""
        threads = sorted({boundary.thread for boundary in self.boundaries})
        found = [bill for thread in threads for bill in self._bills_of(thread)]
        return sorted(found, key=lambda bill: (bill.boundary.at_us, bill.boundary.thread, bill.boundary.boundary))

    @cached_property
    def boundary_names(self) -> dict[tuple[ThreadId, int], str]:
        """`b1`, `b2` by thread and number on it."""
        return {
            (bill.boundary.thread, bill.boundary.boundary): f"b{number}"
            for number, bill in enumerate(self.bills, start=1)
        }

    def origin_of(self, call: CallFact) -> CallFact | None:
        """The earlier call whose answer this one brings again; None when it brings nothing again."""
        return self._makers.get(call.repeats) if call.repeats is not None else None

    @cached_property
    def _makers(self) -> dict[ObservationId, CallFact]:
        return {call.observation: call for call in self.calls if call.observation is not None}

    def _bills_of(self, thread: ThreadId) -> list[Bill]:
        book = ThreadBook(
            [turn for turn in self.turns if turn.thread == thread],
            [iteration for iteration in self.iterations if iteration.thread == thread],
            [call for call in self.calls if call.thread == thread],
        )
        return book.bills([boundary for boundary in self.boundaries if boundary.thread == thread])

    @property
    def exact(self) -> int:
        """Exact re-reads after a boundary."""
        return sum(self.labels[label] for label in EXACT)

    @property
    def partial(self) -> int:
        """Re-reads of a part, or by another way."""
        return sum(self.labels[label] for label in PARTIAL)

    @property
    def unknown_calls(self) -> int:
        """Calls of tools without a rule: each makes re-read figures a lower bound (V8)."""
        return sum(call.tool_class is ToolClass.UNKNOWN for call in self.calls)

    @property
    def retrievals_after_a_boundary(self) -> int:
        """The denominator of a re-read rate (V8)."""
        first: dict[ThreadId, int] = {}
        for boundary in self.boundaries:
            first[boundary.thread] = min(boundary.turn, first.get(boundary.thread, boundary.turn))
        return sum(
            call.tool_class is ToolClass.RETRIEVAL and call.thread in first and call.turn >= first[call.thread]
            for call in self.calls
        )

    @property
    def cost(self) -> Money:
        """Price of everything the session was billed for."""
        return money(self.iterations)

    @property
    def duration_us(self) -> int:
        """From the first request to the end of the last turn."""
        ends = (turn.started_us + (turn.duration_us or 0) for turn in self.turns)
        return max(ends, default=self.session.last_us) - self.session.first_us


def money(iterations: Sequence[IterationFact]) -> Money:
    """Sum of known prices."""
    priced = [iteration.pico_usd for iteration in iterations if iteration.pico_usd is not None]
    return Money(sum(priced) if priced else None, len(iterations) - len(priced))
