"""One lane for each thread, one tick for each call.

Where more calls fall into a cell than it holds, those of one class share a tick.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple

from proxy.model.facts import CallFact, ThreadFact, TurnFact
from proxy.model.ids import ThreadId
from proxy.picture.arcs import Arc, arcs, draw_arcs
from proxy.picture.drawing import element, label, number, words
from proxy.picture.frame import Frame, Panel
from proxy.picture.shapes import SHAPES
from proxy.picture.tips import looked_at, tip_of_calls, tip_of_turns
from proxy.story.marks import RANK, lanes_of, mark_of, mark_of_turn

ROWS, PITCH = 4, 10
HEADROOM, LITTLE_HEADROOM, GAP = 54, 8, 6
MOST_LANES = 9
"""Lanes of their own; further threads share the last one."""
CallKey = tuple[ThreadId, int, int]


@dataclass(frozen=True, slots=True)
class Tick:
    """One mark of a lane: calls of one class, or turns that asked for nothing."""

    column: int
    row: int
    mark: str
    calls: tuple[CallFact, ...]
    turns: tuple[TurnFact, ...]

    @property
    def count(self) -> int:
        """What it stands for."""
        return len(self.calls) or len(self.turns)


class Item(NamedTuple):
    """What wants a tick: a call, or a turn without one."""

    mark: str
    turn: TurnFact
    call: CallFact | None


def lane_panels(frame: Frame) -> Iterator[Panel]:
    """Main thread first; in a narrow picture all others share one lane."""
    for name, threads in _folded(frame):
        yield _panel(frame, name, threads)


def _folded(frame: Frame) -> Iterator[tuple[str, list[ThreadFact]]]:
    lanes = list(lanes_of(frame.story))
    most = 2 if frame.is_narrow else MOST_LANES
    if len(lanes) <= most:
        yield from lanes
        return
    yield from lanes[: most - 1]
    rest = [thread for _, threads in lanes[most - 1 :] for thread in threads]
    yield (f"+{len(rest)}" if frame.is_narrow else f"{len(rest)} others"), rest


def _panel(frame: Frame, name: str, threads: Sequence[ThreadFact]) -> Panel:
    ticks = ticks_of(frame, {thread.thread for thread in threads})
    rows = max((tick.row for tick in ticks), default=0) + 1
    spots = {_key(call): (frame.x(tick.column), tick.row * PITCH) for tick in ticks for call in tick.calls}
    drawn = arcs(frame.story, spots)
    top = HEADROOM if drawn else LITTLE_HEADROOM
    height = top + rows * PITCH
    base = top + PITCH / 2
    line = element(
        "line", x1=frame.left, x2=frame.width - 10, y1=base - PITCH, y2=base - PITCH, stroke="#e4e7eb", class_="rule"
    )
    title = label(4, base + 3.5, name, fill="#1f2933", font_size=11)
    marks = "".join(_draw(frame, tick, base, drawn) for tick in ticks)
    body = [line, title, draw_arcs(drawn, base, top), element("g", marks, class_="ticks")]
    return Panel(height + GAP, element("g", *body, class_="lane", data_lane=name))


def _key(call: CallFact) -> CallKey:
    return call.thread, call.turn, call.index


def ticks_of(frame: Frame, threads: set[ThreadId]) -> list[Tick]:
    """The ticks of a lane, from left to right and from top to bottom."""
    cells: dict[int, list[Item]] = {}
    for turn in frame.story.order:
        if turn.thread in threads:
            column = frame.places.of_turn(turn.thread, turn.turn)
            cells.setdefault(column, []).extend(_items(frame, turn))
    return [tick for column in sorted(cells) for tick in _cell(column, cells[column])]


def _items(frame: Frame, turn: TurnFact) -> Iterator[Item]:
    calls = frame.story.calls_of.get((turn.thread, turn.turn), [])
    if not calls or turn.purpose == "summary":
        yield Item(mark_of_turn(turn, ()), turn, None)
    for call in calls:
        yield Item(mark_of(call), turn, call)


def _cell(column: int, items: Sequence[Item]) -> Iterator[Tick]:
    groups: Iterable[Sequence[Item]] = [[item] for item in items]
    if len(items) > ROWS:
        told = [item for item in items if item.mark != "\u00b7"] or items
        told = sorted(told, key=lambda item: RANK[item.mark])
        by_mark = [list(group) for _, group in groupby(told, key=lambda item: item.mark)]
        groups = [*by_mark[: ROWS - 1], [item for group in by_mark[ROWS - 1 :] for item in group]]
    for row, group in enumerate(group for group in groups if group):
        calls = tuple(item.call for item in group if item.call is not None)
        yield Tick(column, row, group[0].mark, calls, () if calls else tuple(item.turn for item in group))


def _draw(frame: Frame, tick: Tick, base: float, drawn: Sequence[Arc]) -> str:
    shape = SHAPES[tick.mark]
    story = frame.story
    tip = tip_of_calls(story, tick.calls) if tick.calls else tip_of_turns(tick.turns)
    keys = {_key(call) for call in tick.calls}
    own = " ".join(f"a{place}" for place, arc in enumerate(drawn) if keys & arc.calls)
    x, y = frame.x(tick.column), base + tick.row * PITCH
    scale = f" scale({frame.size:.2f})" if frame.size > 1 else ""
    return element(
        "path",
        "" if frame.has_tips else element("title", words(tip)),
        class_=f"tick {shape.name}",
        data_count=tick.count if tick.count > 1 else None,
        d=shape.path,
        transform=f"translate({number(x)} {number(y)}){scale}",
        fill=shape.fill,
        stroke=shape.stroke,
        stroke_width=1.7 if tick.count > 1 else 0.7,
        data_arcs=own or None if frame.has_tips else None,
        **looked_at(frame, tip),
    )
