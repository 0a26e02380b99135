"""The context as an area, and under it what of it is known by kind.

The area is billed and measured. By kind the facts hold two sizes, in reference tokens: tool results in view, and the
summary of the last compaction. They have a scale of their own, since billed and reference tokens never meet (V21);
system, tools and texts are not told apart.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from proxy.model.facts import BoundaryFact, BoundaryKind
from proxy.model.ids import ExchangeId
from proxy.picture.drawing import element, label, number
from proxy.picture.frame import Frame, Panel
from proxy.story.axis import held_by_column
from proxy.story.figures import round_top, short
from proxy.story.story import Story

HEIGHT, KINDS_HEIGHT, GAP = 150, 46, 14
CONTEXT_FILL, CONTEXT_LINE = "#d6e4f0", "#35526e"
RESULTS_FILL, SUMMARY_FILL = "#56b4e9", "#3d4852"
KEEPING = frozenset({BoundaryKind.PROVIDER_CLEAR, BoundaryKind.ROLLING})
"""Boundaries after which a former summary still stands in view."""
GRID, TEXT = "#e4e7eb", "#52606d"


def context_panel(frame: Frame) -> Panel:
    """Billed prompt tokens of main turns."""
    values = held_by_column(frame.places, ((turn, turn.context_tokens) for turn in frame.story.main_turns))
    top = round_top(values)
    grid = [_level(frame, HEIGHT, part, top) for part in (0, 1, 2)]
    body = area(frame, values, HEIGHT, top, fill=CONTEXT_FILL, stroke=CONTEXT_LINE, class_="context")
    return Panel(HEIGHT + GAP, "".join([*grid, _name(frame, "context", "billed tokens", 22), body]))


def kinds_panel(frame: Frame) -> Panel:
    """Tool results and summary in view, in reference tokens."""
    story = frame.story
    results = held_by_column(frame.places, zip(story.main_turns, results_in_view(story), strict=True))
    summaries = held_by_column(frame.places, zip(story.main_turns, summary_in_view(story), strict=True))
    both = [None if one is None else one + (other or 0) for one, other in zip(results, summaries, strict=True)]
    top = round_top(both)
    grid = [_level(frame, KINDS_HEIGHT, part, top) for part in (0, 2)]
    under = area(frame, both, KINDS_HEIGHT, top, fill=SUMMARY_FILL, stroke="none", class_="summary-in-view")
    over = area(frame, results, KINDS_HEIGHT, top, fill=RESULTS_FILL, stroke="none", class_="results-in-view")
    return Panel(KINDS_HEIGHT + GAP, "".join([*grid, _name(frame, "in view", "ref. tokens", 22), under, over]))


def results_in_view(story: Story) -> list[int | None]:
    """Reference tokens of the tool results that stood in the context of each main turn."""
    left = {(drop.thread, drop.observation): drop.turn for drop in story.drops}
    steps: dict[tuple[str, int], int] = {}
    for one in story.observations:
        steps[one.thread, one.turn] = steps.get((one.thread, one.turn), 0) + one.tokens_ref
        if gone := left.get((one.thread, one.observation)):
            steps[one.thread, gone] = steps.get((one.thread, gone), 0) - one.tokens_ref
    held: dict[str, int] = {}
    values: list[int | None] = []
    for turn in story.main_turns:
        held[turn.thread] = held.get(turn.thread, 0) + steps.get((turn.thread, turn.turn), 0)
        values.append(held[turn.thread])
    return values


def summary_in_view(story: Story) -> list[int | None]:
    """Reference tokens of the summary that the context of each main turn began with; None without a measured one."""
    written: dict[ExchangeId | None, int] = {turn.exchange: turn.reply_tokens_ref for turn in story.turns}
    begins = {
        (one.thread, one.turn): written.get(_summary_call(one)) for one in story.boundaries if one.kind not in KEEPING
    }
    held: dict[str, int | None] = {}
    values: list[int | None] = []
    for turn in story.main_turns:
        held[turn.thread] = begins.get((turn.thread, turn.turn), held.get(turn.thread))
        values.append(held[turn.thread])
    return values


def _summary_call(boundary: BoundaryFact) -> ExchangeId | None:
    if boundary.summary_writer is None or boundary.summary_number is None:
        return None
    return ExchangeId(boundary.summary_writer, boundary.summary_number, boundary.summary_part or 0)


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
        return label(frame.left + 3, 10, f"{name}, {unit}", fill=TEXT, font_size=10)
    return label(4, y, name, fill="#1f2933", font_size=11) + label(4, y + 13, unit, fill=TEXT, font_size=9)
