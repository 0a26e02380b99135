"""What was read of one source: numbers and distributions by metric name and label values. No text, no order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

Labels = tuple[str, ...]
"""Label values in the order of the metric's definition."""
Numbers = Mapping[Labels, float]


class Distribution(NamedTuple):
    """A histogram: how many values fell into each bucket, and what they add up to."""

    counts: tuple[int, ...]
    """Not cumulative; one for each upper bound of the definition, and one for what lies above them all."""
    total: float

    def plus(self, other: Distribution) -> Distribution:
        """Both together; their buckets are the same."""
        counts = tuple(mine + theirs for mine, theirs in zip(self.counts, other.counts, strict=True))
        return Distribution(counts, self.total + other.total)


Value = float | Distribution
Readings = Mapping[str, Mapping[Labels, Value]]
"""By metric name. A name that is missing was not measured."""


def distribute(values: Sequence[float], bounds: Sequence[float]) -> Distribution:
    """Sort values into buckets with inclusive upper bounds."""
    counts = [0] * (len(bounds) + 1)
    for value in values:
        counts[next((index for index, bound in enumerate(bounds) if value <= bound), len(bounds))] += 1
    return Distribution(tuple(counts), sum(values))


def plus(one: Value, two: Value) -> Value:
    """Two values of one metric together."""
    if isinstance(one, Distribution) and isinstance(two, Distribution):
        return one.plus(two)
    assert not isinstance(one, Distribution)
    assert not isinstance(two, Distribution)
    return one + two


def parts_of(value: Value) -> tuple[float, ...]:
    """What of a value may only grow: a number itself; of a distribution its buckets and its total."""
    return (*value.counts, value.total) if isinstance(value, Distribution) else (value,)


def whole(parts: Sequence[float]) -> Value:
    """The value that has these parts."""
    return parts[0] if len(parts) == 1 else Distribution(tuple(int(count) for count in parts[:-1]), parts[-1])
