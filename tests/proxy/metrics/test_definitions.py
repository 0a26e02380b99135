from __future__ import annotations

from config.settings import MOST_UPSTREAMS
from proxy.metrics.definitions import BY_NAME, METRICS, OF_THE_PAGE, RELAY, REREAD_CLASSES, Dimension, Kind, Metric
from proxy.model.facts import Label
from proxy.page.table import TABLE
from proxy.relay.refusals import Kind as Refusal


def test_every_metric_of_the_relays_page_is_shown() -> None:
    assert [metric.name for metric in RELAY] == [metric.name for metric in TABLE]


def test_the_settings_cannot_give_the_page_more_values_than_counted_on() -> None:
    assert OF_THE_PAGE["upstream"] >= MOST_UPSTREAMS
    assert len(Refusal) <= OF_THE_PAGE["kind"]


def test_series_are_counted_with_other_unknown_and_all_lines_of_a_histogram() -> None:
    labels = (Dimension("a", ("x", "y")), Dimension("b", most=3))
    assert Metric("m", Kind.COUNTER, "", labels).most_series == 2 * 5
    assert Metric("m", Kind.HISTOGRAM, "", (), (1.0, 2.0)).most_series == 5


def test_what_is_no_re_read_is_not_among_the_classes_shown() -> None:
    left_out = {Label.PENDING, Label.NO_RESULT, Label.FAILED, Label.NOT_RETRIEVAL, Label.ACQUISITION}
    assert set(Label) - set(REREAD_CLASSES) == left_out


def test_the_names_that_alerts_use_exist() -> None:
    for name in (
        "compaction_looping_sessions",
        "compaction_relay_own_errors_total",
        "compaction_relay_requests_total",
        "compaction_relay_overhead_seconds",
        "compaction_exchanges_lost_total",
        "compaction_observer_lag_seconds",
        "compaction_unobservable_sessions_ratio",
        "compaction_data_free_bytes",
        "compaction_data_floor_bytes",
    ):
        assert name in BY_NAME
    assert len(BY_NAME) == len(METRICS)
