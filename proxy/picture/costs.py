"""What each column was billed, stacked by what it was for, and where the prompt cache was not read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from proxy.model.facts import IterationFact, TurnFact
from proxy.picture.drawing import element, label
from proxy.picture.frame import Frame, Panel
from proxy.picture.tips import looked_at
from proxy.story import figures
from proxy.story.marks import MISSES, written_by
from proxy.story.story import Story

HEIGHT, GAP, MISS_HEIGHT = 62, 16, 22
PARTS: tuple[tuple[str, str], ...] = (
    ("cache read", "#a9cbe8"),
    ("written to the cache", "#0072b2"),
    ("other new input", "#cc79a7"),
    ("output", "#e69f00"),
    ("summary call", "#3d4852"),
)
"""Parts of a price from the axis up."""


class Bars(NamedTuple):
    """Amounts by column and part, and what could not be drawn."""

    amounts: dict[int, list[int]]
    unpriced: int
    """Samplings without a price."""


def cost_panel(frame: Frame) -> Panel:
    """Billed money of all threads by column."""
    bars = cost_bars(frame)
    top = max((sum(parts) for parts in bars.amounts.values()), default=0)
    drawn = "".join(_bar(frame, column, parts, top) for column, parts in sorted(bars.amounts.items()) if top)
    axis = element("line", x1=frame.left, x2=frame.width - 10, y1=HEIGHT, y2=HEIGHT, stroke="#9aa5b1")
    most = figures.usd(top) if top else "unpriced"
    scale = label(frame.left - 6, 9, most, text_anchor="end", fill="#52606d", font_size=10)
    unit = "of a column" if frame.is_shared else "of a turn"
    name = label(4, 24, "cost", fill="#1f2933", font_size=11) + label(4, 37, unit, fill="#52606d", font_size=9)
    names = scale if frame.is_narrow else scale + name
    return Panel(HEIGHT + GAP, element("g", axis, names, drawn, class_="costs"))


def cost_bars(frame: Frame) -> Bars:
    """What was billed in each column."""
    turns = {turn.exchange: turn for turn in frame.story.turns}
    amounts: dict[int, list[int]] = {}
    unpriced = 0
    for one in frame.story.iterations:
        turn = turns.get(one.exchange)
        parts = _parts(one, turn)
        if turn is None or parts is None:
            unpriced += parts is None
            continue
        column = amounts.setdefault(frame.places.of_turn(turn.thread, turn.turn), [0] * len(PARTS))
        for place, amount in enumerate(parts):
            column[place] += amount
    return Bars(amounts, unpriced)


def seen_parts(story: Story) -> list[tuple[str, str]]:
    """Parts for which anything was billed."""
    turns = {turn.exchange: turn for turn in story.turns}
    split = [parts for one in story.iterations if (parts := _parts(one, turns.get(one.exchange)))]
    return (
        [part for part, amounts in zip(PARTS, zip(*split, strict=True), strict=True) if any(amounts)] if split else []
    )


def _parts(one: IterationFact, turn: TurnFact | None) -> tuple[int, ...] | None:
    whole, fresh, written, output = one.pico_usd, one.fresh_pico_usd, one.written_pico_usd, one.output_pico_usd
    if whole is not None and (one.kind == "compaction" or (turn is not None and turn.purpose == "summary")):
        return 0, 0, 0, 0, whole
    if whole is None or fresh is None or written is None or output is None:
        return None
    return whole - fresh - output, written, fresh - written, output, 0


def _bar(frame: Frame, column: int, parts: list[int], top: int) -> str:
    width = min(frame.step * 0.8, 14)
    y, rects = float(HEIGHT), []
    for (name, fill), amount in zip(PARTS, parts, strict=True):
        height = HEIGHT * amount / top
        if height < 0.05:
            continue
        y -= height
        rects.append(
            element(
                "rect", class_=f"cost {name.replace(' ', '-')}", x=frame.x(column) - width / 2, y=y, width=width,
                height=height, fill=fill,
            )
        )  # fmt: skip
    return "".join(rects)


def miss_panel(frame: Frame) -> Panel | None:
    """Where less was read from the prompt cache than had been put there, with the reason."""
    misses = list(_misses(frame))
    if not misses:
        return None
    name = label(4, 10, "miss" if frame.is_narrow else "cache miss", fill="#1f2933", font_size=11)
    return Panel(MISS_HEIGHT, element("g", name, *misses, class_="misses"))


def _misses(frame: Frame) -> Iterator[str]:
    written = written_by(frame.story.iterations)
    free_from, last = 0.0, -1
    for turn in frame.story.order:
        column = frame.places.of_turn(turn.thread, turn.turn)
        if turn.cache_miss not in MISSES or column == last:
            continue
        last, x = column, frame.x(column)
        size = figures.short(written.get(turn.exchange))
        text = f"{turn.cache_miss}, {size} written"
        tip = (
            f"turn {turn.turn} of {turn.thread}\nprompt cache not read: {turn.cache_miss}\n{size} tokens written to it"
        )
        is_cold = MISSES[turn.cache_miss] == "\u25cb"
        yield element(
            "circle", class_="tick miss", cx=x, cy=7, r=3.4, fill="#ffffff" if is_cold else "#1f2933",
            stroke="#1f2933", stroke_width=1.2, **looked_at(frame, tip),
        )  # fmt: skip
        room = len(text) * 4.6 + 12
        if x >= free_from and x + room < frame.width and not frame.is_narrow:
            yield label(x + 6, 10.5, text, fill="#52606d", font_size=9)
            free_from = x + room
