"""Turns and boundaries to columns: one axis for all that is drawn of a session.

A slot is a turn, or the bar of a boundary just before its first turn. Few slots are spread, many share a column.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Protocol

from proxy.model.facts import BoundaryFact, TurnFact
from proxy.model.ids import ThreadId
from proxy.story.story import Story

MOST_SPREAD = 3


class Places(Protocol):
    """Turns and boundaries to columns, counted from 0."""

    width: int

    def of_turn(self, thread: ThreadId, turn: int) -> int:
        """Column of a turn."""
        ...

    def of_boundary(self, boundary: BoundaryFact) -> int:
        """Column of a boundary."""
        ...


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
    bars: dict[tuple[ThreadId, int], list[BoundaryFact]] = {}
    for boundary in story.boundaries:
        bars.setdefault((boundary.thread, boundary.turn), []).append(boundary)
    for turn in story.order:
        yield from bars.pop((turn.thread, turn.turn), ())
        yield turn
    for later in bars.values():  # of a turn that is still to come
        yield from later


def held_by_column[T: (int, tuple[int, ...])](
    places: Places, values: Iterable[tuple[TurnFact, T | None]]
) -> list[T | None]:
    """Largest value of the turns in each column, held until the next one; None before the first that was measured."""
    found: dict[int, T] = {}
    for turn, value in values:
        if value is not None:
            column = places.of_turn(turn.thread, turn.turn)
            found[column] = max(value, found.get(column, value))
    columns: list[T | None] = []
    for column in range(places.width):
        columns.append(found.get(column, columns[-1] if columns else None))
    return columns


def _key(slot: TurnFact | BoundaryFact) -> tuple[str, ThreadId, int]:
    if isinstance(slot, BoundaryFact):
        return "boundary", slot.thread, slot.boundary
    return "turn", slot.thread, slot.turn
