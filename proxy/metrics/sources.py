"""The relay's page as readings."""

from __future__ import annotations

from collections.abc import Iterable

from proxy.metrics.readings import Distribution, Labels, Readings
from proxy.page.memory import Distribution as PageDistribution
from proxy.page.memory import Sample


def of_page(values: Iterable[Sample | PageDistribution]) -> Readings:
    """What the page holds, by metric name. A gauge that nobody has set is absent."""
    numbers: dict[str, dict[Labels, float]] = {}
    distributions: dict[str, dict[Labels, Distribution]] = {}
    for value in values:
        labels = tuple(text for _, text in value.labels)
        if isinstance(value, Sample):
            numbers.setdefault(value.metric.name, {})[labels] = value.value
        else:
            single = _single(value.counts)
            distributions.setdefault(value.metric.name, {})[labels] = Distribution(single, value.sum_s)
    return {**numbers, **distributions}


def _single(cumulative: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(count - before for count, before in zip(cumulative, (0, *cumulative), strict=False))
