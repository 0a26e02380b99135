"""What stands in the context by kind, in reference tokens: system, tools, summary, texts and calls, tool results.

It has a scale of its own, since billed and reference tokens never meet (V21). What the traffic does not tell is left
out and said.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from proxy.model.facts import BoundaryKind, TurnFact
from proxy.model.ids import ExchangeId
from proxy.story import figures
from proxy.story.banner import DOORS
from proxy.story.story import Story


class Kind(NamedTuple):
    """One layer of the area."""

    name: str
    fill: str


KINDS = (
    Kind("system", "#9aa5b1"),
    Kind("tool definitions", "#f0e442"),
    Kind("summary", "#3d4852"),
    Kind("texts and calls", "#e69f00"),
    Kind("tool results", "#56b4e9"),
)
"""From the axis up: what changes least stands lowest. Neighbours differ in lightness or between blue and yellow, so
that every kind of colour blindness leaves them apart."""

KEEPING = frozenset({BoundaryKind.PROVIDER_CLEAR, BoundaryKind.ROLLING})
"""Boundaries after which a former summary still stands in view."""

Sizes = tuple[int | None, ...]
"""One for each kind; None is not told."""


def sizes(story: Story) -> list[Sizes]:
    """What the context of each main turn held, by kind."""
    return list(map(_sizes, story.main_turns, written_summaries(story), results_in_view(story)))


def _sizes(turn: TurnFact, written: int, results: int) -> Sizes:
    """A summary that no phrase of its client marks is taken to be as long as the call that wrote it had made it."""
    summary = min(turn.said_tokens_ref, written) if turn.summary_tokens_ref == 0 else turn.summary_tokens_ref
    said = turn.said_tokens_ref - (summary or 0)
    return turn.system_tokens_ref, turn.tools_tokens_ref, summary, said, results


def written_summaries(story: Story) -> list[int]:
    """Reference tokens of the summary that a seen call wrote for the context of each main turn; 0 without one."""
    written: dict[ExchangeId | None, int] = {turn.exchange: turn.reply_tokens_ref for turn in story.turns}
    begins = {
        (one.thread, one.turn): written.get(one.summary, 0) for one in story.boundaries if one.kind not in KEEPING
    }
    held: dict[str, int] = {}
    values = []
    for turn in story.main_turns:
        held[turn.thread] = begins.get((turn.thread, turn.turn), held.get(turn.thread, 0))
        values.append(held[turn.thread])
    return values


def results_in_view(story: Story) -> list[int]:
    """Reference tokens of the tool results that stood in the context of each main turn."""
    left = {(drop.thread, drop.observation): drop.turn for drop in story.drops}
    steps: dict[tuple[str, int], int] = {}
    for one in story.observations:
        steps[one.thread, one.turn] = steps.get((one.thread, one.turn), 0) + one.tokens_ref
        if gone := left.get((one.thread, one.observation)):
            steps[one.thread, gone] = steps.get((one.thread, gone), 0) - one.tokens_ref
    held: dict[str, int] = {}
    values = []
    for turn in story.main_turns:
        held[turn.thread] = held.get(turn.thread, 0) + steps.get((turn.thread, turn.turn), 0)
        values.append(held[turn.thread])
    return values


def seen_kinds(story: Story) -> list[Kind]:
    """Those of which some turn held something."""
    found = sizes(story)
    return [kind for place, kind in enumerate(KINDS) if any(one[place] for one in found)]


def kinds_note(story: Story) -> str:
    """The fullest context in figures, and what is not told."""
    found = sizes(story)
    if not found:
        return ""
    turn, fullest = max(zip(story.main_turns, found, strict=True), key=lambda pair: _total(pair[1]))
    told = (f"{kind.name} {figures.short(size)}" for kind, size in zip(KINDS, fullest, strict=True) if size)
    most = f"at most {figures.short(_total(fullest))} reference tokens in view, in turn {turn.turn}: {', '.join(told)}"
    return "; ".join([most, *_untold(story, found)])


def _total(held: Sizes) -> int:
    return sum(size or 0 for size in held)


def _untold(story: Story, found: Sequence[Sizes]) -> Iterator[str]:
    by = "the traffic" if story.session.door in DOORS else "a transcript"
    missing = {kind.name: sum(one[place] is None for one in found) for place, kind in enumerate(KINDS)}
    if never := [name for name, count in missing.items() if count == len(found)]:
        named = " and ".join(filter(None, (", ".join(never[:-1]), never[-1])))
        yield f"{named}: not told by {by}"
    for name, count in missing.items():
        if 0 < count < len(found):
            yield f"{name}: not told by {by} in {count:,} of {figures.plural(len(found), 'turn')}"
