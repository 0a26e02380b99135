"""Turns and boundaries to columns of a terminal: one axis for the curve and all lanes.

A slot is a turn, or the bar of a boundary just before its first turn. Few slots are spread, many share a column.
"""

from __future__ import annotations

from collections.abc import Iterator

from proxy.model.facts import BoundaryFact, TurnFact
from proxy.model.ids import ThreadId
from proxy.story.story import Story

MOST_SPREAD = 3


class Axis:
    """Where each turn and boundary of a session stands."""

    def __init__(self, story: Story, width: int) -> None:
        slots = list(_slots(story))
        self.slots = len(slots)
        self._places = {_key(slot): place for place, slot in enumerate(slots)}
        self._spread = max(1, min(MOST_SPREAD, width // self.slots)) if slots else 1
        self.width = min(width, self.slots * self._spread)

    def of_turn(self, thread: ThreadId, turn: int) -> int:
        """Column of a turn."""
        return self._column(self._places["turn", thread, turn])

    def of_boundary(self, boundary: BoundaryFact) -> int:
        """Column of a boundary's bar."""
        return self._column(self._places["boundary", boundary.thread, boundary.boundary])

    def _column(self, place: int) -> int:
        if self.slots * self._spread <= self.width:
            return place * self._spread
        return place * self.width // self.slots


def _slots(story: Story) -> Iterator[TurnFact | BoundaryFact]:
    bars = {(boundary.thread, boundary.turn): boundary for boundary in story.boundaries}
    for turn in story.order:
        if bar := bars.pop((turn.thread, turn.turn), None):
            yield bar
        yield turn
    yield from bars.values()  # of a turn that is still to come


def _key(slot: TurnFact | BoundaryFact) -> tuple[str, ThreadId, int]:
    if isinstance(slot, BoundaryFact):
        return "boundary", slot.thread, slot.boundary
    return "turn", slot.thread, slot.turn
