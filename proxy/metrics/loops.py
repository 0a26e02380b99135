"""Which sessions re-read in a loop after a compaction: what the alert fires on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from proxy.ledger.classify import REREADS
from proxy.model.facts import CallFact, Label
from proxy.model.ids import ThreadId

COUNTED = REREADS | {Label.ATTEMPTED}
"""A re-read answered by a stub is a turn of the loop all the same."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoopLimits:
    """When re-reads are a loop (settings `[sessions]`)."""

    same_observation: int
    """Re-reads of one observation after one boundary."""
    any_of_them: int
    """Or this many re-reads of any within `turns`."""
    turns: int
    """A loop ends after so many turns without a further re-read,"""
    idle_us: int
    """or after so long without traffic."""


class Loop(NamedTuple):
    """Re-reads on one thread after one boundary that are a loop."""

    last: CallFact
    """The latest of them."""
    is_open: bool
    """Whether the thread has not gone on for enough turns without a further one."""


def loops_of(calls: Iterable[CallFact], limits: LoopLimits) -> list[Loop]:
    """Every loop of a session, open or over; the one definition of what a loop is."""
    newest: dict[ThreadId, int] = {}
    rereads: dict[tuple[ThreadId, int], list[CallFact]] = {}
    for call in calls:
        newest[call.thread] = max(call.turn, newest.get(call.thread, 0))
        if call.label in COUNTED and call.boundary is not None:
            rereads.setdefault((call.thread, call.boundary), []).append(call)
    return [
        Loop(last=found[-1], is_open=newest[thread] - found[-1].turn <= limits.turns)
        for (thread, _), found in rereads.items()
        if _is_loop(found, limits)
    ]


def is_looping(calls: Iterable[CallFact], *, last_us: int, now_us: int, limits: LoopLimits) -> bool:
    """Whether a session with these calls, last seen then, loops now."""
    return now_us - last_us <= limits.idle_us and any(loop.is_open for loop in loops_of(calls, limits))


def _is_loop(rereads: Sequence[CallFact], limits: LoopLimits) -> bool:
    same = Counter(call.repeats for call in rereads if call.repeats is not None)
    if max(same.values(), default=0) >= limits.same_observation:
        return True
    turns = [call.turn for call in rereads]
    needed = limits.any_of_them
    return any(last - first < limits.turns for first, last in zip(turns, turns[needed - 1 :], strict=False))
