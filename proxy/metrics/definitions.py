"""Every series this product shows, in one table. `docs/metrics.md` is written from it."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum

from proxy.model.facts import BoundaryKind, ExchangeKind, Label, Observability, ToolClass
from proxy.model.usage import IterationKind
from proxy.page.table import TABLE
from proxy.page.table import Metric as PageMetric

OTHER = "other"
"""What a bounded label calls everything beyond its bound."""
UNKNOWN = "unknown"
"""What a label calls an empty value."""


class Kind(StrEnum):
    """Prometheus's own words."""

    COUNTER = "counter"
    GAUGE = "gauge"
    HISTOGRAM = "histogram"


@dataclass(frozen=True, slots=True)
class Dimension:
    """One label."""

    name: str
    values: tuple[str, ...] = ()
    """The closed set of its values, each written even when 0; empty when they come from traffic or settings."""
    most: int = 0
    """How many values of an open set get a name of their own; the rest is `other`."""
    is_said: bool = False
    """Its values come from traffic: which of them have a name outlives the process. Those of settings may change."""
    is_users: bool = False
    """One of `[labels]`: bounded also together with the client (`COMBINATIONS`)."""

    @property
    def size(self) -> int:
        """Most values it can have, `other` and `unknown` included."""
        return len(self.values) or self.most + 2


@dataclass(frozen=True, slots=True)
class Metric:
    """One series family."""

    name: str
    kind: Kind
    help: str
    labels: tuple[Dimension, ...] = ()
    buckets: tuple[float, ...] = ()
    """Inclusive upper bounds of a histogram, without +Inf."""

    @property
    def most_series(self) -> int:
        """Most lines a scrape can hold of it."""
        lines = len(self.buckets) + 3 if self.kind is Kind.HISTOGRAM else 1
        if not any(dimension.is_users for dimension in self.labels):
            return lines * math.prod(dimension.size for dimension in self.labels)
        others = (dimension.size for dimension in self.labels if dimension != CLIENT and not dimension.is_users)
        return lines * math.prod(others) * (COMBINATIONS + CLIENT.size)


CONTEXT_TOKENS = (
    *(1_000.0, 2_000.0, 4_000.0, 8_000.0, 16_000.0, 32_000.0, 64_000.0, 100_000.0, 140_000.0),
    *(200_000.0, 300_000.0, 400_000.0, 600_000.0, 800_000.0, 1_000_000.0, 2_000_000.0),
)

TURNS = (1.0, 2.0, 3.0, 5.0, 8.0, 13.0, 20.0, 30.0, 50.0, 80.0, 130.0, 200.0, 300.0, 500.0, 1_000.0)

USER_VALUES = 20
"""Values of one of the user's labels that get a name of their own."""
COMBINATIONS = 32
"""Combinations of client and user's labels that are told apart; in further ones the labels are `other`."""

CLIENT = Dimension("client", most=8, is_said=True)
MODEL = Dimension("model", most=16, is_said=True)
REASON = Dimension("reason", most=24, is_said=True)
PROCESS = Dimension("process", most=4)
SOURCE = Dimension("source", ("page", "observer", "store", "export"))
EXCHANGE_KIND = Dimension("kind", tuple(ExchangeKind))
TOKEN_CLASS = Dimension(
    "class",
    ("uncached", "cache_read", "cache_write_5m", "cache_write_1h", "cache_write_30m", "cache_write_12h", "output"),
)
ITERATION = Dimension("iteration", tuple(IterationKind))
BOUNDARY_KIND = Dimension("kind", tuple(BoundaryKind))
TRIGGER = Dimension("trigger", ("manual", "auto", UNKNOWN))
LEVEL = Dimension("level", tuple(Observability))
TOOL_CLASS = Dimension("tool_class", tuple(ToolClass))
REREAD_CLASSES = (
    *(Label.ATTEMPTED, Label.FORCED, Label.REFRESH, Label.REPEAT_VISIBLE, Label.REACQUISITION),
    *(Label.SUBSET, Label.SUPERSET, Label.OVERLAP, Label.VARIANT),
)
"""Calls for what had been observed before; `reacquisition` alone is the strict one (V1)."""
REREAD = Dimension("class", REREAD_CLASSES)
REPEAT_CLASSES = (Label.REPEAT_VISIBLE, Label.REACQUISITION, Label.SUBSET, Label.SUPERSET, Label.OVERLAP, Label.VARIANT)
REPEAT = Dimension("class", (*REPEAT_CLASSES, "none"))
PHASE = Dimension("phase", ("before", "after"))
TOOL = Dimension("tool", most=16, is_said=True)
EXTENT = Dimension("extent", ("exact", "partial"))
BILL_PART = Dimension("part", ("summary", "cache_rewrite", "exact_rereads", "partial_rereads", "attempted_rereads"))
OUTCOME = Dimension("outcome", ("sent", "dropped"))
VERSION = Dimension("version", most=1)
DIGEST = Dimension("digest", most=1)

COUNTER, GAUGE, HISTOGRAM = Kind.COUNTER, Kind.GAUGE, Kind.HISTOGRAM

OF_THE_PAGE = {"upstream": 16, "kind": 16}
"""Most values of the page's labels that come from the settings, which allow no more upstreams than this."""


def _of_page(metric: PageMetric) -> Metric:
    """A metric of the relay's page, as its own table defines it."""
    labels = tuple(Dimension(name, values, OF_THE_PAGE.get(name, 0)) for name, values in metric.labels)
    return Metric(metric.name, Kind(metric.kind), metric.help, labels, metric.buckets)


RELAY: tuple[Metric, ...] = tuple(_of_page(metric) for metric in TABLE)

OBSERVED: tuple[Metric, ...] = (
    Metric(
        "compaction_observer_lag_seconds",
        GAUGE,
        "Age of the exchange the observer works on, 0 when it has read everything; its silence when that is longer.",
    ),
    Metric("compaction_exchanges_total", COUNTER, "Exchanges by what was made of them.", (EXCHANGE_KIND,)),
    Metric(
        "compaction_exchanges_unread_total",
        COUNTER,
        "Model calls that could not be read or attributed, by reason.",
        (Dimension("kind", (ExchangeKind.UNPARSED, ExchangeKind.UNOBSERVABLE)), REASON),
    ),
    Metric(
        "compaction_unobservable_sessions_ratio",
        GAUGE,
        "Share of the model calls of the last hour that belong to no observable session; absent without any.",
    ),
    Metric("compaction_sessions_total", COUNTER, "Sessions seen.", (CLIENT,)),
    Metric("compaction_turns_total", COUNTER, "Model calls that ended with a terminal event.", (CLIENT, MODEL)),
    Metric("compaction_turns_without_usage_total", COUNTER, "Turns whose usage the provider did not send.", (CLIENT,)),
    Metric("compaction_turns_with_disagreeing_usage_total", COUNTER, "Turns whose usage sums contradict.", (CLIENT,)),
    Metric(
        "compaction_billed_tokens_total",
        COUNTER,
        "Tokens as the provider billed them. Input is the sum of all classes but output.",
        (MODEL, TOKEN_CLASS, ITERATION),
    ),
    Metric("compaction_cost_usd_total", COUNTER, "Price of billed tokens.", (CLIENT, MODEL, ITERATION)),
    Metric("compaction_billed_iterations_total", COUNTER, "Billed samplings.", (CLIENT, MODEL)),
    Metric("compaction_unpriced_iterations_total", COUNTER, "Billed samplings without a known price.", (CLIENT, MODEL)),
    Metric(
        "compaction_boundaries_total",
        COUNTER,
        "Compactions: turns at which observations left the model's view.",
        (CLIENT, BOUNDARY_KIND, TRIGGER, LEVEL),
    ),
    Metric(
        "compaction_boundary_context_before_tokens",
        HISTOGRAM,
        "Billed context of the last turn before a compaction.",
        (CLIENT,),
        CONTEXT_TOKENS,
    ),
    Metric(
        "compaction_boundary_context_after_tokens",
        HISTOGRAM,
        "Billed context of the first turn after a compaction.",
        (CLIENT,),
        CONTEXT_TOKENS,
    ),
    Metric(
        "compaction_turns_between_boundaries",
        HISTOGRAM,
        "Turns from one compaction of a thread to its next one.",
        (CLIENT,),
        TURNS,
    ),
    Metric(
        "compaction_bill_usd_total",
        COUNTER,
        "Measured cost of compactions by part, as far as it is priced; all of it stands in the cost, too.",
        (CLIENT, BILL_PART),
    ),
    Metric(
        "compaction_bill_unpriced_total",
        COUNTER,
        "Summaries, first turns after and re-reads without a price: above 0 the bill is a lower bound.",
        (CLIENT, BILL_PART),
    ),
    Metric(
        "compaction_break_even_turns",
        GAUGE,
        "Modelled: turns after which a compaction of the last 24 hours pays back, median; +Inf = never.",
        (CLIENT,),
    ),
    Metric(
        "compaction_followed_turns",
        GAUGE,
        "Turns that followed these same compactions up to the next one or to now, median.",
        (CLIENT,),
    ),
    Metric("compaction_dropped_observations_total", COUNTER, "Observations that compactions dropped.", (CLIENT,)),
    Metric(
        "compaction_dropped_reference_tokens_total",
        COUNTER,
        "Their size in reference tokens (o200k_base), never to be added to billed ones.",
        (CLIENT,),
    ),
    Metric(
        "compaction_calls_total",
        COUNTER,
        "Tool calls. Unknown ones make every re-read figure a lower bound.",
        (CLIENT, TOOL_CLASS),
    ),
    Metric(
        "compaction_reread_calls_total",
        COUNTER,
        "Calls for what had been observed before, by class; one call has one class.",
        (CLIENT, REREAD),
    ),
    Metric(
        "compaction_reread_reference_tokens_total",
        COUNTER,
        "What they cost in reference tokens (o200k_base): exact re-reads whole, others only what had been dropped.",
        (CLIENT, REREAD),
    ),
    Metric(
        "compaction_tool_reread_reference_tokens_total",
        COUNTER,
        "What re-reads cost in reference tokens (o200k_base) by tool; exact and partial ones are never added.",
        (TOOL, EXTENT),
    ),
    Metric(
        "compaction_retrievals_total",
        COUNTER,
        "Retrieval calls on threads that compacted, before and after their first compaction, by what they repeat: the "
        "class before is the baseline of the class after.",
        (CLIENT, PHASE, REPEAT),
    ),
    Metric("compaction_looping_sessions", GAUGE, "Sessions that re-read in a loop after a compaction.", (CLIENT,)),
)

HOUSE: tuple[Metric, ...] = (
    Metric("compaction_build_info", GAUGE, "1; the label says what is installed.", (VERSION,)),
    Metric("compaction_settings_info", GAUGE, "1; the label changes with the settings, at a restart.", (DIGEST,)),
    Metric("compaction_process_up", GAUGE, "1 while a process of ours runs.", (PROCESS,)),
    Metric("compaction_process_restarts_total", COUNTER, "Times a process was started again.", (PROCESS,)),
    Metric("compaction_store_bytes", GAUGE, "Size of the store's files."),
    Metric(
        "compaction_export_spans_total",
        COUNTER,
        "Spans by what became of them; absent unless `export.otlp.endpoint` is set.",
        (OUTCOME,),
    ),
    Metric("compaction_scrape_failures_total", COUNTER, "Sources that could not be read for a scrape.", (SOURCE,)),
)

METRICS: tuple[Metric, ...] = (*RELAY, *OBSERVED, *HOUSE)
BY_NAME: dict[str, Metric] = {metric.name: metric for metric in METRICS}
SERIES_LIMIT = 6_000
LABELLED_SERIES_LIMIT = 15_000
"""The same with `[labels]`."""


def labelled(names: Iterable[str]) -> tuple[Metric, ...]:
    """All metrics; those of sessions with the user's labels behind the client."""
    users = tuple(Dimension(f"label_{name}", most=USER_VALUES, is_said=True, is_users=True) for name in names)
    return tuple(
        replace(metric, labels=(CLIENT, *users, *metric.labels[1:])) if metric.labels[:1] == (CLIENT,) else metric
        for metric in METRICS
    )
