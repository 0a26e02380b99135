"""Which sessions re-read in a loop after a compaction: what the alert fires on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from proxy.ledger.classify import REREADS
from proxy.model.facts import CallFact, Label
from proxy.model.ids import ThreadId

_COUNTED = REREADS | {Label.ATTEMPTED}
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


def is_looping(calls: Iterable[CallFact], *, last_us: int, now_us: int, limits: LoopLimits) -> bool:
    """Whether a session with these calls, last seen then, loops now."""
    if now_us - last_us > limits.idle_us:
        return False
    newest: dict[ThreadId, int] = {}
    rereads: dict[tuple[ThreadId, int], list[CallFact]] = {}
    for call in calls:
        newest[call.thread] = max(call.turn, newest.get(call.thread, 0))
        if call.label in _COUNTED and call.boundary is not None:
            rereads.setdefault((call.thread, call.boundary), []).append(call)
    return any(
        newest[thread] - found[-1].turn <= limits.turns and _is_loop(found, limits)
        for (thread, _), found in rereads.items()
    )


def _is_loop(rereads: Sequence[CallFact], limits: LoopLimits) -> bool:
    same = Counter(call.repeats for call in rereads if call.repeats is not None)
    if max(same.values(), default=0) >= limits.same_observation:
        return True
    turns = [call.turn for call in rereads]
    needed = limits.any_of_them
    return any(last - first < limits.turns for first, last in zip(turns, turns[needed - 1 :], strict=False))
