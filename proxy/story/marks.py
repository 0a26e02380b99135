"""The classes of calls as marks, the threads as lanes, and the misses of the prompt cache."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from proxy.model.facts import CallFact, IterationFact, Label, ThreadFact, ToolClass, TurnFact
from proxy.model.ids import ExchangeId
from proxy.story.story import EXACT, PARTIAL, Story

MARKS: tuple[tuple[str, str], ...] = (
    ("R", "re-read exact"),
    ("p", "partial"),
    ("a", "re-read answered by a stub"),
    ("f", "re-read demanded"),
    ("S", "summary call"),
    ("w", "write"),
    ("u", "read again, it had changed"),
    ("v", "again while still visible"),
    ("r", "read"),
    ("x", "run"),
    ("?", "unknown tool"),
    ("·", "turn"),
)
"""Marks with their meaning; where several share a place the first of this list is shown."""
RANK = {mark: rank for rank, (mark, _) in enumerate(MARKS)}
_OF_LABEL: dict[Label, str] = {
    **dict.fromkeys(EXACT, "R"),
    **dict.fromkeys(PARTIAL, "p"),
    Label.ATTEMPTED: "a",
    Label.FORCED: "f",
    Label.REFRESH: "u",
    Label.REPEAT_VISIBLE: "v",
}
MISSES = {"cold": "○", "ttl": "○", "compaction": "●", "prefix changed": "●", "history changed": "●"}
"""Why the prompt cache was not read: it was cold, or what it held had changed."""


def mark_of(call: CallFact) -> str:
    """One call as one character."""
    if call.label in _OF_LABEL:
        return _OF_LABEL[call.label]
    if call.tool_class is ToolClass.UNKNOWN:
        return "?"
    if call.tool_class is ToolClass.RETRIEVAL:
        return "r"
    return "w" if call.action == "write" else "x"


def mark_of_turn(turn: TurnFact, calls: Sequence[CallFact]) -> str:
    """The mark of a turn: the strongest of its calls."""
    if turn.purpose == "summary":
        return "S"
    return min((mark_of(call) for call in calls), key=RANK.__getitem__, default="·")


def lanes_of(story: Story) -> Iterator[tuple[str, list[ThreadFact]]]:
    """Name and threads of each lane: main threads share one, each agent has its own, side calls share one."""
    threads = sorted(story.threads, key=lambda thread: (thread.kind != "main", thread.first_us, thread.thread))
    mains = [thread for thread in threads if thread.kind == "main"]
    if mains:
        yield "main", mains
    for number, agent in enumerate((thread for thread in threads if thread.kind == "agent"), start=1):
        yield f"agent {number}", [agent]
    sides = [thread for thread in threads if thread.kind not in ("main", "agent")]
    if sides:
        yield "side calls", sides


def written_by(iterations: Sequence[IterationFact]) -> dict[ExchangeId, int]:
    """Billed tokens that each exchange wrote to the prompt cache."""
    written: dict[ExchangeId, int] = {}
    for one in iterations:
        tokens = one.cache_write_5m + one.cache_write_1h + one.cache_write_30m + one.cache_write_12h
        written[one.exchange] = written.get(one.exchange, 0) + tokens
    return written
