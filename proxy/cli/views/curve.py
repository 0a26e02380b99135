"""The context of the main thread as a line of box characters."""

from __future__ import annotations

from collections.abc import Sequence

from proxy.story.axis import Axis, held_by_column
from proxy.story.figures import round_top, short
from proxy.story.story import Story

HEIGHT = 5
"""Rows above the axis."""


def context_by_column(story: Story, axis: Axis) -> list[int | None]:
    """Largest billed context of main turns in each column, held until the next one; None before the first."""
    return held_by_column(axis, ((turn, turn.context_tokens) for turn in story.main_turns))


def curve(values: Sequence[int | None], *, label: str = "context", indent: int = 8) -> list[str]:
    """The line with its axis: `HEIGHT` rows and the row of the axis itself, which stands for 0."""
    top = round_top(values)
    levels = [None if value is None else round(value * HEIGHT / top) for value in values]
    grid = [[" "] * len(values) for _ in range(HEIGHT + 1)]
    for column, level in enumerate(levels):
        if level is not None:
            _draw(grid, column, level, levels[column - 1] if column else None)
    grid[0] = ["─" if cell in " ─" else "┴" for cell in grid[0]]
    return [_row(grid, level, top, label.ljust(indent)) for level in range(HEIGHT, -1, -1)]


def _draw(grid: list[list[str]], column: int, level: int, before: int | None) -> None:
    """One step: from the former column's level to this one's."""
    if before is None or before == level:
        grid[level][column] = "─"
        return
    low, high = sorted((before, level))
    grid[before][column] = "╯" if level > before else "╮"
    grid[level][column] = "╭" if level > before else "╰"
    for between in range(low + 1, high):
        grid[between][column] = "│"


def _row(grid: list[list[str]], level: int, top: int, head: str) -> str:
    name = {HEIGHT: short(top), 0: "0"}.get(level, "")
    lead = head if level == HEIGHT else " " * len(head)
    edge = "┼" if level == 0 else ("┤" if name else "│")
    return f"{lead}{name:>6}{edge}{''.join(grid[level])}".rstrip()
