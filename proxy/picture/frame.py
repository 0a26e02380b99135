"""How wide a picture is, what its columns stand for, and where its panels stand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from proxy.model.facts import BoundaryFact
from proxy.model.ids import ThreadId
from proxy.story.axis import Axis, Places
from proxy.story.story import Story

COLUMN = 7.0
"""Least width of a column in pixels: one tick."""


class TimeAxis:
    """Columns of equal time, from the first turn's start to the last one's."""

    def __init__(self, story: Story, width: int) -> None:
        self._starts = {(turn.thread, turn.turn): turn.started_us for turn in story.turns}
        times = [*self._starts.values(), *(boundary.at_us for boundary in story.boundaries)]
        self._first_us = min(times, default=0)
        self.span_us = max(max(times, default=0) - self._first_us, 1)
        self.width = width

    def of_turn(self, thread: ThreadId, turn: int) -> int:
        """Column of a turn's start."""
        return self.of_moment(self._starts[thread, turn])

    def of_boundary(self, boundary: BoundaryFact) -> int:
        """Column of a boundary."""
        return self.of_moment(boundary.at_us)

    def of_moment(self, at_us: int) -> int:
        """Column of a moment, the last one for what lies behind the end."""
        return min((at_us - self._first_us) * self.width // self.span_us, self.width - 1)


class Panel(NamedTuple):
    """One strip of the picture, drawn from its own upper edge."""

    height: float
    markup: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """One way to show one story."""

    story: Story
    places: Places
    width: int
    """Of the whole picture, in pixels."""
    left: int
    """Where the columns begin; names stand in front of them."""
    is_narrow: bool
    """Fold all lanes but the main one, and say less."""
    has_tips: bool
    """Whether ticks can be looked at: not in a still picture."""

    @property
    def step(self) -> float:
        """Width of a column."""
        return (self.width - self.left - RIGHT) / max(self.places.width, 1)

    @property
    def size(self) -> float:
        """Of a tick: 1 where columns are as narrow as they get."""
        return min(max(self.step / COLUMN * 0.6, 1.0), 1.35)

    def x(self, column: float) -> float:
        """Middle of a column."""
        return self.left + (column + 0.5) * self.step

    @property
    def is_shared(self) -> bool:
        """Whether several turns may stand in one column."""
        return isinstance(self.places, TimeAxis) or self.places.width < slots(self.story)


LEFT, NARROW_LEFT, RIGHT = 92, 50, 10


def slots(story: Story) -> int:
    """Turns and boundaries: what wants a column."""
    return len(story.turns) + len(story.boundaries)


def frame(story: Story, width: int, *, by_time: bool = False, is_narrow: bool = False, has_tips: bool = True) -> Frame:
    """A picture of that width."""
    left = NARROW_LEFT if is_narrow else LEFT
    most = int((width - left - RIGHT) / COLUMN)
    places = TimeAxis(story, most) if by_time else Axis(story, max(min(most, slots(story)), 1))
    return Frame(story=story, places=places, width=width, left=left, is_narrow=is_narrow, has_tips=has_tips)
