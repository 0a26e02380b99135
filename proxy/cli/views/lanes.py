"""One row of marks for each thread, on the axis of the curve."""

from __future__ import annotations

from typing import NamedTuple

from proxy.model.facts import ThreadFact
from proxy.story.axis import Axis
from proxy.story.figures import short
from proxy.story.marks import MISSES, RANK, lanes_of, mark_of_turn, written_by
from proxy.story.story import Story

LABEL_WIDTH = 14


class Lanes(NamedTuple):
    """The rows, and the marks that appear in them."""

    rows: list[str]
    marks: set[str]


def lanes(story: Story, axis: Axis) -> Lanes:
    """Main thread first, then the others in the order in which they began."""
    rows, used = [], set()
    for name, members in lanes_of(story):
        cells = [" "] * axis.width
        for thread in members:
            used |= _draw_thread(story, axis, thread, cells)
        rows.append(f"{name:<{LABEL_WIDTH}} {''.join(cells)}".rstrip())
    return Lanes(rows, used)


def _draw_thread(story: Story, axis: Axis, thread: ThreadFact, cells: list[str]) -> set[str]:
    used = set()
    for turn in story.order:
        if turn.thread != thread.thread:
            continue
        mark = mark_of_turn(turn, story.calls_of.get((turn.thread, turn.turn), []))
        used.add(mark)
        column = axis.of_turn(turn.thread, turn.turn)
        if cells[column] == " " or RANK[mark] < RANK[cells[column]]:
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
    written = written_by(story.iterations)
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
