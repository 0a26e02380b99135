from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from proxy.export.follower import BATCH, REMEMBERED_US, Follower, Following
from proxy.export.progress import read_progress
from proxy.export.spans import Span
from proxy.journal.layout import Mark
from proxy.store import Commit, Database, StateChange, Writer, open_database
from tests.support.store import START_US
from tests.support.stories import Telling, a_compacted_session, keep, reads, rereads

IDLE_US = 900_000_000


class Taker:
    """Takes spans, or does not."""

    def __init__(self) -> None:
        self.taken: list[Span] = []
        self.batches: list[int] = []
        self.is_up = True
        self.hurried = 0

    def send(self, spans: list[Span]) -> bool:
        if self.is_up:
            self.taken += spans
            self.batches.append(len(spans))
        return self.is_up

    def hurry(self) -> None:
        self.hurried += 1


class Stage:
    """One store, one progress, a clock that is set."""

    def __init__(self, folder: Path, database: Database) -> None:
        self.database, self.file = database, folder / "export.json"
        self.taker = Taker()
        self.now_us = START_US
        self.follower = self.restart()

    def restart(self) -> Follower:
        following = Following(
            progress=self.file, hosts={}, contents=False, idle_us=IDLE_US, now_us=lambda: self.now_us, poll_s=0.01
        )
        self.follower = Follower(self.database, self.taker, following)
        return self.follower

    def look(self) -> list[str]:
        """Names of what is sent by one look."""
        before = len(self.taker.taken)
        self.follower.look()
        return [span.name for span in self.taker.taken[before:]]


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    with open_database(f"sqlite:///{tmp_path}/store.db") as database:
        yield Stage(tmp_path, database)


def go_on(told: Telling, database: Database) -> None:
    exchange = told.exchanges[-1]
    state = StateChange(told.session, len(told.exchanges) - 1, {"main": b"more"})
    mark = Mark(exchange.number, 1, exchange.number * 1000)
    Writer(database).commit(Commit(exchange=exchange, facts=told.facts(), state=state, mark=mark))


def test_turns_go_when_they_are_committed_and_the_session_when_it_is_quiet(stage: Stage) -> None:
    told = a_compacted_session()
    keep(told, stage.database)
    stage.now_us = told.now_us
    sent = stage.look()
    assert sorted(set(sent)) == ["chat claude-x", "compaction client", "execute_tool Read"]
    assert [sent.count(name) for name in ("chat claude-x", "compaction client", "execute_tool Read")] == [11, 1, 4]
    assert stage.look() == []
    stage.now_us += IDLE_US
    assert stage.look() == ["invoke_agent claude-code"]
    assert stage.look() == []


def test_what_a_session_does_later_is_sent_alone_and_its_own_span_again_under_the_same_id(stage: Stage) -> None:
    told = Telling()
    told.turn(60_000, reads("a"))
    keep(told, stage.database)
    stage.now_us = told.now_us + IDLE_US
    assert stage.look() == ["chat claude-x", "invoke_agent claude-code"]
    told.boundary(("a", 100))
    told.turn(9_000, rereads("a"))
    go_on(told, stage.database)
    told.turn(9_500)
    go_on(told, stage.database)
    stage.now_us = told.now_us
    assert stage.look() == ["chat claude-x", "compaction client", "chat claude-x", "execute_tool Read"]
    stage.now_us += IDLE_US
    stage.look()
    sessions = [span for span in stage.taker.taken if span.name.startswith("invoke_agent")]
    assert len({(span.trace_id, span.span_id) for span in sessions}) == 1
    assert sessions[0].end_us < sessions[1].end_us


def test_a_restart_goes_on_where_the_former_process_stopped(stage: Stage) -> None:
    keep(a_compacted_session(), stage.database)
    stage.look()
    stage.restart()
    assert stage.look() == []


def test_a_process_that_died_sends_its_last_batch_again_under_the_same_ids(stage: Stage) -> None:
    keep(a_compacted_session(), stage.database)
    stage.look()
    first = stage.taker.taken[:]
    stage.file.unlink()
    stage.now_us = START_US
    stage.restart()
    stage.look()
    assert stage.taker.taken[len(first) :] == first


def test_sessions_of_before_it_was_switched_on_stay_here(stage: Stage) -> None:
    stage.now_us = START_US + 3_600_000_000
    stage.restart()
    keep(a_compacted_session(), stage.database)
    assert stage.look() == []


def test_many_spans_go_in_batches_and_the_progress_is_kept_after_each(stage: Stage) -> None:
    told = Telling()
    for _ in range(BATCH + 10):
        told.turn(1_000)
    keep(told, stage.database)
    stage.look()
    assert stage.taker.batches == [BATCH, 10]
    progress = read_progress(stage.file)
    assert progress is not None
    assert (progress.sent, progress.sessions[told.session].turns) == (BATCH + 10, {"main": BATCH + 10})


def test_what_is_not_taken_is_dropped_and_counted(stage: Stage) -> None:
    keep(a_compacted_session(), stage.database)
    stage.taker.is_up = False
    assert stage.look() == []
    stage.taker.is_up = True
    assert stage.look() == []
    progress = read_progress(stage.file)
    assert progress is not None
    assert (progress.sent, progress.dropped) == (0, 16)


def test_at_the_end_what_is_not_taken_waits_for_the_next_start(stage: Stage) -> None:
    keep(a_compacted_session(), stage.database)
    stage.taker.is_up = False
    stage.follower.stop()
    stage.follower.run()
    stage.taker.is_up = True
    assert stage.taker.hurried == 1
    stage.restart()
    assert len(stage.look()) == 16


def test_it_ends_by_itself_when_nobody_is_left_who_could_stop_it(stage: Stage) -> None:
    keep(a_compacted_session(), stage.database)
    stage.follower.run(is_orphan=lambda: True)
    assert len(stage.taker.taken) == 16


def test_sessions_that_have_ended_long_ago_are_forgotten(stage: Stage) -> None:
    told = a_compacted_session()
    keep(told, stage.database)
    stage.look()
    stage.now_us = told.now_us + REMEMBERED_US + 1
    stage.look()
    stage.look()
    progress = read_progress(stage.file)
    assert progress is not None
    assert progress.sessions == {}
