from __future__ import annotations

from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from proxy.metrics.definitions import Dimension, Kind, Metric
from proxy.metrics.ratchet import Ratchet
from proxy.metrics.readings import Distribution

METRICS = (
    Metric("c", Kind.COUNTER, "", (Dimension("a", most=3),)),
    Metric("h", Kind.HISTOGRAM, "", (), (1.0, 2.0)),
)


def test_what_the_store_forgot_stays_counted_also_after_a_restart(tmp_path: Path) -> None:
    file = tmp_path / "counters.json"
    ratchet = Ratchet(file, METRICS)
    assert ratchet.lift("c", {("a",): 10}) == {("a",): 10}
    assert ratchet.lift("c", {("a",): 4}) == {("a",): 10}
    assert ratchet.lift("c", {}) == {("a",): 10}
    ratchet.save()
    assert Ratchet(file, METRICS).lift("c", {("a",): 3}) == {("a",): 13}


def test_what_was_pruned_while_no_process_ran_is_noticed(tmp_path: Path) -> None:
    ratchet = Ratchet(tmp_path / "counters.json", METRICS)
    ratchet.lift("c", {("a",): 10})
    ratchet.save()
    assert Ratchet(tmp_path / "counters.json", METRICS).lift("c", {("a",): 2}) == {("a",): 10}


def test_no_bucket_of_a_histogram_falls(tmp_path: Path) -> None:
    file = tmp_path / "counters.json"
    ratchet = Ratchet(file, METRICS)
    ratchet.lift("h", {(): Distribution((1, 2, 0), 5)})
    assert ratchet.lift("h", {(): Distribution((0, 3, 0), 6)}) == {(): Distribution((1, 3, 0), 6)}
    ratchet.save()
    assert Ratchet(file, METRICS).lift("h", {}) == {(): Distribution((1, 3, 0), 6)}


def test_a_damaged_file_and_one_of_an_earlier_version_are_begun_anew(tmp_path: Path) -> None:
    for text in ('{"c"', '[["c", ["a"], 5, 0]]'):
        (tmp_path / "counters.json").write_text(text)
        assert Ratchet(tmp_path / "counters.json", METRICS).lift("c", {("a",): 1}) == {("a",): 1}


def test_series_whose_labels_or_buckets_have_changed_begin_anew(tmp_path: Path) -> None:
    ratchet = Ratchet(tmp_path / "counters.json", METRICS)
    ratchet.lift("c", {("a",): 10})
    ratchet.lift("h", {(): Distribution((1, 2, 0), 5)})
    ratchet.save()
    changed = (Metric("c", Kind.COUNTER, "", (Dimension("b", most=3),)), Metric("h", Kind.HISTOGRAM, "", (), (1.0,)))
    later = Ratchet(tmp_path / "counters.json", changed)
    assert later.lift("c", {("a",): 1}) == {("a",): 1}
    assert later.lift("h", {(): Distribution((1, 0), 1)}) == {(): Distribution((1, 0), 1)}


@settings(max_examples=50)
@given(st.lists(st.integers(0, 20)))
def test_a_counter_never_falls(values: list[int]) -> None:
    ratchet = Ratchet(Path("/nonexistent/counters.json"), METRICS)
    shown = [ratchet.lift("c", {("a",): value})["a",] for value in values]
    assert shown == sorted(shown, key=lambda value: value if isinstance(value, float | int) else 0)
