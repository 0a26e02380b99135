"""What a boundary dropped, and how often it was fetched again."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from proxy.model.facts import BoundaryFact, DropFact, ObservationFact
from proxy.story.story import EXACT, PARTIAL, Story


class Dropped(NamedTuple):
    """One observation that a boundary removed from view."""

    drop: DropFact
    observation: ObservationFact
    fetched_again: int
    """Re-reads of it, exact and partial, charged to this boundary."""


def dropped_by(story: Story, boundary: BoundaryFact) -> list[Dropped]:
    """Everything it dropped: the most often fetched again first, then the largest."""
    key = (boundary.thread, boundary.boundary)
    again = Counter(
        call.repeats
        for call in story.calls
        if call.repeats is not None and (call.thread, call.boundary) == key and call.label in EXACT | PARTIAL
    )
    known = {observation.observation: observation for observation in story.observations}
    found = [
        Dropped(drop, known[drop.observation], again[drop.observation])
        for drop in story.drops
        if (drop.thread, drop.boundary) == key
    ]
    return sorted(found, key=lambda one: (-one.fetched_again, -one.observation.tokens_ref, one.drop.observation))
