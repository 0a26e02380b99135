from __future__ import annotations

from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from proxy.metrics.ratchet import Ratchet


def test_what_the_store_forgot_stays_counted_also_after_a_restart(tmp_path: Path) -> None:
    file = tmp_path / "counters.json"
    ratchet = Ratchet(file)
    assert ratchet.lift("c", {("a",): 10}) == {("a",): 10}
    assert ratchet.lift("c", {("a",): 4}) == {("a",): 10}
    assert ratchet.lift("c", {}) == {("a",): 10}
    ratchet.save()
    assert Ratchet(file).lift("c", {("a",): 3}) == {("a",): 13}


def test_what_was_pruned_while_no_process_ran_is_noticed(tmp_path: Path) -> None:
    ratchet = Ratchet(tmp_path / "counters.json")
    ratchet.lift("c", {("a",): 10})
    ratchet.save()
    assert Ratchet(tmp_path / "counters.json").lift("c", {("a",): 2}) == {("a",): 10}


def test_a_damaged_file_is_begun_anew(tmp_path: Path) -> None:
    (tmp_path / "counters.json").write_text('[["c"')
    assert Ratchet(tmp_path / "counters.json").lift("c", {(): 1}) == {(): 1}


@settings(max_examples=50)
@given(st.lists(st.integers(0, 20)))
def test_a_counter_never_falls(values: list[int]) -> None:
    ratchet = Ratchet(Path("/nonexistent/counters.json"))
    shown = [ratchet.lift("c", {(): value})[()] for value in values]
    assert shown == sorted(shown)
