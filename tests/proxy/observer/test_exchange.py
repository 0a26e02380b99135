from __future__ import annotations

from pathlib import Path

import pytest

from proxy.journal.layout import Mark
from proxy.model.exchange import Exchange
from proxy.model.facts import ExchangeFact, ExchangeKind, TurnFact
from proxy.model.ids import ExchangeId, SessionId
from proxy.observer import Attempts, Capture, ExchangeObserver, Keeper, Tally
from proxy.observer.attempts import DEADLY
from proxy.store import (
    Commit,
    Database,
    LoadedState,
    StateConflictError,
    StoreUnavailableError,
    Writer,
    snapshot,
)
from tests.support.observer import Count, CountingJourney, Killed, Seen, a_play
from tests.support.store import WRITER, a_fact


def an_exchange(number: int, session: str) -> Exchange:
    return a_play(number, session).expected(WRITER, number)


def an_observer(
    writer: Writer, journey: CountingJourney | None = None, capture: Capture = Capture.HASHES
) -> tuple[ExchangeObserver[Count], Tally]:
    tally = Tally(started_us=0)
    journey = journey or CountingJourney()
    return ExchangeObserver(journey, writer, keeper=Keeper(capture, str), tally=tally), tally


def mark(number: int) -> Mark:
    return Mark(number, 1, number)


def test_two_observers_of_one_session_do_not_lose_a_turn(database: Database) -> None:
    """Each keeps the state in memory; the one whose copy is stale loads it again and observes again."""
    one, first = an_observer(Writer(database))
    two, second = an_observer(Writer(database))
    for number, observer in enumerate([one, two, two, one, two], start=1):
        observer.take(an_exchange(number, "a"), mark(number))
    assert (first.conflicts, second.conflicts) == (1, 1)
    assert (first.commits, second.commits) == (2, 3)
    with snapshot(database) as reader:
        assert [(turn.turn, turn.number) for turn in reader.facts(TurnFact)] == [(n, n) for n in range(1, 6)]


def test_an_exchange_that_is_known_is_not_observed(database: Database) -> None:
    journey = CountingJourney()
    observer, tally = an_observer(Writer(database), journey)
    observer.take(an_exchange(1, "a"), mark(1))
    observer.take(an_exchange(1, "a"), mark(1))
    assert len(journey.observed) == 1
    assert (tally.commits, tally.known) == (1, 1)


def test_a_state_observed_from_a_known_exchange_is_thrown_away(database: Database) -> None:
    class Blind(Writer):
        def knows(self, exchange: ExchangeId) -> bool:
            return False

    observer, tally = an_observer(Blind(database))
    for number in (1, 1, 2):
        observer.take(an_exchange(number, "a"), mark(number))
    assert (tally.commits, tally.conflicts) == (2, 0)
    with snapshot(database) as reader:
        assert [(turn.turn, turn.number) for turn in reader.facts(TurnFact)] == [(1, 1), (2, 2)]


class Mute(CountingJourney):
    """Says nothing of the exchange itself."""

    def observe(self, exchange: Exchange, state: Count | None) -> Seen:
        facts, parts, contents = super().observe(exchange, state)
        return Seen(tuple(fact for fact in facts if not isinstance(fact, ExchangeFact)), parts, contents)


class Excessive(CountingJourney):
    """Counts beyond 64 bits."""

    def observe(self, exchange: Exchange, state: Count | None) -> Seen:
        facts, parts, contents = super().observe(exchange, state)
        return Seen((*facts, a_fact(ExchangeFact, writer=WRITER, number=10**20)), parts, contents)


@pytest.mark.parametrize(
    ("journey", "reason"), [(Mute(), "internal: LookupError"), (Excessive(), "internal: UnstorableError")]
)
def test_what_cannot_be_stored_is_one_unparsed_exchange(
    database: Database, journey: CountingJourney, reason: str
) -> None:
    observer, tally = an_observer(Writer(database), journey)
    observer.take(an_exchange(1, "a"), mark(1))
    with snapshot(database) as reader:
        (fact,) = reader.facts(ExchangeFact)
    assert (fact.kind, fact.reason, fact.session) == (ExchangeKind.UNPARSED, reason, None)
    assert (fact.path, fact.request_bytes, fact.duration_us) == ("/a", 204, 100_000)
    assert tally.internal_errors == 1


def test_a_state_spoilt_by_a_failed_exchange_is_loaded_again(database: Database) -> None:
    class Once(CountingJourney):
        def observe(self, exchange: Exchange, state: Count | None) -> Seen:
            seen = super().observe(exchange, state)
            if exchange.id.number == 2:
                raise RecursionError
            return seen

    observer, _ = an_observer(Writer(database), Once())
    for number in (1, 2, 3):
        observer.take(an_exchange(number, "a"), mark(number))
    with snapshot(database) as reader:
        assert [(turn.turn, turn.number) for turn in reader.facts(TurnFact)] == [(1, 1), (2, 3)]


class Mortal(Attempts):
    """Of a process that dies without a chance to say that it lived."""

    dies = False

    def end(self) -> None:
        if not self.dies:
            super().end()


def test_an_exchange_that_kills_the_process_is_left_unread_in_the_end(database: Database, tmp_path: Path) -> None:
    class Deadly(CountingJourney):
        def observe(self, exchange: Exchange, state: Count | None) -> Seen:
            if exchange.id.number == 2:
                attempts.dies = True
                raise Killed
            return super().observe(exchange, state)

    deaths = 0
    while deaths <= DEADLY:
        attempts, tally = Mortal(tmp_path / "attempt"), Tally(started_us=0)
        keeper = Keeper(Capture.HASHES, str)
        observer = ExchangeObserver(Deadly(), Writer(database), keeper=keeper, tally=tally, attempts=attempts)
        try:
            for number in (1, 2, 3):
                observer.take(an_exchange(number, "a"), mark(number))
        except Killed:
            deaths += 1
        else:
            break
    assert deaths == DEADLY
    with snapshot(database) as reader:
        assert [fact.reason for fact in reader.facts(ExchangeFact)] == ["", "internal: the process died of it", ""]


class Flaky(Writer):
    """Fails in a chosen way at its next commit, before or after writing."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self.failure = ""

    def commit(self, change: Commit) -> bool:
        failure, self.failure = self.failure, ""
        if failure == "before":
            raise StoreUnavailableError("full")
        is_new = super().commit(change)
        if failure == "after":
            raise StoreUnavailableError("the answer to COMMIT was lost")
        return is_new


@pytest.mark.parametrize("failure", ["before", "after"])
def test_a_failed_commit_can_be_taken_again(database: Database, failure: str) -> None:
    writer = Flaky(database)
    observer, _ = an_observer(writer)
    observer.take(an_exchange(1, "a"), mark(1))
    writer.failure = failure
    with pytest.raises(StoreUnavailableError):
        observer.take(an_exchange(2, "a"), mark(2))
    for number in (2, 3):
        observer.take(an_exchange(number, "a"), mark(number))
    with snapshot(database) as reader:
        assert [(turn.turn, turn.number) for turn in reader.facts(TurnFact)] == [(1, 1), (2, 2), (3, 3)]


def test_a_session_that_changes_all_the_time_is_tried_later(database: Database) -> None:
    class Contended(Writer):
        def commit(self, change: Commit) -> bool:
            raise StateConflictError("changed")

    observer, tally = an_observer(Contended(database))
    with pytest.raises(StoreUnavailableError, match="changed by other observers"):
        observer.take(an_exchange(1, "a"), mark(1))
    assert tally.conflicts == 10


def test_contents_are_kept_in_a_full_capture_only(database: Database) -> None:
    observer, _ = an_observer(Writer(database))
    observer.take(an_exchange(1, "a"), mark(1))
    exchange = an_exchange(2, "a")
    digest = CountingJourney().observe(exchange, Count()).contents[0][0]
    an_observer(Writer(database), capture=Capture.FULL)[0].take(exchange, mark(2))
    with snapshot(database) as reader:
        assert reader.content(digest) == exchange.request_body
    with database.reading() as connection:
        assert connection.exec_driver_sql("SELECT count(*) FROM contents").scalar() == 1


def test_a_state_is_loaded_once_while_it_is_held(database: Database) -> None:
    class Watching(Writer):
        loads = 0

        def load_state(self, session: SessionId) -> LoadedState:
            self.loads += 1
            return super().load_state(session)

    writer = Watching(database)
    observer, _ = an_observer(writer)
    for number in range(1, 6):
        observer.take(an_exchange(number, "a"), mark(number))
    assert writer.loads == 1
    assert writer.knows(ExchangeId(WRITER, 5))
