from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from proxy.journal.limits import JournalCounters, LossReason
from proxy.model.exchange import Outcome
from proxy.page.memory import Page, PageReader, Sample
from proxy.relay.counters import RelayCounters, vocabulary
from proxy.relay.refusals import Kind


@pytest.fixture
def page(tmp_path: Path) -> Iterator[Page]:
    page = Page(tmp_path / "page", vocabulary(["a", "b"]))
    yield page
    page.close()


def read(folder: Path) -> dict[tuple[str, tuple[str, ...]], float]:
    samples = [sample for sample in PageReader(folder / "page").read() if isinstance(sample, Sample)]
    return {(sample.metric.name, tuple(value for _, value in sample.labels)): sample.value for sample in samples}


def test_gauges_start_at_zero_and_every_kind_of_error_has_a_series(page: Page, tmp_path: Path) -> None:
    counters = RelayCounters(page, ["a", "b"], start_us=1_700_000_000_500_000)
    for kind in Kind:
        counters.own_error(kind)
    values = read(tmp_path)
    assert values["compaction_relay_in_flight", ()] == 0
    assert values["compaction_relay_connections", ()] == 0
    assert values["compaction_relay_start_time_seconds", ()] == 1_700_000_000.5
    assert all(values["compaction_relay_own_errors_total", (kind.value,)] == 1 for kind in Kind)


@pytest.mark.parametrize(
    ("outcome", "series"),
    [
        (Outcome.CLIENT_CLOSED, ("compaction_relay_client_closed_total", ("b",))),
        (Outcome.UPSTREAM_CUT, ("compaction_relay_upstream_cut_total", ("b",))),
        (Outcome.SHUTDOWN, ("compaction_relay_shutdown_cut_total", ())),
    ],
)
def test_each_end_that_is_not_complete_is_counted_as_what_it_is(
    page: Page, tmp_path: Path, outcome: Outcome, series: tuple[str, tuple[str, ...]]
) -> None:
    counters = RelayCounters(page, ["a", "b"], start_us=0)
    before = read(tmp_path)
    counters.ended(counters.upstreams["b"], outcome)
    after = read(tmp_path)
    assert {key: after[key] - before[key] for key in after if after[key] != before[key]} == {series: 1}


def test_the_journals_own_counters_are_copied(page: Page, tmp_path: Path) -> None:
    counters = RelayCounters(page, ["a"], start_us=0)
    journal = JournalCounters(exchanges=5, bytes_written=700, writes=6, free_bytes=9, switched_off=LossReason.NO_SPACE)
    journal.lost[LossReason.NO_SPACE] = 2
    counters.mirror_journal(journal)
    counters.mirror_journal(journal)
    values = read(tmp_path)
    assert values["compaction_journal_exchanges_total", ()] == 5
    assert values["compaction_journal_bytes_total", ()] == 700
    assert values["compaction_exchanges_lost_total", ("no_space",)] == 2
    assert values["compaction_exchanges_lost_total", ("slow_disk",)] == 0
    assert values["compaction_journal_switched_off", ()] == 1
    assert values["compaction_data_free_bytes", ()] == 9
