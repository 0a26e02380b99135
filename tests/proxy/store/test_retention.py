from __future__ import annotations

import hashlib
import os
from dataclasses import replace
from pathlib import Path

import pytest

from proxy.model.facts import FACTS, ExchangeFact, SessionFact, SessionKeyFact
from proxy.model.ids import ExchangeId, SessionId
from proxy.store import Content, Database, Retention, Writer, forget, prune, size, snapshot, verify
from tests.support.store import START_US, WRITER, a_commit, an_exchange

OLD, NEW = SessionId("0" * 32), SessionId("1" * 32)
SHARED = b"everyone's " * 50


def content(data: bytes) -> Content:
    return Content(hashlib.sha256(data).hexdigest(), data, redacted=False)


def at_us(number: int) -> int:
    return START_US + number * 1_000_000


@pytest.fixture
def filled(database: Database, writer: Writer) -> Database:
    """An old and a new session with contents of their own and one in common, and an exchange of no session."""
    for number, session in enumerate((OLD, OLD, NEW, NEW), start=1):
        own = os.urandom(20_000)
        contents = (content(SHARED), content(own))
        writer.commit(replace(a_commit(number, session=session, turn=(number - 1) % 2 + 1), contents=contents))
    lone = replace(a_commit(5), exchange=an_exchange(5, session=None, opened_us=at_us(1)), facts=(), state=None)
    writer.commit(lone)
    return database


def sessions(database: Database) -> list[str]:
    with snapshot(database) as reader:
        return sorted(session.session for session in reader.sessions())


def test_old_contents_go_and_figures_stay(filled: Database) -> None:
    removed = prune(filled, Retention(contents_since_us=at_us(3)))
    assert removed == (2, 0, 0, ())
    assert sessions(filled) == [OLD, NEW]
    assert size(filled).rows["contents"] == 3
    with snapshot(filled) as reader:
        assert reader.content(content(SHARED).sha256) == SHARED
    assert verify(filled) == []


def test_old_figures_go_with_all_they_have(filled: Database) -> None:
    removed = prune(filled, Retention(figures_since_us=at_us(3)))
    assert removed == (2, 1, 3, ())
    assert sessions(filled) == [NEW]
    with snapshot(filled) as reader:
        assert all(fact.session == NEW for kind in FACTS for fact in reader.facts(kind))
    assert verify(filled) == []


def test_a_store_that_is_too_large_loses_its_oldest_contents(filled: Database) -> None:
    before = size(filled)
    prune(filled, Retention(max_bytes=before.stored_bytes - 1))
    after = size(filled)
    assert after.stored_bytes < before.stored_bytes
    assert after.rows["contents"] < before.rows["contents"]
    assert sessions(filled) == [OLD, NEW]


def test_figures_go_when_no_contents_are_left(sqlite_database: Database) -> None:
    writer = Writer(sqlite_database)
    for number in range(1, 60):
        writer.commit(a_commit(number, session=SessionId(f"{number:032x}"), turn=1, parts={"x": os.urandom(2000)}))
    limit = size(sqlite_database).stored_bytes - 50_000
    removed = prune(sqlite_database, Retention(max_bytes=limit))
    assert size(sqlite_database).stored_bytes <= limit
    assert 0 < removed.sessions < 59
    assert min(sessions(sqlite_database)) == f"{removed.sessions + 1:032x}"


def test_a_disk_that_fills_up_gets_space_back(sqlite_database: Database, sqlite_file: Path) -> None:
    for number in range(1, 13):
        contents = [content(os.urandom(1000)) for _ in range(100)]
        lone = an_exchange(number, session=None)
        change = replace(a_commit(number), exchange=lone, facts=(), state=None, contents=contents)
        Writer(sqlite_database).commit(change)
    prune(sqlite_database, Retention())

    def held() -> int:
        return sum(path.stat().st_size for path in sqlite_file.parent.iterdir())

    disk = held() + 10_000
    removed = prune(sqlite_database, Retention(free_floor_bytes=200_000), free_bytes=lambda: disk - held())
    assert removed.contents > 0
    assert disk - held() >= 200_000
    assert verify(sqlite_database) == []


def test_figures_never_go_for_a_disk_that_others_filled(filled: Database) -> None:
    removed = prune(filled, Retention(free_floor_bytes=10**15), free_bytes=lambda: 0)
    assert (removed.sessions, removed.exchanges) == (0, 0)
    assert removed.contents == (5 if filled.file else 0)
    assert sessions(filled) == [OLD, NEW]


def test_nothing_goes_without_a_limit(filled: Database) -> None:
    assert prune(filled, Retention()) == (0, 0, 0, ())


def test_a_forgotten_session_leaves_no_trace(filled: Database) -> None:
    removed = forget(filled, OLD)
    assert removed == (2, 1, 2, (WRITER,))
    assert sessions(filled) == [NEW]
    with snapshot(filled) as reader:
        assert reader.content(content(SHARED).sha256) == SHARED
    assert Writer(filled).load_state(OLD) == (0, {})
    assert verify(filled) == []


def test_a_forgotten_exchange_is_never_taken_in_again(filled: Database) -> None:
    forget(filled, OLD)
    writer = Writer(filled)
    assert writer.knows(ExchangeId(WRITER, 1))
    assert not writer.commit(a_commit(1, session=OLD, turn=1, version=0))
    assert sessions(filled) == [NEW]
    prune(filled, Retention(figures_since_us=at_us(3)))
    assert not writer.knows(ExchangeId(WRITER, 1))


@pytest.mark.parametrize("vacuum", [False, True])
def test_what_is_forgotten_is_not_in_the_files(sqlite_database: Database, sqlite_file: Path, vacuum: bool) -> None:
    writer = Writer(sqlite_database)
    named = [
        replace(fact, client="canary-7713") if isinstance(fact, SessionFact) else fact for fact in a_commit(1).facts
    ]
    secret = b"canary-7714 " + os.urandom(3000)  # incompressible: its words stand in the blob as they are
    writer.commit(
        replace(a_commit(1, parts={"x": b"canary-7715" + os.urandom(9000)}), facts=named, contents=(content(secret),))
    )
    writer.commit(a_commit(2, session=NEW, turn=1))
    forget(sqlite_database, a_commit(1).exchange.session or "", vacuum=vacuum)
    for path in sqlite_file.parent.iterdir():
        if not path.name.endswith("-shm"):
            assert b"canary-77" not in path.read_bytes(), path.name


def test_forgetting_nobody_is_no_error(filled: Database) -> None:
    assert forget(filled, "f" * 32) == (0, 0, 0, ())
    with snapshot(filled) as reader:
        assert reader.counts(ExchangeFact) == {(): 5}


def test_signs_of_a_session_go_with_it(database: Database, writer: Writer) -> None:
    for number, session in enumerate((OLD, NEW), start=1):
        change = a_commit(number, session=session, version=0)
        sign = SessionKeyFact(sign=str(number) * 32, session=session, noted_us=at_us(number))
        writer.commit(replace(change, facts=(*change.facts, sign)))
    wanted = ["1" * 32, "2" * 32, "3" * 32]
    assert writer.sessions_of(wanted) == {"1" * 32: OLD, "2" * 32: NEW}
    forget(database, OLD)
    assert writer.sessions_of(wanted) == {"2" * 32: NEW}
    prune(database, Retention(figures_since_us=at_us(100)))
    assert writer.sessions_of(wanted) == {}
