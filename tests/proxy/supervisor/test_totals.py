from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from proxy.journal.layout import Mark
from proxy.metrics.readings import Distribution, Readings
from proxy.model.facts import Label
from proxy.store import Commit, Database, StateChange, Writer, open_database, snapshot
from proxy.supervisor.totals import Totals
from tests.support.stories import Telling, a_compacted_session, keep, reads, rereads


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    with open_database(f"sqlite:///{tmp_path}/store.db") as found:
        yield found


def read(totals: Totals, database: Database) -> Readings:
    with snapshot(database) as reader:
        totals.refresh(reader)
    return totals.readings()


def test_an_empty_store_gives_every_counter_and_no_value(database: Database) -> None:
    readings = read(Totals(), database)
    assert "compaction_boundaries_total" in readings
    assert all(values == {} for values in readings.values())


def test_facts_are_added_up_by_what_they_are(database: Database) -> None:
    keep(a_compacted_session(), database)
    found = read(Totals(), database)
    client = "claude-code"
    assert found["compaction_sessions_total"] == {(client,): 1}
    assert found["compaction_turns_total"] == {(client, "claude-x"): 11}
    assert found["compaction_boundaries_total"] == {(client, "client", "auto", "exact"): 1}
    assert found["compaction_dropped_observations_total"] == {(client,): 3}
    assert found["compaction_dropped_reference_tokens_total"] == {(client,): 5_474}
    assert found["compaction_calls_total"] == {
        (client, "retrieval"): 8,
        (client, "execution"): 1,
        (client, "unknown"): 1,
    }
    assert found["compaction_reread_calls_total"] == {(client, "reacquisition"): 3, (client, "subset"): 1}
    assert found["compaction_reread_reference_tokens_total"] == {
        (client, "reacquisition"): 5_824,
        (client, "subset"): 840,
    }
    assert found["compaction_billed_tokens_total"]["claude-x", "output", "message"] == 2_200
    assert found["compaction_cost_usd_total"][client, "claude-x", "message"] == pytest.approx(0.38, abs=0.005)
    assert found["compaction_turns_without_usage_total"] == {}


def test_what_is_unpriced_or_without_usage_is_counted_and_not_added_as_nothing(database: Database) -> None:
    told = Telling()
    told.turn(1_000)
    told.turn(None, usage_disagrees="sums differ")
    told.iterations[0] = replace(told.iterations[0], pico_usd=None)
    keep(told, database)
    found = read(Totals(), database)
    assert found["compaction_cost_usd_total"] == {}
    assert found["compaction_unpriced_iterations_total"] == {("claude-code", "claude-x"): 1}
    assert found["compaction_billed_iterations_total"] == {("claude-code", "claude-x"): 1}
    assert found["compaction_turns_without_usage_total"] == {("claude-code",): 1}
    assert found["compaction_turns_with_disagreeing_usage_total"] == {("claude-code",): 1}


def test_adding_up_what_changed_gives_what_adding_up_everything_gives(database: Database) -> None:
    totals = Totals()
    for number in range(4):
        told = Telling(f"{number:04x}" + "0" * 28, client="anthropic-sdk" if number % 2 else "claude-code")
        told.turn(60_000, reads("a"))
        told.boundary(("a", 100))
        keep(told, database)
        read(totals, database)
        told.turn(9_000, rereads("a", 100), rereads("a", 50, Label.OVERLAP))
        told.exchanges = told.exchanges[-1:]
        _append(told, database)
    assert read(totals, database) == read(Totals(), database)


def _append(told: Telling, database: Database) -> None:
    exchange = told.exchanges[0]
    state = StateChange(told.session, 1, {"main": b"more"})
    mark = Mark(exchange.number, 1, exchange.number * 1000)
    Writer(database).commit(Commit(exchange=exchange, facts=told.facts(), state=state, mark=mark))


def test_a_session_keeps_the_client_it_was_first_seen_with(database: Database) -> None:
    totals = Totals()
    told = Telling(client="claude-code")
    told.turn(1_000)
    keep(told, database)
    read(totals, database)
    told.turn(2_000)
    told.exchanges = told.exchanges[-1:]
    told._session_fields["client"] = "other-client"
    _append(told, database)
    assert read(totals, database)["compaction_turns_total"] == {("claude-code", "claude-x"): 2}


def test_contexts_around_boundaries_are_distributed_by_client(database: Database) -> None:
    keep(a_compacted_session(), database)
    found = read(Totals(), database)
    before = found["compaction_boundary_context_before_tokens"]["claude-code",]
    assert isinstance(before, Distribution)
    assert (sum(before.counts), before.total) == (1, 61_900)
    after = found["compaction_boundary_context_after_tokens"]["claude-code",]
    assert isinstance(after, Distribution)
    assert after.total == 14_900


def test_turns_between_compactions_are_of_one_thread(database: Database) -> None:
    told = Telling()
    for _ in range(2):
        for _ in range(4):
            told.turn(9_000, reads("a"))
            told.turn(9_000, reads("a"), thread="agent:1")
        told.boundary(("a", 10))
    told.boundary(("a", 10), thread="agent:1")
    keep(told, database)
    (between,) = read(Totals(), database)["compaction_turns_between_boundaries"].values()
    assert isinstance(between, Distribution)
    assert (sum(between.counts), between.total) == (1, 4)


def test_tools_are_told_by_what_their_rereads_cost_exact_and_partial_apart(database: Database) -> None:
    keep(a_compacted_session(), database)
    assert read(Totals(), database)["compaction_tool_reread_reference_tokens_total"] == {
        ("Read", "exact"): 5_824,
        ("Read", "partial"): 840,
    }


def test_the_users_labels_stand_behind_the_client(database: Database) -> None:
    for number, labels in enumerate(('{"team":"a"}', '{"other":"x"}', "")):
        told = Telling(f"{number:04x}" + "0" * 28, labels=labels)
        told.turn(1_000)
        keep(told, database)
    found = read(Totals(["team"]), database)
    assert found["compaction_sessions_total"] == {("claude-code", "a"): 1, ("claude-code", ""): 2}
    assert found["compaction_turns_total"] == {("claude-code", "a", "claude-x"): 1, ("claude-code", "", "claude-x"): 2}
