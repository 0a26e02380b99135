from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from proxy.export.progress import Progress
from proxy.metrics.definitions import METRICS
from proxy.metrics.loops import LoopLimits
from proxy.model.facts import ExchangeKind
from proxy.page.memory import Page
from proxy.page.table import REQUESTS, TABLE
from proxy.relay.counters import vocabulary
from proxy.store import Commit, Database, Writer, open_database
from proxy.supervisor.scrape import HOUR_US, Scrape, Sources
from proxy.wiring.folder import DataFolder
from tests.support.store import START_US, a_commit, an_exchange
from tests.support.stories import Telling, a_compacted_session, keep, reads, rereads


class Clock:
    """A clock that is set."""

    def __init__(self, now_us: int) -> None:
        self.now_us = now_us

    def __call__(self) -> int:
        return self.now_us


def a_scrape(folder: Path, clock: Clock | None = None, *, labels: tuple[str, ...] = ()) -> Scrape:
    return Scrape(
        Sources(
            folder=DataFolder(folder),
            database=f"sqlite:///{folder}/store.db",
            loops=LoopLimits(same_observation=3, any_of_them=10, turns=10, idle_us=900_000_000),
            environment="test",
            version="1",
            settings_digest="0" * 8,
            labels=labels,
            processes=lambda: {"compaction_process_up": {("relay",): 1, ("observer",): 0}},
            now_us=clock or Clock(time.time_ns() // 1_000),
        )
    )


def values(scrape: Scrape, name: str) -> dict[str, float]:
    lines = scrape.page().body.decode().splitlines()
    found = [line.rpartition(" ") for line in lines if line.startswith(f"{name}{{")]
    return {head.partition("{")[2]: float(value) for head, _, value in found}


def commit_unobservable(database: Database, number: int) -> None:
    exchange = an_exchange(number, session=None, kind=ExchangeKind.UNOBSERVABLE, reason="no session")
    Writer(database).commit(Commit(exchange=exchange, mark=a_commit(number).mark))


def test_page_observer_and_store_stand_on_one_page(tmp_path: Path) -> None:
    page = Page(tmp_path / "relay.page", vocabulary(["anthropic"]))
    page.add(page.slot(REQUESTS, upstream="anthropic"), 3)
    (tmp_path / "observer.json").write_text(json.dumps({"behind_since_us": 4_000_000, "written_us": 6_000_000}))
    scrape = a_scrape(tmp_path, Clock(6_500_000))
    assert values(scrape, "compaction_relay_requests_total") == {'environment="test",upstream="anthropic"}': 3}
    assert values(scrape, "compaction_observer_lag_seconds") == {'environment="test"}': 2.5}
    assert values(scrape, "compaction_sessions_total") == {}
    assert set(values(scrape, "compaction_exchanges_total").values()) == {0}
    assert values(scrape, "compaction_process_up") == {
        'environment="test",process="observer"}': 0,
        'environment="test",process="relay"}': 1,
    }
    page.close()
    scrape.close()


def test_every_series_that_is_defined_has_a_source(tmp_path: Path) -> None:
    page = Page(tmp_path / "relay.page", vocabulary(["anthropic"]))
    for metric in TABLE:
        for labels in metric.combinations(vocabulary(["anthropic"])):
            if metric.kind == "gauge":
                page.set(page.slot(metric, **dict(labels)), 1)
    (tmp_path / "observer.json").write_text(json.dumps({"behind_since_us": None, "written_us": 0}))
    Progress(since_us=0, sent=3, dropped=1).write(tmp_path / "export.json")
    scrape = a_scrape(tmp_path, Clock(START_US))
    with open_database(f"sqlite:///{tmp_path}/store.db") as database:
        scrape.page()
        Writer(database).commit(a_commit(1))
        keep(a_compacted_session(), database)
        commit_unobservable(database, 3)
    text = scrape.page().body.decode()
    page.close()
    scrape.close()
    missing = [metric.name for metric in METRICS if f"# TYPE {metric.name} " not in text]
    assert missing == ["compaction_process_restarts_total"]  # the service's own, see test_service


def test_a_source_that_cannot_be_read_leaves_its_series_out_and_is_counted(tmp_path: Path) -> None:
    (tmp_path / "store.db").write_bytes(b"no database" * 200)
    (tmp_path / "relay.page").write_bytes(b"no page at all, but long enough to be one")
    scrape = a_scrape(tmp_path)
    text = scrape.page().body.decode()
    assert "compaction_turns_total" not in text
    assert "compaction_relay_requests_total" not in text
    failures = values(scrape, "compaction_scrape_failures_total")
    assert failures['environment="test",source="store"}'] == 2
    assert failures['environment="test",source="page"}'] == 2
    scrape.close()


def test_counters_do_not_fall_when_the_store_forgets(tmp_path: Path) -> None:
    told = Telling()
    told.turn(1_000)
    with open_database(f"sqlite:///{tmp_path}/store.db") as database:
        keep(told, database)
    first = a_scrape(tmp_path)
    assert list(values(first, "compaction_turns_total").values()) == [1]
    first.close()
    (tmp_path / "store.db").unlink()
    second = a_scrape(tmp_path)
    assert list(values(second, "compaction_turns_total").values()) == [1]
    second.close()


def test_the_share_of_unobservable_calls_is_of_the_last_hour_and_absent_without_calls(tmp_path: Path) -> None:
    clock = Clock(HOUR_US)
    name = "compaction_unobservable_sessions_ratio"
    with open_database(f"sqlite:///{tmp_path}/store.db") as database:
        scrape = a_scrape(tmp_path, clock)
        assert values(scrape, name) == {}
        Writer(database).commit(a_commit(1))
        for number in (2, 3, 4):
            commit_unobservable(database, number)
        assert values(scrape, name) == {'environment="test"}': 0.75}
        clock.now_us += HOUR_US + 1
        assert values(scrape, name) == {}
        scrape.close()


@pytest.mark.parametrize(("idle_us", "looping"), [(0, 1), (901_000_000, 0)])
def test_sessions_that_loop_now_are_a_gauge(tmp_path: Path, idle_us: int, looping: int) -> None:
    told = Telling()
    told.turn(60_000, reads("a"))
    told.boundary(("a", 10))
    for _ in range(3):
        told.turn(9_000, rereads("a") | {"repeats": "main/1.0"})
    with open_database(f"sqlite:///{tmp_path}/store.db") as database:
        keep(told, database)
    scrape = a_scrape(tmp_path, Clock(told.now_us + idle_us))
    assert sum(values(scrape, "compaction_looping_sessions").values()) == looping
    scrape.close()


def test_labels_beyond_the_bound_are_other_also_after_a_restart(tmp_path: Path) -> None:
    def commit(numbers: range) -> None:
        with open_database(f"sqlite:///{tmp_path}/store.db") as database:
            for number in numbers:
                told = Telling(f"{number:04x}" + "0" * 28, labels=json.dumps({"team": f"team-{99 - number}"}))
                told.turn(1_000)
                keep(told, database)

    commit(range(25))
    first = a_scrape(tmp_path, labels=("team",))
    before = values(first, "compaction_sessions_total")
    first.close()
    commit(range(25, 30))
    second = a_scrape(tmp_path, labels=("team",))
    after = values(second, "compaction_sessions_total")
    second.close()
    assert len(before) == 21
    assert set(after) == set(before)
    other = 'client="claude-code",environment="test",label_team="other"}'
    assert (before[other], after[other]) == (5, 10)


def test_histograms_do_not_fall_when_the_store_forgets(tmp_path: Path) -> None:
    with open_database(f"sqlite:///{tmp_path}/store.db") as database:
        keep(a_compacted_session(), database)
    first = a_scrape(tmp_path)
    name = "compaction_boundary_context_before_tokens_count"
    assert list(values(first, name).values()) == [1]
    first.close()
    (tmp_path / "store.db").unlink()
    second = a_scrape(tmp_path)
    assert list(values(second, name).values()) == [1]
    second.close()


def test_every_counter_of_a_client_begins_at_0_with_its_first_session(tmp_path: Path) -> None:
    told = Telling()
    told.turn(1_000)
    with open_database(f"sqlite:///{tmp_path}/store.db") as database:
        keep(told, database)
    scrape = a_scrape(tmp_path)
    for name in ("compaction_boundaries_total", "compaction_bill_usd_total", "compaction_reread_calls_total"):
        assert set(values(scrape, name).values()) == {0}
    assert list(values(scrape, "compaction_turns_between_boundaries_count").values()) == [0]
    assert values(scrape, "compaction_break_even_turns") == {}
    scrape.close()
