"""Every metric of the relay: name, kind, help, labels, buckets. What is not in this table is not on the page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from itertools import product
from typing import NewType

Slot = NewType("Slot", int)
"""Where a value stands on the page; resolved once at start, see `Page.slot`."""

Labels = tuple[tuple[str, str], ...]
"""One combination of label names and values, in the order of the metric."""

Vocabulary = Mapping[str, tuple[str, ...]]
"""Values of the labels that only the settings know (`upstream`, `kind`), in order."""


class MetricKind(StrEnum):
    """What may happen to a value."""

    COUNTER = "counter"
    GAUGE = "gauge"
    HISTOGRAM = "histogram"


LLM_BUCKETS_S = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 80, 160, 300, 600)
"""From a cached answer on loopback to an agent's longest silence; above 600 s only `+Inf`."""

OVERHEAD_BUCKETS_S = (0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1)
"""What the relay itself adds is tenths of a millisecond; 0.25 s is where the alert stands."""


@dataclass(frozen=True, slots=True)
class Metric:
    """One name on `/metrics`."""

    name: str
    kind: MetricKind
    help: str
    labels: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Label and its values; a label without values takes them from the vocabulary."""
    buckets: tuple[float, ...] = ()
    per_unit: int = 1
    """The page holds integers: this many of them make one unit of the name (bytes, seconds)."""

    @property
    def cells(self) -> int:
        """Eight-byte cells of one label combination: a value, or each bucket, `+Inf` and the sum."""
        return len(self.buckets) + 2 if self.buckets else 1

    def combinations(self, vocabulary: Vocabulary) -> Iterator[Labels]:
        """Label combinations in the order in which they stand on the page."""
        names = [name for name, _ in self.labels]
        for values in product(*(fixed or vocabulary[name] for name, fixed in self.labels)):
            yield tuple(zip(names, values, strict=True))


_MICROSECONDS = 1_000_000
_NANOSECONDS = 1_000_000_000
_UPSTREAM: tuple[str, tuple[str, ...]] = ("upstream", ())


def _counter(name: str, text: str, *labels: tuple[str, tuple[str, ...]]) -> Metric:
    return Metric(name, MetricKind.COUNTER, text, labels)


def _gauge(name: str, text: str, *labels: tuple[str, tuple[str, ...]], per_unit: int = 1) -> Metric:
    return Metric(name, MetricKind.GAUGE, text, labels, per_unit=per_unit)


def _histogram(name: str, text: str, buckets: tuple[float, ...], *labels: tuple[str, tuple[str, ...]]) -> Metric:
    return Metric(name, MetricKind.HISTOGRAM, text, labels, buckets, _NANOSECONDS)


REQUESTS = _counter(
    "compaction_relay_requests_total",
    "Request heads that were complete, by the upstream they were meant for.",
    _UPSTREAM,
)
RESPONSES = _counter(
    "compaction_relay_responses_total",
    "Final response heads received, by upstream and class of status.",
    _UPSTREAM,
    ("class", ("1xx", "2xx", "3xx", "4xx", "5xx", "other")),
)
IN_FLIGHT = _gauge("compaction_relay_in_flight", "Exchanges that have begun and not ended.")
CONNECTIONS = _gauge("compaction_relay_connections", "Client connections open now.")
OWN_ERRORS = _counter(
    "compaction_relay_own_errors_total", "Errors answered by the relay itself, by kind.", ("kind", ())
)
CLIENT_CLOSED = _counter(
    "compaction_relay_client_closed_total", "Exchanges ended by the client before the response was complete.", _UPSTREAM
)
UPSTREAM_CUT = _counter(
    "compaction_relay_upstream_cut_total",
    "Exchanges whose upstream ended the connection inside its response, or never answered.",
    _UPSTREAM,
)
SHUTDOWN_CUT = _counter("compaction_relay_shutdown_cut_total", "Exchanges cut by the drain deadline.")
BYTES = _counter(
    "compaction_relay_bytes_total",
    "Bytes relayed as received, heads and framing among them.",
    ("direction", ("request", "response")),
)
CONNECT_SECONDS = _histogram(
    "compaction_relay_connect_seconds",
    "From the wish for an upstream connection to its readiness, TLS included.",
    LLM_BUCKETS_S,
    _UPSTREAM,
)
OVERHEAD_SECONDS = _histogram(
    "compaction_relay_overhead_seconds",
    "Time the relay held an exchange back: request head complete to request head written, and last response byte read "
    "to last byte written, connecting excluded.",
    OVERHEAD_BUCKETS_S,
)
FIRST_BYTE_SECONDS = _histogram(
    "compaction_relay_first_byte_seconds",
    "From the complete request head to the first byte of the response.",
    LLM_BUCKETS_S,
    _UPSTREAM,
)
EXCHANGE_SECONDS = _histogram(
    "compaction_relay_exchange_seconds",
    "From the complete request head to the end of the exchange.",
    LLM_BUCKETS_S,
    _UPSTREAM,
)
EXCHANGES_RECORDED = _counter("compaction_journal_exchanges_total", "Exchanges in the journal to their end.")
EXCHANGES_LOST = _counter(
    "compaction_exchanges_lost_total",
    "Exchanges that were relayed and are not in the journal, by reason.",
    ("reason", ("slow_disk", "no_space", "disk_floor", "journal_full", "io_error", "closed")),
)
CAPPED_BYTES = _counter("compaction_journal_capped_bytes_total", "Body bytes above the recording cap of one direction.")
JOURNAL_BYTES = _counter("compaction_journal_bytes_total", "Bytes written to the journal.")
JOURNAL_WRITES = _counter("compaction_journal_writes_total", "Writes to the journal.")
JOURNAL_SEGMENTS = _counter("compaction_journal_segments_total", "Segments begun, recycled ones among them.")
JOURNAL_OFF = _gauge("compaction_journal_switched_off", "1 while recording is switched off.")
DATA_FREE = _gauge("compaction_data_free_bytes", "Free bytes of the file system that holds the data folder.")
DATA_FLOOR = _gauge("compaction_data_floor_bytes", "Free bytes below which recording stops.")
START_TIME = _gauge("compaction_relay_start_time_seconds", "UTC time the relay started.", per_unit=_MICROSECONDS)
STARTS = _counter("compaction_relay_starts_total", "Relay processes that have written this page.")

TABLE = (
    REQUESTS,
    RESPONSES,
    IN_FLIGHT,
    CONNECTIONS,
    OWN_ERRORS,
    CLIENT_CLOSED,
    UPSTREAM_CUT,
    SHUTDOWN_CUT,
    BYTES,
    CONNECT_SECONDS,
    OVERHEAD_SECONDS,
    FIRST_BYTE_SECONDS,
    EXCHANGE_SECONDS,
    EXCHANGES_RECORDED,
    EXCHANGES_LOST,
    CAPPED_BYTES,
    JOURNAL_BYTES,
    JOURNAL_WRITES,
    JOURNAL_SEGMENTS,
    JOURNAL_OFF,
    DATA_FREE,
    DATA_FLOOR,
    START_TIME,
    STARTS,
)


METRICS = {metric.name: metric for metric in TABLE}

Place = tuple[str, Labels]
"""Metric name and label combination."""


def places(vocabulary: Vocabulary) -> dict[Place, int]:
    """Index of the first cell of every value on a page with that vocabulary."""
    found: dict[Place, int] = {}
    cell = 0
    for metric in TABLE:
        for labels in metric.combinations(vocabulary):
            found[metric.name, labels] = cell
            cell += metric.cells
    return found


def cell_count(vocabulary: Vocabulary) -> int:
    """Cells of a page with that vocabulary."""
    return sum(metric.cells for metric in TABLE for _ in metric.combinations(vocabulary))
