"""The table is complete, well named and agrees with the journal."""

from __future__ import annotations

from proxy.journal.limits import LossReason
from proxy.page.table import (
    EXCHANGES_LOST,
    LLM_BUCKETS_S,
    METRICS,
    OVERHEAD_BUCKETS_S,
    TABLE,
    MetricKind,
    cell_count,
    places,
)

VOCABULARY = {"upstream": ("a", "b"), "kind": ("x",)}


def test_names_follow_the_conventions_of_prometheus() -> None:
    for metric in TABLE:
        assert metric.name.startswith("compaction_")
        assert metric.name.endswith("_total") == (metric.kind is MetricKind.COUNTER)
        assert (metric.kind is MetricKind.HISTOGRAM) == bool(metric.buckets)
        assert metric.help.endswith(".")
    assert len(METRICS) == len(TABLE)


def test_every_reason_for_a_loss_has_a_series() -> None:
    assert EXCHANGES_LOST.labels == (("reason", tuple(reason.value for reason in LossReason)),)


def test_buckets_rise_and_reach_an_agent_s_longest_silence() -> None:
    for buckets in (LLM_BUCKETS_S, OVERHEAD_BUCKETS_S):
        assert list(buckets) == sorted(set(buckets))
    assert (LLM_BUCKETS_S[0], LLM_BUCKETS_S[-1]) == (0.001, 600)
    assert 0.25 in OVERHEAD_BUCKETS_S


def test_no_two_values_share_a_cell() -> None:
    taken: set[int] = set()
    for (name, _), at in places(VOCABULARY).items():
        cells = set(range(at, at + METRICS[name].cells))
        assert taken.isdisjoint(cells)
        taken |= cells
    assert taken == set(range(cell_count(VOCABULARY)))
