"""The context as an area: what was billed, and under it, on a scale of its own, what it held by kind."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from proxy.picture.drawing import element, label, number
from proxy.picture.frame import Frame, Panel
from proxy.picture.kinds import KINDS, sizes
from proxy.story.axis import held_by_column
from proxy.story.figures import round_top, short

HEIGHT, KINDS_HEIGHT, GAP = 110, 110, 16
CONTEXT_FILL, CONTEXT_LINE = "#d6e4f0", "#35526e"
GRID, TEXT = "#e4e7eb", "#52606d"

Stack = tuple[int, ...]
"""A sum and its parts."""


def context_panel(frame: Frame) -> Panel:
    """Billed prompt tokens of main turns."""
    values = held_by_column(frame.places, ((turn, turn.context_tokens) for turn in frame.story.main_turns))
    top = round_top(values)
    grid = [_level(frame, HEIGHT, part, top) for part in (0, 1, 2)]
    body = area(frame, values, HEIGHT, top, fill=CONTEXT_FILL, stroke=CONTEXT_LINE, class_="context")
    return Panel(HEIGHT + GAP, "".join([*grid, _name(frame, "context", "billed tokens", 22), body]))


def kinds_panel(frame: Frame) -> Panel:
    """What stood in view, a layer for each kind, in reference tokens."""
    stacks = stacked(frame)
    top = round_top([stack[0] if stack else None for stack in stacks])
    grid = [_level(frame, KINDS_HEIGHT, part, top) for part in (0, 1, 2)]
    layers = "".join(_layers(frame, stacks, top))
    return Panel(KINDS_HEIGHT + GAP, "".join([*grid, layers, _name(frame, "in view", "ref. tokens", 22)]))


def stacked(frame: Frame) -> list[Stack | None]:
    """By column the fullest turn: its sum, then its kinds. What is not told takes no room."""
    held = ([size or 0 for size in found] for found in sizes(frame.story))
    stacks = ((sum(found), *found) for found in held)
    return held_by_column(frame.places, zip(frame.story.main_turns, stacks, strict=True))


def _layers(frame: Frame, stacks: Sequence[Stack | None], top: int) -> Iterator[str]:
    """From the highest to the lowest: each covers what lies under it."""
    for place in range(len(KINDS), 0, -1):
        if any(stack and stack[place] for stack in stacks):
            heights = [sum(stack[1 : place + 1]) if stack else None for stack in stacks]
            kind = KINDS[place - 1]
            name = f"kind {kind.name.replace(' ', '-')}"
            yield area(frame, heights, KINDS_HEIGHT, top, fill=kind.fill, stroke="none", class_=name)


def area(frame: Frame, values: Sequence[int | None], height: float, top: int, **look: str) -> str:
    """A filled staircase over the columns that have a value."""
    stairs = list(_stairs(frame, values, height, top))
    if not stairs:
        return ""
    line = "".join(f"{'L' if place else 'M'}{number(x)} {number(y)}" for place, (x, y) in enumerate(stairs))
    edge = f"{line}L{number(stairs[-1][0])} {number(height)}L{number(stairs[0][0])} {number(height)}Z"
    return element("path", d=edge, stroke_width=1.2, **look)


def _stairs(frame: Frame, values: Sequence[int | None], height: float, top: int) -> Iterator[tuple[float, float]]:
    known = [(column, value) for column, value in enumerate(values) if value is not None]
    for column, value in _steps(known):
        yield frame.x(column - 0.5), height - height * value / top
    if known:
        yield frame.x(known[-1][0] + 0.5), height - height * known[-1][1] / top


def _steps(known: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Only where the height changes: twice there, once on each level."""
    yield from known[:1]
    for (_, before), (column, value) in pairwise(known):
        if value != before:
            yield column, before
            yield column, value


def _level(frame: Frame, height: float, part: int, top: int) -> str:
    y = height - height * part / 2
    line = element("line", x1=frame.left, x2=frame.width - 10, y1=y, y2=y, stroke=GRID)
    return line + label(frame.left - 6, y + 3.5, short(top * part // 2), text_anchor="end", fill=TEXT, font_size=10)


def _name(frame: Frame, name: str, unit: str, y: float) -> str:
    if frame.is_narrow:
        return label(frame.left + 3, -4, f"{name}, {unit}", fill=TEXT, font_size=10)
    return label(4, y, name, fill="#1f2933", font_size=11) + label(4, y + 13, unit, fill=TEXT, font_size=9)
