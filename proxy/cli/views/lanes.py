"""One row of marks for each thread, on the axis of the curve."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from proxy.cli.views.axis import Axis
from proxy.cli.views.figures import short
from proxy.cli.views.story import EXACT, PARTIAL, Story
from proxy.model.facts import CallFact, Label, ThreadFact, ToolClass, TurnFact
from proxy.model.ids import ExchangeId

MARKS: tuple[tuple[str, str], ...] = (
    ("R", "re-read exact"),
    ("p", "partial"),
    ("a", "re-read answered by a stub"),
    ("f", "re-read demanded"),
    ("S", "summary call"),
    ("w", "write"),
    ("v", "again while still visible"),
    ("r", "read"),
    ("x", "run"),
    ("?", "unknown tool"),
    ("·", "turn"),
)
"""Marks with their meaning; where several share a column the first of this list is shown."""
_RANK = {mark: rank for rank, (mark, _) in enumerate(MARKS)}
_OF_LABEL: dict[Label, str] = {
    **dict.fromkeys(EXACT, "R"),
    **dict.fromkeys(PARTIAL, "p"),
    Label.ATTEMPTED: "a",
    Label.FORCED: "f",
    Label.REPEAT_VISIBLE: "v",
}
MISSES = {"cold": "○", "ttl": "○", "compaction": "●", "prefix changed": "●", "history changed": "●"}
"""Why the prompt cache was not read: it was cold, or what it held had changed."""
LABEL_WIDTH = 14


class Lanes(NamedTuple):
    """The rows, and the marks that appear in them."""

    rows: list[str]
    marks: set[str]


def mark_of(call: CallFact) -> str:
    """One call as one character."""
    if call.label in _OF_LABEL:
        return _OF_LABEL[call.label]
    if call.tool_class is ToolClass.UNKNOWN:
        return "?"
    if call.tool_class is ToolClass.RETRIEVAL:
        return "r"
    return "w" if call.action == "write" else "x"


def marks_of(turn: TurnFact, calls: Sequence[CallFact]) -> str:
    """The mark of a turn: the strongest of its calls."""
    if turn.purpose == "summary":
        return "S"
    return min((mark_of(call) for call in calls), key=_RANK.__getitem__, default="·")


def lanes(story: Story, axis: Axis) -> Lanes:
    """Main thread first, then the others in the order in which they began."""
    threads = sorted(story.threads, key=lambda thread: (thread.kind != "main", thread.first_us, thread.thread))
    rows, used = [], set()
    for name, members in _named(threads):
        cells = [" "] * axis.width
        for thread in members:
            used |= _draw_thread(story, axis, thread, cells)
        rows.append(f"{name:<{LABEL_WIDTH}} {''.join(cells)}".rstrip())
    return Lanes(rows, used)


def _named(threads: Sequence[ThreadFact]) -> Iterator[tuple[str, list[ThreadFact]]]:
    """All main threads share a lane; each agent has its own; side calls share one."""
    mains = [thread for thread in threads if thread.kind == "main"]
    if mains:
        yield "main", mains
    for number, agent in enumerate((thread for thread in threads if thread.kind == "agent"), start=1):
        yield f"agent {number}", [agent]
    sides = [thread for thread in threads if thread.kind not in ("main", "agent")]
    if sides:
        yield "side calls", sides


def _draw_thread(story: Story, axis: Axis, thread: ThreadFact, cells: list[str]) -> set[str]:
    used = set()
    for turn in story.order:
        if turn.thread != thread.thread:
            continue
        mark = marks_of(turn, story.calls_of.get((turn.thread, turn.turn), []))
        used.add(mark)
        column = axis.of_turn(turn.thread, turn.turn)
        if cells[column] == " " or _RANK[mark] < _RANK[cells[column]]:
            cells[column] = mark
    for boundary in story.boundaries:
        if boundary.thread == thread.thread:
            cells[axis.of_boundary(boundary)] = "│"
    return used


def boundary_row(story: Story, axis: Axis) -> str:
    """`▼b1 auto` over the bar of each boundary; names that would run into each other are cut."""
    cells = [" "] * (axis.width + 24)
    for number, bill in enumerate(story.bills, start=1):
        text = f"▼b{number} {bill.boundary.trigger}".rstrip()
        column = axis.of_boundary(bill.boundary)
        _write(cells, column, text)
    return f"{'compaction':<{LABEL_WIDTH}} {''.join(cells)}".rstrip()


def _write(cells: list[str], column: int, text: str) -> None:
    """Put a text there; what stood further right goes."""
    rest = len(cells) - column
    cells[column:] = text[:rest].ljust(rest)


def miss_row(story: Story, axis: Axis) -> tuple[str, set[str]]:
    """Where the prompt cache was not read, with the tokens that were written again; empty when it always was."""
    written: dict[ExchangeId, int] = {}
    for iteration in story.iterations:
        key = iteration.exchange
        tokens = (
            iteration.cache_write_5m + iteration.cache_write_1h + iteration.cache_write_30m + iteration.cache_write_12h
        )
        written[key] = written.get(key, 0) + tokens
    cells = [" "] * (axis.width + 16)
    seen = set()
    for turn in story.order:
        if turn.cache_miss not in MISSES:
            continue
        seen.add(MISSES[turn.cache_miss])
        column = axis.of_turn(turn.thread, turn.turn)
        rewrite = written.get(turn.exchange, 0)
        text = MISSES[turn.cache_miss] + (f"rewrite {short(rewrite)}" if MISSES[turn.cache_miss] == "●" else "")
        _write(cells, column, text)
    return (f"{'cache miss':<{LABEL_WIDTH}} {''.join(cells)}".rstrip() if seen else ""), seen
