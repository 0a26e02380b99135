from __future__ import annotations

import shutil
import subprocess
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from prometheus_client.parser import text_string_to_metric_families

from proxy.metrics.definitions import (
    CONTEXT_TOKENS,
    LABELLED_SERIES_LIMIT,
    METRICS,
    SERIES_LIMIT,
    Kind,
    Metric,
    labelled,
)
from proxy.metrics.exposition import Exposition
from proxy.metrics.readings import Labels, Value, distribute


def text_of(readings: Mapping[str, Mapping[Any, Any]]) -> str:
    return Exposition("staging").render(readings).body.decode()


def samples(text: str, name: str) -> dict[tuple[tuple[str, str], ...], float]:
    return {
        tuple(sorted((key, value) for key, value in sample.labels.items() if key != "environment")): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
        if sample.name == name
    }


def something_of(metric: Metric, labels: Labels) -> dict[str, dict[Labels, Value]]:
    if metric.kind is Kind.HISTOGRAM:
        return {metric.name: {labels: distribute([1.0, 50_000.0], metric.buckets)}}
    return {metric.name: {labels: 3}}


def everything() -> dict[str, dict[Labels, Value]]:
    readings: dict[str, dict[Labels, Value]] = {}
    for metric in METRICS:
        readings |= something_of(metric, tuple((dimension.values or ("name",))[0] for dimension in metric.labels))
    return readings


def test_zero_is_written_for_closed_labels_and_for_each_open_one_that_was_seen() -> None:
    text = text_of({"compaction_calls_total": {("claude-code", "unknown"): 2}})
    assert samples(text, "compaction_calls_total") == {
        (("client", "claude-code"), ("tool_class", "execution")): 0,
        (("client", "claude-code"), ("tool_class", "retrieval")): 0,
        (("client", "claude-code"), ("tool_class", "unknown")): 2,
    }


def test_a_metric_that_was_read_and_found_nothing_is_0_and_one_not_read_is_absent() -> None:
    text = text_of({"compaction_exchanges_total": {}})
    assert set(samples(text, "compaction_exchanges_total").values()) == {0}
    assert "compaction_turns_total" not in text


def test_every_series_carries_the_environment() -> None:
    text = text_of(everything())
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    assert all('environment="staging"' in line for line in lines)


def test_histograms_are_cumulative_with_inclusive_bounds() -> None:
    text = text_of(
        {"compaction_boundary_context_before_tokens": {("c",): distribute([1_000, 1_001, 9e9], CONTEXT_TOKENS)}}
    )
    buckets = samples(text, "compaction_boundary_context_before_tokens_bucket")
    by_bound = {dict(labels)["le"]: count for labels, count in buckets.items()}
    assert (by_bound["1000.0"], by_bound["2000.0"], by_bound["2000000.0"], by_bound["+Inf"]) == (1, 2, 2, 3)
    assert samples(text, "compaction_boundary_context_before_tokens_count") == {(("client", "c"),): 3}


def test_values_that_fall_into_other_are_added_up() -> None:
    many = {("c", f"model-{number:02}"): 1.0 for number in range(40)}
    found = samples(text_of({"compaction_unpriced_iterations_total": many}), "compaction_unpriced_iterations_total")
    assert len(found) == 17
    assert found[("client", "c"), ("model", "other")] == 24
    assert sum(found.values()) == 40


def test_a_name_keeps_its_place_over_scrapes() -> None:
    exposition = Exposition("e")
    name = "compaction_unpriced_iterations_total"
    exposition.render({name: {("c", f"m{number:02}"): 1.0 for number in range(10, 26)}})
    text = exposition.render({name: {("c", f"m{number:02}"): 1.0 for number in range(26)}}).body.decode()
    assert (("client", "c"), ("model", "m25")) in samples(text, name)
    assert (("client", "c"), ("model", "m00")) not in samples(text, name)


@pytest.mark.parametrize(
    ("users", "limit", "half"),
    [((), SERIES_LIMIT, 5_000), (("team", "agent", "site"), LABELLED_SERIES_LIMIT, 1_000)],
)
def test_thousands_of_junk_names_stay_under_the_series_limit(users: tuple[str, ...], limit: int, half: int) -> None:
    junk = [f"junk-{number}" for number in range(half)] + [f'/v1/{number}?key=\n\0"{{' for number in range(half)]
    readings: dict[str, dict[Labels, Value]] = {}
    metrics = labelled(users)
    for metric in metrics:
        if all(dimension.values for dimension in metric.labels):
            continue
        found: dict[Labels, Value] = {}
        for word in junk:
            labels = tuple((dimension.values or (word,))[0] for dimension in metric.labels)
            found[labels] = distribute([1.0], metric.buckets) if metric.kind is Kind.HISTOGRAM else 1
        readings[metric.name] = found
    text = Exposition("staging", metrics).render(readings).body.decode()
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    assert len(lines) <= limit
    assert "/v1/" not in text


def test_the_series_are_bounded_by_construction() -> None:
    assert sum(metric.most_series for metric in METRICS) <= SERIES_LIMIT
    assert sum(metric.most_series for metric in labelled(["a", "b", "c"])) <= LABELLED_SERIES_LIMIT


@settings(max_examples=50)
@given(st.dictionaries(st.tuples(st.text(), st.sampled_from(["retrieval", "execution", "unknown"])), st.integers(0, 9)))
def test_whatever_the_label_text_the_sum_is_kept_and_the_page_can_be_parsed(calls: dict[Labels, float]) -> None:
    found = samples(text_of({"compaction_calls_total": calls}), "compaction_calls_total")
    assert sum(found.values()) == sum(calls.values())


def test_a_reading_without_definition_is_refused() -> None:
    with pytest.raises(KeyError, match="compaction_new"):
        text_of({"compaction_new": {}})


def test_a_value_outside_a_closed_set_is_refused() -> None:
    with pytest.raises(ValueError, match="label kind has no value 'new'"):
        text_of({"compaction_exchanges_total": {("new",): 1}})


def test_a_scraper_may_ask_for_openmetrics() -> None:
    page = Exposition("e").render(everything(), "application/openmetrics-text; version=1.0.0")
    assert page.content_type.startswith("application/openmetrics-text")
    assert page.body.endswith(b"# EOF\n")


@pytest.mark.skipif(shutil.which("promtool") is None, reason="promtool is not installed (apt-get install prometheus)")
def test_promtool_has_nothing_to_object() -> None:
    checked = subprocess.run(
        ["promtool", "check", "metrics"], input=text_of(everything()), text=True, capture_output=True, check=False
    )
    assert (checked.returncode, checked.stdout + checked.stderr) == (0, "")
