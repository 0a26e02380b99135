from __future__ import annotations

import pytest

from proxy.model.ids import SessionId
from proxy.observer import StateCache
from proxy.store import Database, LoadedState, StateChange, Writer
from tests.support.observer import Count, CountingJourney
from tests.support.store import a_commit


class CountedWriter(Writer):
    loads = 0

    def load_state(self, session: SessionId) -> LoadedState:
        self.loads += 1
        return super().load_state(session)


@pytest.fixture
def writer(database: Database) -> CountedWriter:
    return CountedWriter(database)


def a_change(session: str, version: int, size: int) -> StateChange:
    return StateChange(SessionId(session), version, {"turns": b"1" * size, "digest": b""})


def test_a_new_session_has_version_0(writer: CountedWriter) -> None:
    held = StateCache(CountingJourney(), writer).take(SessionId("a"))
    assert (held.version, held.state) == (0, Count())


def test_a_stored_state_is_loaded(writer: CountedWriter) -> None:
    writer.commit(a_commit(1, session=SessionId("a"), parts={"turns": b"7", "digest": b"x"}))
    held = StateCache(CountingJourney(), writer).take(SessionId("a"))
    assert (held.version, held.state) == (1, Count(7, b"x"))


def test_a_state_given_back_is_not_loaded_again_and_has_the_next_version(writer: CountedWriter) -> None:
    cache = StateCache(CountingJourney(), writer)
    held = cache.take(SessionId("a"))
    cache.give_back(held, a_change("a", 0, 1))
    assert cache.take(SessionId("a")) is held
    assert held.version == 1
    assert writer.loads == 1


def test_a_change_without_parts_keeps_the_version(writer: CountedWriter) -> None:
    cache = StateCache(CountingJourney(), writer)
    held = cache.take(SessionId("a"))
    cache.give_back(held, StateChange(SessionId("a"), 0, {}))
    assert cache.take(SessionId("a")).version == 0


def test_a_state_not_given_back_is_loaded_again(writer: CountedWriter) -> None:
    cache = StateCache(CountingJourney(), writer)
    cache.take(SessionId("a")).state.turns = 5
    assert cache.take(SessionId("a")).state == Count()
    assert writer.loads == 2


def test_the_least_recently_used_states_leave(writer: CountedWriter) -> None:
    cache = StateCache(CountingJourney(), writer, max_bytes=10_000)
    for name in "abc":
        held = cache.take(SessionId(name))
        cache.give_back(held, a_change(name, 0, 3500))
    kept = [name for name in "cba" if cache.take(SessionId(name)).sizes]
    assert kept == ["c", "b"]
