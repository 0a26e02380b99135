"""From each re-read back to the tick it repeats, across the boundary that dropped it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from proxy.model.facts import CallFact, Label
from proxy.model.ids import ThreadId
from proxy.picture.drawing import element, number
from proxy.story.story import EXACT, PARTIAL, Story

CallKey = tuple[ThreadId, int, int]
Spot = tuple[float, float]
MOST_ARCS = 240
"""Drawn in one lane: those of the most tokens."""
SHOWN = EXACT | PARTIAL | {Label.ATTEMPTED, Label.FORCED}
RED = "#d55e00"


@dataclass(frozen=True, slots=True)
class Arc:
    """Re-reads between the same two spots."""

    start: Spot
    """Of the re-read."""
    end: Spot
    """Of what it repeats."""
    calls: frozenset[CallKey]
    """The re-reads."""
    is_exact: bool
    tokens_ref: int


def arcs(story: Story, spots: Mapping[CallKey, Spot]) -> list[Arc]:
    """Arcs of one lane, where both ends stand."""
    found: dict[tuple[Spot, Spot], list[CallFact]] = {}
    for call in story.calls:
        earlier = story.origin_of(call) if call.label in SHOWN and call.boundary is not None else None
        start, end = spots.get(_key(call)), spots.get(_key(earlier)) if earlier else None
        if start is not None and end is not None:
            found.setdefault((start, end), []).append(call)
    made = [
        Arc(
            start,
            end,
            frozenset(map(_key, calls)),
            any(call.label in EXACT for call in calls),
            sum(call.reread_tokens_ref or 0 for call in calls),
        )
        for (start, end), calls in found.items()
    ]
    kept = sorted(made, key=lambda arc: -arc.tokens_ref)[:MOST_ARCS]
    return sorted(kept, key=lambda arc: (arc.start, arc.end))


def _key(call: CallFact) -> CallKey:
    return call.thread, call.turn, call.index


def draw_arcs(drawn: Sequence[Arc], base: float, headroom: float) -> str:
    """All of them; ticks are drawn above."""
    if not drawn:
        return ""
    widest = max(abs(arc.start[0] - arc.end[0]) for arc in drawn) or 1.0
    lines = (_line(arc, f"arc a{place}", base, headroom, widest) for place, arc in enumerate(drawn))
    return element("g", *lines, class_="arcs", fill="none", stroke=RED)


def _line(arc: Arc, name: str, base: float, headroom: float, widest: float) -> str:
    (x1, y1), (x2, y2) = (arc.start[0], base + arc.start[1]), (arc.end[0], base + arc.end[1])
    rise = (headroom - 4) * (0.3 + 0.7 * math.sqrt(abs(x1 - x2) / widest))
    top = base - rise * 4 / 3
    bend = (x1 - x2) * 0.12
    path = f"M{number(x1)} {number(y1 - 4)}C{number(x1 - bend)} {number(top)} {number(x2 + bend)} {number(top)} "
    return element(
        "path",
        class_=f"{name} {'exact' if arc.is_exact else 'partial'}",
        d=f"{path}{number(x2)} {number(y2 - 4)}",
        stroke_width=min(1.5 + 0.5 * math.log2(len(arc.calls)), 3.5),
        stroke_dasharray=None if arc.is_exact else "4 2.5",
        stroke_opacity=0.85,
        data_count=len(arc.calls) if len(arc.calls) > 1 else None,
    )
