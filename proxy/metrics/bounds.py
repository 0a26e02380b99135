"""Free text to a bounded label (F109): what traffic says can never make more series than the definition allows."""

from __future__ import annotations

import re

from proxy.metrics.definitions import OTHER, UNKNOWN, Dimension, Metric
from proxy.metrics.readings import Labels

_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:/@+ -]{0,63}")


class Bounds:
    """Which open values have a name of their own: the first ones seen, for as long as this process lives."""

    def __init__(self) -> None:
        self._named: dict[str, dict[str, str]] = {}

    def labels(self, metric: Metric, values: Labels) -> Labels:
        """The values as they may be shown."""
        return tuple(self._bounded(dimension, value) for dimension, value in zip(metric.labels, values, strict=True))

    def _bounded(self, dimension: Dimension, value: str) -> str:
        if dimension.values:
            return value if value in dimension.values else _stray(dimension, value)
        if not value:
            return UNKNOWN
        named = self._named.setdefault(dimension.name, {})
        if value not in named and len(named) < dimension.most and _PLAIN.fullmatch(value):
            named[value] = value
        return named.get(value, OTHER)


def _stray(dimension: Dimension, value: str) -> str:
    """A closed set is closed; only an empty value of a set that knows `unknown` may still be shown."""
    if not value and UNKNOWN in dimension.values:
        return UNKNOWN
    raise ValueError(f"label {dimension.name} has no value {value!r}")
