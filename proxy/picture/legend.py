"""What the signs of a picture mean: only those that appear in it."""

from __future__ import annotations

from collections.abc import Iterator

from proxy.picture.arcs import RED, SHOWN
from proxy.picture.costs import seen_parts
from proxy.picture.drawing import Attribute, element
from proxy.picture.kinds import seen_kinds
from proxy.picture.shapes import SHAPES
from proxy.story.marks import MARKS, MISSES, mark_of, mark_of_turn
from proxy.story.story import PARTIAL, Story

_MISS = {"\u25cb": "prompt cache cold", "\u25cf": "what was cached had changed"}


def legend(story: Story) -> Iterator[tuple[str, str]]:
    """A sign around the point (0, 0), 8 pixels wide, and its meaning."""
    used = _used_marks(story)
    for mark, meaning in MARKS:
        if mark in used:
            shape = SHAPES[mark]
            yield element("path", d=shape.path, fill=shape.fill, stroke=shape.stroke, stroke_width=0.7), meaning
    yield from _arcs(story)
    seen = {MISSES[turn.cache_miss] for turn in story.turns if turn.cache_miss in MISSES}
    for circle, meaning in _MISS.items():
        if circle in seen:
            fill = "#ffffff" if circle == "\u25cb" else "#1f2933"
            yield element("circle", r=3.2, fill=fill, stroke="#1f2933", stroke_width=1.2), meaning
    named = [(kind.fill, f"in view: {kind.name}") for kind in seen_kinds(story)]
    for fill, meaning in [*named, *((fill, f"cost: {name}") for name, fill in seen_parts(story))]:
        yield element("rect", x=-4, y=-4, width=8, height=8, fill=fill), meaning


def _used_marks(story: Story) -> set[str]:
    callless = [turn for turn in story.turns if (turn.thread, turn.turn) not in story.calls_of]
    summaries = [turn for turn in story.turns if turn.purpose == "summary"]
    return {mark_of(call) for call in story.calls} | {mark_of_turn(turn, ()) for turn in (*callless, *summaries)}


def _arcs(story: Story) -> Iterator[tuple[str, str]]:
    again = {call.label for call in story.calls if call.label in SHOWN and story.origin_of(call) is not None}
    line: dict[str, Attribute] = {"d": "M-5 3C-3-5 3-5 5 3", "fill": "none", "stroke": RED, "stroke_width": 1.5}
    if again - PARTIAL:
        yield element("path", **line), "back to what it repeats"
    if again & PARTIAL:
        yield element("path", **line, stroke_dasharray="3 2"), "the same in part"
