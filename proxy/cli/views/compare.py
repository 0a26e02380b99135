"""Two sessions side by side."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from proxy.cli.views.columns import aligned, for_terminal
from proxy.story import figures
from proxy.story.banner import SEPARATOR, origin
from proxy.story.comparison import Comparison, Divergence, Figure, Step
from proxy.story.naming import name_of_session
from proxy.story.story import Story

FORMAT, VERSION = "compaction-gate compare", 1
MOST_ACTIONS = 4
WHY = {
    "actions": "the model asked for something else",
    "boundary": "a compaction lies before it in one and not in the other",
    "ends": "one of them goes no further",
}


@for_terminal
def compare_lines(left: Story, right: Story, found: Comparison) -> Iterator[str]:
    """Who they are, what forbids pooling them, where they part, and the difference of each figure."""
    yield f"A  {SEPARATOR.join(origin(left))}"
    yield f"B  {SEPARATOR.join(origin(right))}"
    yield ""
    if found.differing:
        yield "not the same in both, so a difference below may come from this as well:"
        rows = [(f"{name}:", f"A {mine}", f"B {yours}") for name, mine, yours in found.differing]
        yield from aligned(rows, indent=1)
        yield ""
    yield from _divergence(left, right, found)
    yield ""
    yield from aligned([("", "A", "B", "B less A"), *map(_row, found.figures)], right=(1, 2, 3), indent=1)
    if left.unknown_calls or right.unknown_calls:
        yield " re-reads are lower bounds: calls of unknown tools are none"
    yield " tokens of re-reads are reference tokens, the others are billed ones"


def compare_object(left: Story, right: Story, found: Comparison) -> dict[str, Any]:
    """For programs; null means not measured."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "source": left.session.source,
        "a": left.session.session,
        "b": right.session.session,
        "differing": [{"name": name, "a": mine, "b": yours} for name, mine, yours in found.differing],
        "steps": {"a": found.steps[0], "b": found.steps[1]},
        "divergence": _divergence_object(found.divergence),
        "figures": [
            {"name": one.name, "unit": one.unit, "a": one.left, "b": one.right, "difference": one.difference}
            for one in found.figures
        ],
    }


def _divergence(left: Story, right: Story, found: Comparison) -> Iterator[str]:
    one = found.divergence
    if one is None:
        yield f"every step is the same: {figures.plural(found.steps[0], 'main turn')} with their calls and compactions"
        return
    yield f"{figures.plural(one.place - 1, 'main turn')} alike; then {WHY[one.why]}:"
    yield f"  A  {_step(left, one.left)}"
    yield f"  B  {_step(right, one.right)}"


def _step(story: Story, step: Step | None) -> str:
    if step is None:
        return "had ended"
    told = [figures.shortened(":".join(filter(None, action[1:])), 60) for action in step.actions[:MOST_ACTIONS]]
    shown = [f"{action[0]} {what}".rstrip() for action, what in zip(step.actions, told, strict=False)]
    rest = [f"and {len(step.actions) - MOST_ACTIONS} more"] if len(step.actions) > MOST_ACTIONS else []
    doing = ", ".join([*shown, *rest]) or "asks for no tool"
    after = "after a compaction: " if step.after_boundary else ""
    return f"turn {step.turn}  {after}{doing}   ({name_of_session(story)}:t{step.turn})"


def _divergence_object(one: Divergence | None) -> dict[str, Any] | None:
    if one is None:
        return None
    sides = {name: None if step is None else step._asdict() for name, step in (("a", one.left), ("b", one.right))}
    return {"place": one.place, "why": one.why} | sides


def _row(one: Figure) -> tuple[str, str, str, str]:
    return _name(one), _amount(one, one.left), _amount(one, one.right), _signed(one)


def _name(one: Figure) -> str:
    return one.name if one.unit in ("pico_usd", one.name, "percent") else f"{one.name} ({one.unit.replace('_', ' ')})"


def _amount(one: Figure, value: int | None) -> str:
    match one.unit:
        case "pico_usd":
            return figures.usd(value)
        case "percent":
            return figures.NOT_MEASURED if value is None else f"{value} %"
        case _:
            return figures.whole(value)


def _signed(one: Figure) -> str:
    difference = one.difference
    if difference is None:
        return figures.NOT_MEASURED
    if one.unit == "percent":
        return f"{difference:+d} pp" if difference else "0"
    text = _amount(one, difference)
    return f"+{text}" if difference > 0 else text
