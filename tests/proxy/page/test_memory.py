"""One writer, lock-free readers, and counters that never go back."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from proxy.model.errors import CannotWriteError, InputError, NewerVersionError
from proxy.page.memory import Distribution, Page, PageReader, Sample
from proxy.page.table import (
    EXCHANGE_SECONDS,
    EXCHANGES_LOST,
    IN_FLIGHT,
    JOURNAL_BYTES,
    LLM_BUCKETS_S,
    REQUESTS,
    START_TIME,
    STARTS,
    Vocabulary,
)

ROOT = Path(__file__).parents[3]
VOCABULARY: Vocabulary = {"upstream": ("anthropic", "local"), "kind": ("bad_request", "timeout")}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "relay.page"


def value(path: Path, name: str, **labels: str) -> int | float | None:
    """Value of one sample; None when it is absent."""
    found = [
        sample.value
        for sample in PageReader(path).read()
        if isinstance(sample, Sample) and sample.metric.name == name and dict(sample.labels) == labels
    ]
    return found[0] if found else None


def distribution(path: Path, **labels: str) -> Distribution:
    """The exchange durations of one upstream."""
    return next(
        sample
        for sample in PageReader(path).read()
        if isinstance(sample, Distribution) and sample.metric is EXCHANGE_SECONDS and dict(sample.labels) == labels
    )


def test_what_was_added_is_read_under_its_labels(path: Path) -> None:
    page = Page(path, VOCABULARY)
    page.add(page.slot(REQUESTS, upstream="local"), 2)
    page.add(page.slot(REQUESTS, upstream="local"), 3)
    assert value(path, "compaction_relay_requests_total", upstream="local") == 5
    assert value(path, "compaction_relay_requests_total", upstream="anthropic") == 0


def test_a_gauge_nobody_set_is_absent_and_never_zero(path: Path) -> None:
    page = Page(path, VOCABULARY)
    assert value(path, "compaction_relay_in_flight") is None
    page.set(page.slot(IN_FLIGHT), 0)
    page.add(page.slot(IN_FLIGHT), 3)
    page.add(page.slot(IN_FLIGHT), -1)
    assert value(path, "compaction_relay_in_flight") == 2


def test_what_a_writer_does_not_measure_is_absent_and_begins_anew_with_one_that_does(path: Path) -> None:
    page = Page(path, VOCABULARY)
    page.add(page.slot(REQUESTS, upstream="local"), 2)
    page.withhold(REQUESTS, upstream="local")
    page.withhold(EXCHANGE_SECONDS, upstream="local")
    assert value(path, "compaction_relay_requests_total", upstream="local") is None
    assert value(path, "compaction_relay_requests_total", upstream="anthropic") == 0
    with pytest.raises(StopIteration):
        distribution(path, upstream="local")
    page.close()
    again = Page(path, VOCABULARY)
    assert value(path, "compaction_relay_requests_total", upstream="local") == 0
    assert sum(distribution(path, upstream="local").counts) == 0
    again.close()


def test_values_are_read_in_the_unit_of_their_name(path: Path) -> None:
    page = Page(path, VOCABULARY)
    page.set(page.slot(START_TIME), 1_750_000_000_500_000)
    assert value(path, "compaction_relay_start_time_seconds") == 1_750_000_000.5


def test_a_histogram_counts_up_to_each_bucket_and_beyond_the_last(path: Path) -> None:
    page = Page(path, VOCABULARY)
    histogram = page.histogram(EXCHANGE_SECONDS, upstream="anthropic")
    for seconds in (0.0005, 0.001, 599.0, 600.0, 4000.0):
        page.observe(histogram, seconds)
    found = distribution(path, upstream="anthropic")
    assert len(found.counts) == len(LLM_BUCKETS_S) + 1
    assert (found.counts[0], found.counts[-2], found.counts[-1]) == (2, 4, 5)
    assert found.sum_s == pytest.approx(5199.0015)
    assert distribution(path, upstream="local").counts[-1] == 0


def test_counters_go_on_over_a_restart_and_gauges_do_not(path: Path) -> None:
    first = Page(path, VOCABULARY)
    first.add(first.slot(REQUESTS, upstream="local"), 7)
    first.set(first.slot(IN_FLIGHT), 4)
    first.observe(first.histogram(EXCHANGE_SECONDS, upstream="local"), 1.5)
    first.close()
    Page(path, VOCABULARY)
    assert value(path, "compaction_relay_requests_total", upstream="local") == 7
    assert value(path, "compaction_relay_in_flight") is None
    assert value(path, STARTS.name) == 2
    assert distribution(path, upstream="local").sum_s == 1.5


def test_a_counter_kept_elsewhere_is_mirrored_onto_what_earlier_relays_counted(path: Path) -> None:
    first = Page(path, VOCABULARY)
    first.mirror(first.slot(JOURNAL_BYTES), 100)
    first.mirror(first.slot(JOURNAL_BYTES), 150)
    first.close()
    second = Page(path, VOCABULARY)
    second.mirror(second.slot(JOURNAL_BYTES), 0)
    assert value(path, JOURNAL_BYTES.name) == 150
    second.mirror(second.slot(JOURNAL_BYTES), 20)
    assert value(path, JOURNAL_BYTES.name) == 170


def test_a_changed_vocabulary_keeps_the_counters_of_labels_that_stay(path: Path) -> None:
    first = Page(path, VOCABULARY)
    first.add(first.slot(REQUESTS, upstream="local"), 7)
    first.close()
    second = Page(path, {"upstream": ("other", "local"), "kind": ("timeout",)})
    second.add(second.slot(REQUESTS, upstream="other"), 1)
    assert value(path, "compaction_relay_requests_total", upstream="local") == 7
    assert value(path, "compaction_relay_requests_total", upstream="anthropic") is None


def test_a_reader_follows_the_page_to_its_next_writer(path: Path) -> None:
    reader = PageReader(path)
    assert reader.read() == []
    first = Page(path, VOCABULARY)
    assert reader.read() != []
    first.close()
    second = Page(path, VOCABULARY)
    second.add(second.slot(EXCHANGES_LOST, reason="no_space"), 1)
    assert value(path, EXCHANGES_LOST.name, reason="no_space") == 1


def test_a_page_in_use_is_refused(path: Path) -> None:
    page = Page(path, VOCABULARY)
    with pytest.raises(CannotWriteError, match=r"relay\.page: cannot write the relay's page"):
        Page(path, VOCABULARY)
    page.close()
    Page(path, VOCABULARY).close()


def test_a_killed_writer_leaves_all_it_counted(path: Path) -> None:
    script = (
        "import sys, os, signal; from pathlib import Path; from proxy.page.memory import Page; "
        "from proxy.page.table import REQUESTS; page = Page(Path(sys.argv[1]), {'upstream': ('local',), 'kind': ()}); "
        "page.add(page.slot(REQUESTS, upstream='local'), 41); os.kill(os.getpid(), signal.SIGKILL)"
    )
    assert subprocess.run([sys.executable, "-c", script, str(path)], cwd=ROOT, check=False).returncode == -9
    page = Page(path, VOCABULARY)
    page.add(page.slot(REQUESTS, upstream="local"), 1)
    assert value(path, "compaction_relay_requests_total", upstream="local") == 42


def test_labels_that_are_not_on_the_page_are_refused_at_start(path: Path) -> None:
    page = Page(path, VOCABULARY)
    with pytest.raises(KeyError):
        page.slot(REQUESTS, upstream="unknown")


def test_a_page_of_a_newer_version_is_refused(path: Path) -> None:
    Page(path, VOCABULARY).close()
    raw = bytearray(path.read_bytes())
    raw[8] = 9
    path.write_bytes(raw)
    with pytest.raises(NewerVersionError, match="found version 9"):
        PageReader(path).read()


@pytest.mark.parametrize("damage", [b"short", b"x" * 4096])
def test_something_that_is_no_page_is_refused_by_readers_and_replaced_by_the_writer(path: Path, damage: bytes) -> None:
    path.write_bytes(damage)
    with pytest.raises(InputError, match="expected the relay's page"):
        PageReader(path).read()
    Page(path, VOCABULARY)
    assert value(path, STARTS.name) == 1


def test_a_page_with_other_metrics_or_another_length_is_refused(path: Path) -> None:
    Page(path, VOCABULARY).close()
    raw = path.read_bytes()
    path.write_bytes(raw + b"\0" * 8)
    with pytest.raises(InputError, match=f"found {len(raw) + 8} bytes"):
        PageReader(path).read()
    path.write_bytes(raw[:12] + b"\0\0\0\0" + raw[16:])
    with pytest.raises(InputError, match="other metrics"):
        PageReader(path).read()


def test_a_folder_that_is_not_there_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(CannotWriteError, match="nowhere"):
        Page(tmp_path / "nowhere" / "relay.page", VOCABULARY)
