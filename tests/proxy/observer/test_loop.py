from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proxy.journal.layout import Mark
from proxy.journal.reader import JournalReader
from proxy.journal.recorder import ExchangeRecorder
from proxy.journal.writer import JournalWriter
from proxy.model.errors import CannotWriteError
from proxy.model.exchange import Exchange
from proxy.model.facts import ExchangeFact, ExchangeKind, TurnFact
from proxy.observer import Observer, ObserverLimits, Tally, observer_snapshot
from proxy.store import Database, StoreUnavailableError, Writer, open_database, snapshot, verify
from tests.support.journal import Play, StillClock, play, small
from tests.support.observer import CountingJourney, Fuse, a_play, canonical, observe
from tests.support.store import an_empty_store

QUICK = ObserverLimits(poll_s=0.001, report_s=0.0, first_backoff_s=0.001, last_backoff_s=0.01)


class Recording:
    """A journal that grows step by step, several exchanges at once."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "journal"
        self.writer = JournalWriter(self.folder, settings=small(), clock=StillClock())
        self._open: dict[int, tuple[Play, ExchangeRecorder, int]] = {}

    def step(self, number: int, session: str) -> None:
        """The next step of one exchange: begin, a piece, …, close."""
        if number not in self._open:
            script = a_play(number, session)
            self._open[number] = (script, self.writer.begin(script.head()), 1)
            return
        script, recorder, done = self._open[number]
        if done < script.steps():
            script.step(recorder, done)
            self._open[number] = (script, recorder, done + 1)


@pytest.fixture
def recording(tmp_path: Path) -> Recording:
    return Recording(tmp_path)


Steps = Sequence[tuple[int, str]]
EXCHANGES = st.lists(st.sampled_from(["a", "b", "none", "poison"]), min_size=2, max_size=5)


@st.composite
def interleavings(draw: st.DrawFn) -> Steps:
    """Steps of several exchanges in any order; some stay open."""
    exchanges = draw(EXCHANGES)
    steps = [number for number in range(len(exchanges)) for _ in range(draw(st.sampled_from([8, 8, 8, 3])))]
    return [(number, exchanges[number]) for number in draw(st.permutations(steps))]


def played(folder: Path, steps: Steps) -> Recording:
    recording = Recording(folder)
    for step in steps:
        recording.step(*step)
    return recording


@settings(max_examples=20, deadline=None)
@given(interleavings(), st.lists(st.tuples(st.integers(0, 12), st.integers(0, 15)), min_size=3, max_size=6))
def test_an_observer_killed_anywhere_and_started_again_leaves_the_same_store(
    steps: Steps, lives: list[tuple[int, int]]
) -> None:
    """The journal grows by some records before each life, which ends after some steps of the observer."""
    with tempfile.TemporaryDirectory() as name:
        calm, rough = Path(name) / "calm", Path(name) / "rough"
        with open_database(an_empty_store(calm / "store.db")) as database:
            played(calm, steps).writer.close()
            assert observe(calm / "journal", database, CountingJourney())
            expected = canonical(database)
        with open_database(an_empty_store(rough / "store.db")) as database:
            recording, rest = Recording(rough), list(steps)
            for growth, length in lives:
                for step in rest[:growth]:
                    recording.step(*step)
                rest = rest[growth:]
                observe(recording.folder, database, CountingJourney(), Fuse(length))
            for step in rest:
                recording.step(*step)
            recording.writer.close()
            assert observe(recording.folder, database, CountingJourney())
            assert canonical(database) == expected
            assert verify(database) == []


def test_every_exchange_of_a_dead_writer_is_taken_once_and_its_folder_goes(
    recording: Recording, database: Database
) -> None:
    for number in range(20):
        play(recording.writer, a_play(number, "ab"[number % 2]))
    recording.writer.begin(a_play(20, "a").head())
    recording.writer.close()
    assert observe(recording.folder, database, CountingJourney())
    with snapshot(database) as reader:
        assert reader.counts(ExchangeFact, "outcome") == {("complete",): 20, ("cut",): 1}
        assert reader.counts(TurnFact, "session") == {("a",): 11, ("b",): 10}
    assert not (recording.folder / recording.writer.writer_id).exists()


def test_what_was_committed_is_not_observed_again(recording: Recording, database: Database) -> None:
    for number in range(4):
        play(recording.writer, a_play(number, "a"))
    first, second = CountingJourney(), CountingJourney()
    assert not observe(recording.folder, database, first, Fuse(7))
    assert observe(recording.folder, database, second)
    assert max(first.observed + second.observed).number == 4
    with snapshot(database) as reader:
        assert [turn.number for turn in reader.facts(TurnFact)] == [1, 2, 3, 4]
    third = CountingJourney()
    assert observe(recording.folder, database, third)
    assert third.observed == []


def test_a_poisonous_exchange_is_counted_and_stops_nobody(
    recording: Recording, database: Database, caplog: pytest.LogCaptureFixture
) -> None:
    for number, session in enumerate(["a", "poison", "a", "none"]):
        play(recording.writer, a_play(number, session))
    assert observe(recording.folder, database, CountingJourney())
    with snapshot(database) as reader:
        kinds = [(fact.kind, fact.reason) for fact in reader.facts(ExchangeFact)]
        assert reader.counts(TurnFact) == {(): 2}
    assert kinds == [
        (ExchangeKind.TURN, ""),
        (ExchangeKind.UNPARSED, "internal: ValueError"),
        (ExchangeKind.TURN, ""),
        (ExchangeKind.OTHER, ""),
    ]
    report = observer_snapshot(recording.folder.parent / "observer.json")
    assert report is not None
    assert report["internal_errors"] == 1
    assert "ValueError" in caplog.text
    assert "secret word" not in caplog.text


def test_one_journal_has_one_observer(recording: Recording, database: Database) -> None:
    other = JournalReader(recording.folder, exclusive=True)
    with pytest.raises(CannotWriteError, match="another observer reads this journal"):
        observe(recording.folder, database, CountingJourney())
    other.close()


class Station:
    """Refuses some takes first, as a store does that cannot be used."""

    def __init__(self, refusals: int) -> None:
        self.refusals = refusals
        self.taken: list[int] = []

    def take(self, exchange: Exchange, mark: Mark) -> None:
        if self.refusals:
            self.refusals -= 1
            raise StoreUnavailableError("store.db: OperationalError: database or disk is full")
        self.taken.append(exchange.id.number)


def an_observer(recording: Recording, station: Station, **given: object) -> tuple[Observer, Tally, JournalReader]:
    tally = Tally(started_us=0)
    reader = JournalReader(recording.folder)
    file = recording.folder.parent / "observer.json"
    return Observer(reader, station, tally, snapshot=file, limits=QUICK, **given), tally, reader  # type: ignore[arg-type]


def test_a_store_that_cannot_be_used_is_waited_for(recording: Recording) -> None:
    for number in range(3):
        play(recording.writer, a_play(number, "a"))
    station = Station(refusals=4)
    observer, tally, reader = an_observer(recording, station)
    observer.run(until_idle=True)
    assert station.taken == [1, 2, 3]
    assert (tally.store_errors, tally.store_error) == (4, "")
    reader.close()


def test_stopping_while_waiting_loses_nothing(recording: Recording) -> None:
    play(recording.writer, a_play(1, "a"))
    station = Station(refusals=10**9)
    observer, tally, reader = an_observer(recording, station)
    runner = threading.Thread(target=observer.run)
    runner.start()
    file = recording.folder.parent / "observer.json"
    while not (report := observer_snapshot(file)) or not report["store_error"]:
        time.sleep(0.001)
    observer.stop()
    runner.join(timeout=10)
    assert not runner.is_alive()
    assert station.taken == []
    assert tally.store_errors > 0
    assert report["store_error"] == "store.db: OperationalError: database or disk is full"
    assert report["behind_since_us"] is not None
    reader.close()
    later = Station(refusals=0)
    again, _, reader = an_observer(recording, later)
    again.run(until_idle=True)
    reader.close()
    assert later.taken == [1]


def test_the_snapshot_says_that_everything_is_committed(recording: Recording) -> None:
    play(recording.writer, a_play(1, "a"))
    observer, _, reader = an_observer(recording, Station(refusals=0))
    observer.run(until_idle=True)
    report = observer_snapshot(recording.folder.parent / "observer.json")
    assert report is not None
    assert (report["behind_since_us"], report["lag_s"]) == (None, 0.0)
    reader.close()


def test_upkeep_runs_and_may_fail(recording: Recording) -> None:
    runs: list[int] = []

    def upkeep() -> None:
        runs.append(1)
        raise StoreUnavailableError("store.db: OperationalError: disk I/O error")

    observer, tally, reader = an_observer(recording, Station(refusals=0), upkeep=upkeep)
    observer.run(until_idle=True)
    assert runs == [1]
    assert tally.store_errors == 1
    reader.close()


def test_a_full_disk_neither_ends_the_observer_nor_hides_what_can_be_recycled(recording: Recording) -> None:
    class Full(JournalReader):
        refusals = 1

        def release(self, writer: str, mark: Mark, *, wipe: bool = False) -> None:
            if self.refusals:
                self.refusals -= 1
                raise OSError(errno.ENOSPC, "No space left on device")
            super().release(writer, mark, wipe=wipe)

    play(recording.writer, a_play(1, "a"))
    station, tally = Station(refusals=0), Tally(started_us=0)
    reader = Full(recording.folder)
    nowhere = recording.folder / "missing" / "observer.json"
    Observer(reader, station, tally, snapshot=nowhere, limits=QUICK).run(until_idle=True)
    assert station.taken == [1]
    assert tally.store_error == "[Errno 28] No space left on device"
    assert (recording.folder / recording.writer.writer_id / "consumed").exists()
    reader.close()


CHILD = """
import signal
import sys
from pathlib import Path
from proxy.journal.reader import JournalReader
from proxy.observer import Capture, ExchangeObserver, Keeper, Observer, Tally
from proxy.store import Writer, open_database
from tests.support.observer import CountingJourney
folder = Path(sys.argv[1])
writer = Writer(open_database(f"sqlite:///{folder}/store.db"))
tally = Tally(started_us=0)
station = ExchangeObserver(CountingJourney(), writer, keeper=Keeper(Capture.HASHES, str), tally=tally)
reader = JournalReader(folder / "journal", marks=writer.marks(), exclusive=True)
observer = Observer(reader, station, tally, snapshot=folder / "observer.json")
signal.signal(signal.SIGTERM, observer.stop)
print("ready", flush=True)
observer.run()
"""


def test_a_killed_process_loses_nothing_and_sigterm_ends_it(
    recording: Recording, database: Database, tmp_path: Path
) -> None:
    def start() -> subprocess.Popen[str]:
        child = subprocess.Popen([sys.executable, "-c", CHILD, tmp_path], stdout=subprocess.PIPE, text=True)
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
        return child

    child = start()
    writer = Writer(database)
    for number in range(1, 301):
        play(recording.writer, a_play(number, "ab"[number % 2]))
        if number == 150:
            while not writer.marks():
                time.sleep(0.001)
            os.kill(child.pid, signal.SIGKILL)
            child.communicate()
            child = start()
    deadline = time.monotonic() + 60
    with snapshot(database) as reader:
        pass
    while time.monotonic() < deadline:
        with snapshot(database) as reader:
            if reader.counts(TurnFact)[()] == 300:
                break
        time.sleep(0.01)
    child.send_signal(signal.SIGTERM)
    child.communicate(timeout=30)
    assert child.returncode == 0
    with snapshot(database) as reader:
        assert [turn.turn for turn in reader.facts(TurnFact, session="a")] == list(range(1, 151))
        assert reader.counts(ExchangeFact) == {(): 300}
    assert verify(database) == []
