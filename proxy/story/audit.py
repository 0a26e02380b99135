"""How often a person agrees with the class of a call: precision by class, from labels given by hand (V46, S0-109)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from proxy.model.facts import Label
from proxy.story import figures
from proxy.story.proportion import Interval, wilson

NOT_AUDITED = "labels not audited"


class Audited(NamedTuple):
    """One call with the product's class and a person's."""

    product: Label
    hand: Label


class Precision(NamedTuple):
    """Of the calls that the product gave this class, how many a person gave the same."""

    label: Label
    audited: int
    agreed: int
    interval: Interval
    """Wilson, 95 %."""
    others: dict[Label, int]
    """What the person said instead."""


def precisions(audited: Iterable[Audited]) -> list[Precision]:
    """By class, in the order of the decision table; classes of which no call was audited are absent."""
    by_class: dict[Label, Counter[Label]] = {}
    for one in audited:
        by_class.setdefault(one.product, Counter())[one.hand] += 1
    return [
        Precision(
            label=label,
            audited=(count := sum(hands.values())),
            agreed=hands[label],
            interval=wilson(hands[label], count),
            others={hand: hands[hand] for hand in Label if hand is not label and hands[hand]},
        )
        for label in Label
        if (hands := by_class.get(label))
    ]


def audit_line(audited: Sequence[Audited]) -> str:
    """One line for every page with re-read figures."""
    if not audited:
        return f"{NOT_AUDITED} (compaction-gate audit sample)"
    told = [one for one in precisions(audited) if one.label is Label.REACQUISITION]
    exact = "no exact re-read among them" if not told else f"exact re-reads: {precision_text(told[0])}"
    return f"labels audited by hand: {figures.plural(len(audited), 'call')}; {exact}"


def precision_text(one: Precision) -> str:
    """`19 of 20 agreed, 95 % [76 %, 99 %]`."""
    low, high = (_percent(value) for value in one.interval)
    return f"{one.agreed} of {one.audited} agreed, {_percent(one.agreed / one.audited)} [{low}, {high}]"


def _percent(value: float) -> str:
    return f"{100 * value:.1f} %"
