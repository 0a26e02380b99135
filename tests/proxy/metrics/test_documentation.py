from __future__ import annotations

from pathlib import Path

from proxy.metrics.definitions import METRICS, Kind
from proxy.metrics.documentation import metric_lines, metrics_page
from tests.support.typed import type_command

DOCS = Path(__file__).parents[3] / "docs"


def test_the_document_is_what_the_definitions_say() -> None:
    """After a change: python -m proxy.metrics.documentation > docs/metrics.md."""
    assert (DOCS / "metrics.md").read_text() == metrics_page()


def test_the_command_prints_every_series_with_its_help() -> None:
    typed = type_command("metrics")
    assert typed.lines == list(metric_lines())
    for metric in METRICS:
        assert metric.name in typed.out
        assert metric.help in typed.out


def test_names_follow_the_conventions_of_prometheus() -> None:
    for metric in METRICS:
        assert metric.name.startswith("compaction_")
        assert metric.name.endswith("_total") is (metric.kind is Kind.COUNTER), metric.name
        assert not metric.name.endswith(("_count", "_sum", "_bucket")), metric.name
        assert metric.help.endswith("."), metric.name
        assert bool(metric.buckets) is (metric.kind is Kind.HISTOGRAM), metric.name
    assert len({metric.name for metric in METRICS}) == len(METRICS)


def test_waiting_for_a_model_fits_the_buckets() -> None:
    """F110: peers' histograms end at 10 s."""
    for metric in METRICS:
        if metric.name.endswith(("first_byte_seconds", "exchange_seconds")):
            assert metric.buckets[-1] >= 600
