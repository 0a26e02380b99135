from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from proxy.ledger.bill import ThreadBook
from proxy.metrics.readings import Readings
from proxy.model.facts import Label
from proxy.model.usage import PICO_PER_USD
from proxy.store import Database, open_database, snapshot
from proxy.supervisor.bills import DAY_US, Bills
from proxy.supervisor.totals import Totals
from tests.support.stories import Telling, a_compacted_session, keep, reads, rereads

WHO = ("claude-code",)


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    with open_database(f"sqlite:///{tmp_path}/store.db") as found:
        yield found


def read(database: Database, now_us: int = 0, bills: Bills | None = None) -> Readings:
    totals, bills = Totals(), bills or Bills()
    with snapshot(database) as reader:
        totals.refresh(reader)
        bills.refresh(reader, totals.exchanges, totals.whose)
    return bills.readings(now_us)


def by_part(readings: Readings, name: str) -> dict[str, object]:
    return {labels[-1]: value for labels, value in readings[name].items()}


def test_without_a_compaction_there_is_no_bill_and_no_median(database: Database) -> None:
    told = Telling()
    told.turn(1_000)
    keep(told, database)
    readings = read(database)
    assert {name: dict(values) for name, values in readings.items()} == {name: {} for name in readings}
    assert "compaction_bill_usd_total" in readings


def test_the_bill_is_the_one_that_a_session_shows(database: Database) -> None:
    told = a_compacted_session()
    keep(told, database)
    main = [turn for turn in told.turns if turn.thread == "main"]
    calls = [call for call in told.calls if call.thread == "main"]
    (bill,) = ThreadBook(main, told.iterations, calls).bills(told.boundaries)
    found = by_part(read(database), "compaction_bill_usd_total")
    assert found == {
        "summary": pytest.approx((bill.summary.pico_usd or 0) / PICO_PER_USD),
        "cache_rewrite": pytest.approx((bill.rewrite.pico_usd or 0) / PICO_PER_USD),
        "exact_rereads": pytest.approx((bill.exact.pico_usd or 0) / PICO_PER_USD),
        "partial_rereads": pytest.approx((bill.partial.pico_usd or 0) / PICO_PER_USD),
        "attempted_rereads": 0,
    }
    assert bill.measured_pico_usd is not None
    assert sum(float(str(usd)) for usd in found.values()) == pytest.approx(bill.measured_pico_usd / PICO_PER_USD)


def test_what_has_no_price_is_counted_and_the_rest_is_a_lower_bound(database: Database) -> None:
    told = a_compacted_session()
    told.iterations[5] = replace(told.iterations[5], pico_usd=None)  # the summary's
    keep(told, database)
    readings = read(database)
    assert by_part(readings, "compaction_bill_usd_total")["summary"] == 0
    assert by_part(readings, "compaction_bill_unpriced_total")["summary"] == 1
    assert by_part(readings, "compaction_bill_unpriced_total")["cache_rewrite"] == 0
    assert readings["compaction_break_even_turns"] == {}


def test_retrievals_are_told_by_what_they_repeat_before_and_after_the_first_compaction(database: Database) -> None:
    told = Telling()
    told.turn(1_000, reads("a"), reads("a", label=Label.REPEAT_VISIBLE), reads("b", label=Label.PENDING))
    told.turn(60_000, reads("b"))
    told.boundary(("a", 100))
    told.turn(9_000, rereads("a"), rereads("a", label=Label.SUBSET), reads("c"))
    told.turn(9_000, reads("d"), thread="agent:1")
    keep(told, database)
    found = read(database)["compaction_retrievals_total"]
    assert found == {
        (*WHO, "before", "none"): 2,
        (*WHO, "before", "repeat_visible"): 1,
        (*WHO, "after", "none"): 1,
        (*WHO, "after", "reacquisition"): 1,
        (*WHO, "after", "subset"): 1,
    }


def test_medians_are_of_the_compactions_of_a_day_and_one_that_never_pays_back_is_infinite(database: Database) -> None:
    told = a_compacted_session()
    keep(told, database)
    at_us = told.boundaries[0].at_us
    assert read(database, at_us)["compaction_followed_turns"] == {WHO: 5}
    assert 0 < float(str(read(database, at_us)["compaction_break_even_turns"][WHO])) < 100
    assert read(database, at_us + DAY_US + 1)["compaction_break_even_turns"] == {}


def test_a_compaction_that_made_the_context_larger_never_pays_back(database: Database) -> None:
    told = Telling()
    told.turn(1_000, reads("a"))
    told.boundary(("a", 100), evidence="history replaced")
    told.after(5_000)
    told.turn(5_000, cached=0)
    keep(told, database)
    assert read(database, told.now_us)["compaction_break_even_turns"] == {WHO: math.inf}


def test_nothing_is_shown_until_the_sessions_of_the_start_are_read_and_no_scrape_reads_for_long(
    database: Database,
) -> None:
    for number in range(3):
        told = Telling(f"{number:04x}" + "0" * 28)
        told.turn(60_000, reads("a"))
        told.boundary(("a", 100))
        told.turn(9_000, rereads("a"))
        keep(told, database)
    seconds = iter([0.0, 0.5, 2.0, 10.0, 10.5, 12.0, 20.0, 20.1, 20.2])
    bills = Bills(clock=lambda: next(seconds))
    assert read(database, bills=bills) == {}
    assert read(database, bills=bills) == {}
    assert sum(float(str(n)) for n in read(database, bills=bills)["compaction_retrievals_total"].values()) == 6


def test_only_sessions_that_have_changed_are_read_again(database: Database) -> None:
    keep(a_compacted_session(), database)
    bills = Bills()
    first = read(database, bills=bills)
    with snapshot(database) as reader:
        bills.refresh(reader, {a_compacted_session().session: 11}, lambda _: ("somebody else",))
    assert bills.readings(0) == first
