"""Readings to the text of one scrape. Runs in the supervisor, never in the relay."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from prometheus_client import CollectorRegistry
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.exposition import choose_encoder
from prometheus_client.registry import Collector

from proxy.metrics import definitions
from proxy.metrics.bounds import Bounds
from proxy.metrics.definitions import METRICS, Dimension, Kind
from proxy.metrics.readings import Distribution, Labels, Readings, Value

ENVIRONMENT = "environment"
"""Stands on every series."""
Family = CounterMetricFamily | GaugeMetricFamily | HistogramMetricFamily
_FAMILIES: dict[Kind, type[Family]] = {
    Kind.COUNTER: CounterMetricFamily,
    Kind.GAUGE: GaugeMetricFamily,
    Kind.HISTOGRAM: HistogramMetricFamily,
}


class Page(NamedTuple):
    """A scrape's answer."""

    body: bytes
    content_type: str


class Exposition:
    """Renders readings."""

    def __init__(
        self,
        environment: str,
        metrics: Sequence[definitions.Metric] = METRICS,
        bounds: Bounds | None = None,
    ) -> None:
        """Takes a label for every series, what may be shown, and which open values have a name."""
        self._environment = environment
        self._metrics = {metric.name: metric for metric in metrics}
        self._bounds = Bounds() if bounds is None else bounds

    def render(self, readings: Readings, accept: str = "") -> Page:
        """The text of a scrape in the form the scraper accepts.

        Raises:
            KeyError: a reading has a name that no definition has.
        """
        registry = CollectorRegistry(auto_describe=False)
        registry.register(_Families(list(self._families(readings))))
        encode, content_type = choose_encoder(accept)
        return Page(encode(registry), content_type)

    def _families(self, readings: Readings) -> Iterator[Metric]:
        if unknown := sorted(set(readings) - set(self._metrics)):
            raise KeyError(unknown[0])
        for metric in self._metrics.values():
            if metric.name in readings:
                yield self._family(metric, readings[metric.name])

    def _family(self, metric: definitions.Metric, values: Mapping[Labels, Value]) -> Metric:
        names = (ENVIRONMENT, *(dimension.name for dimension in metric.labels))
        family: Family = _FAMILIES[metric.kind](metric.name, metric.help, labels=names)
        for labels, value in self._bounded(metric, values).items():
            shown = (self._environment, *labels)
            if isinstance(family, HistogramMetricFamily):
                assert isinstance(value, Distribution)
                family.add_metric(shown, _cumulative(metric.buckets, value), value.total)
            else:
                assert not isinstance(value, Distribution)
                family.add_metric(shown, value)
        return family

    def _bounded(self, metric: definitions.Metric, values: Mapping[Labels, Value]) -> dict[Labels, Value]:
        """Values by bounded labels; closed sets written whole."""
        sums = self._bounds.merged(metric, values)
        return dict.fromkeys(_expected(metric.labels, sums), nothing(metric)) | sums


def nothing(metric: definitions.Metric) -> Value:
    """The value of a series for which nothing was counted."""
    return Distribution((0,) * (len(metric.buckets) + 1), 0) if metric.buckets else 0


def _expected(dimensions: tuple[Dimension, ...], seen: Mapping[Labels, object]) -> Iterator[Labels]:
    """Every combination of closed values, for each combination of open ones that was seen (F111)."""
    is_open = [not dimension.values for dimension in dimensions]
    found = {tuple(value for value, free in zip(labels, is_open, strict=True) if free) for labels in seen}
    if not any(is_open):
        found = {()}
    closed = [dimension.values for dimension in dimensions if dimension.values]
    for opened in sorted(found):
        for fixed in itertools.product(*closed):
            from_open, from_closed = iter(opened), iter(fixed)
            yield tuple(next(from_open) if free else next(from_closed) for free in is_open)


def _cumulative(bounds: tuple[float, ...], distribution: Distribution) -> list[tuple[str, float]]:
    names = [*(str(float(bound)) for bound in bounds), "+Inf"]
    return [(name, float(count)) for name, count in zip(names, itertools.accumulate(distribution.counts), strict=True)]


class _Families(Collector):
    def __init__(self, families: list[Metric]) -> None:
        self._families = families

    def collect(self) -> Iterator[Metric]:
        return iter(self._families)
