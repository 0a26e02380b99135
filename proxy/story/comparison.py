"""Two sessions side by side: where they part first, and the difference of each figure.

Figures of different sources are never subtracted (V25). What else may not be pooled (V27) is named beside them: door,
client, its version, models.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from proxy.model.errors import UsageError
from proxy.model.facts import Label, TurnFact
from proxy.model.ids import ThreadId
from proxy.story.story import Story

Action = tuple[str, str, str]
"""Tool, resource and span of a call."""


class Step(NamedTuple):
    """What one main turn did, as far as it is compared."""

    turn: int
    actions: tuple[Action, ...]
    """In the order in which the reply asked."""
    after_boundary: bool
    """Whether a boundary lies right before it."""


class Divergence(NamedTuple):
    """The first step at which two sessions differ."""

    place: int
    """Of main turns, from 1."""
    why: str
    """`actions`, `boundary`, or `ends`."""
    left: Step | None
    """None when this session had ended."""
    right: Step | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One figure of both sessions."""

    name: str
    unit: str
    """`calls`, `tokens`, `pico_usd`, …; shares are in percent."""
    left: int | None
    """None = not measured."""
    right: int | None

    @property
    def difference(self) -> int | None:
        """Right less left; None when one is not measured."""
        return None if self.left is None or self.right is None else self.right - self.left


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """What is the same, where they part, and by how much."""

    differing: tuple[tuple[str, str, str], ...]
    """Name and both values of what forbids pooling (V27)."""
    divergence: Divergence | None
    """None: every step is the same."""
    steps: tuple[int, int]
    figures: tuple[Figure, ...]


def compared(left: Story, right: Story) -> Comparison:
    """Compare two sessions.

    Raises:
        UsageError: their sources differ (V25), or they are one and the same.
    """
    if left.session.session == right.session.session:
        raise UsageError("both are the same session: name two")
    if left.session.source != right.session.source:
        raise UsageError(
            f"{left.session.session[:8]} is {left.session.source}, {right.session.session[:8]} is "
            f"{right.session.source}: figures of different sources are never subtracted"
        )
    mine, yours = steps(left), steps(right)
    return Comparison(
        differing=tuple(_differing(left, right)),
        divergence=diverge(mine, yours),
        steps=(len(mine), len(yours)),
        figures=tuple(_figures(left, right)),
    )


def steps(story: Story) -> list[Step]:
    """Main turns in order; calls that write a summary are the boundary's, not the agent's."""
    bars = {(boundary.thread, boundary.turn) for boundary in story.boundaries}
    return [_step(story, turn, bars) for turn in story.main_turns if turn.purpose == "main"]


def _step(story: Story, turn: TurnFact, bars: set[tuple[ThreadId, int]]) -> Step:
    calls = story.calls_of.get((turn.thread, turn.turn), [])
    actions = tuple((call.tool, call.resource, call.span) for call in calls)
    return Step(turn.turn, actions, (turn.thread, turn.turn) in bars)


def diverge(left: Sequence[Step], right: Sequence[Step]) -> Divergence | None:
    """The first step whose boundary or actions differ; else where one ends."""
    for place, (mine, yours) in enumerate(zip(left, right, strict=False), start=1):
        if mine.after_boundary != yours.after_boundary:
            return Divergence(place, "boundary", mine, yours)
        if mine.actions != yours.actions:
            return Divergence(place, "actions", mine, yours)
    shorter = min(len(left), len(right))
    if len(left) == len(right):
        return None
    rest = [*left[shorter : shorter + 1], None] if len(left) > shorter else [None, *right[shorter : shorter + 1]]
    return Divergence(shorter + 1, "ends", rest[0], rest[1])


def _differing(left: Story, right: Story) -> Iterator[tuple[str, str, str]]:
    asked: tuple[tuple[str, Callable[[Story], str]], ...] = (
        ("door", lambda story: story.session.door),
        ("client", lambda story: story.session.client),
        ("client version", lambda story: story.session.client_version),
        ("what the client sent through its door", lambda story: story.session.door_effects),
        ("models that answered", lambda story: ", ".join(sorted({turn.model_answered for turn in story.turns}))),
        ("price tables", lambda story: ", ".join(sorted({one.price_table for one in story.iterations}))),
        ("levels of boundaries", lambda story: ", ".join(sorted({one.level for one in story.boundaries}))),
    )
    for name, value in asked:
        mine, yours = value(left), value(right)
        if mine != yours:
            yield name, mine or "none", yours or "none"


def _figures(left: Story, right: Story) -> Iterator[Figure]:
    for name, unit, value in FIGURES:
        yield Figure(name=name, unit=unit, left=value(left), right=value(right))
    for label in AGAIN:
        mine, yours = left.labels[label], right.labels[label]
        if mine or yours:
            yield Figure(name=f"class {label}", unit="calls", left=mine, right=yours)
            yield Figure(
                name=f"class {label}", unit="tokens_ref", left=_tokens(left, label), right=_tokens(right, label)
            )


def _tokens(story: Story, label: Label) -> int | None:
    known = [call.reread_tokens_ref for call in story.calls if call.label is label]
    amounts = [amount for amount in known if amount is not None]
    return sum(amounts) if len(amounts) == len(known) else None


def _input(story: Story) -> int | None:
    """Billed prompt tokens of all samplings; None when a turn has no usage."""
    if any(turn.usage_missing for turn in story.turns):
        return None
    return sum(
        one.uncached
        + one.cache_read
        + one.cache_write_5m
        + one.cache_write_1h
        + one.cache_write_30m
        + one.cache_write_12h
        for one in story.iterations
    )


def _output(story: Story) -> int | None:
    return None if any(turn.usage_missing for turn in story.turns) else sum(one.output for one in story.iterations)


def _money(story: Story) -> int | None:
    return None if story.cost.unpriced else story.cost.pico_usd


def _unknown(story: Story) -> int | None:
    return round(100 * story.unknown_calls / len(story.calls)) if story.calls else None


def _dropped(story: Story) -> int | None:
    return sum(boundary.dropped_observations for boundary in story.boundaries)


AGAIN = (
    *(Label.REACQUISITION, Label.SUBSET, Label.SUPERSET, Label.OVERLAP, Label.VARIANT),
    *(Label.ATTEMPTED, Label.FORCED, Label.REPEAT_VISIBLE),
)
"""Classes of calls that ask again: each a figure of its own, never added (V4)."""
FIGURES: tuple[tuple[str, str, Callable[[Story], int | None]], ...] = (
    ("turns", "turns", lambda story: len(story.turns)),
    ("calls", "calls", lambda story: len(story.calls)),
    ("input", "tokens", _input),
    ("output", "tokens", _output),
    ("cost", "pico_usd", _money),
    ("compactions", "boundaries", lambda story: len(story.boundaries)),
    ("dropped", "observations", _dropped),
    ("retrievals after a compaction", "calls", lambda story: story.retrievals_after_a_boundary),
    ("unknown tools", "percent", _unknown),
)
"""Figures with their unit, in the order of the page."""
