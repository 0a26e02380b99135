from __future__ import annotations

import hashlib
import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proxy.journal.layout import Mark
from proxy.model.facts import CallFact, DropFact, ExchangeFact, IterationFact, Label, SessionFact, TurnFact
from proxy.model.ids import ExchangeId, SessionId
from proxy.store import (
    Content,
    Database,
    StateConflictError,
    UnstorableError,
    Writer,
    open_database,
    size,
    snapshot,
    verify,
)
from tests.support.store import MAIN, SESSION, WRITER, a_commit, a_fact, a_turn, an_empty_store, an_exchange


def content(data: bytes) -> Content:
    return Content(hashlib.sha256(data).hexdigest(), data, redacted=False)


def test_a_commit_is_there_with_all_its_facts(database: Database, writer: Writer) -> None:
    change = a_commit(1)
    assert writer.commit(change)
    with snapshot(database) as reader:
        for fact in {type(fact) for fact in change.facts}:
            assert reader.facts(fact) == [it for it in change.facts if type(it) is fact]
        assert reader.facts(ExchangeFact) == [change.exchange]


def test_the_same_exchange_is_committed_once(database: Database, writer: Writer) -> None:
    assert writer.commit(a_commit(1))
    again = a_commit(1, parts={"other": b""}, version=1)
    assert not writer.commit(replace(again, facts=(a_fact(SessionFact, session=SESSION, client="other"),)))
    assert writer.load_state(SESSION) == (1, {"thread/main": b"state"})
    with snapshot(database) as reader:
        assert [session.client for session in reader.sessions()] == ["claude-code"]


def test_a_later_fact_of_the_same_key_replaces_the_earlier_one(database: Database, writer: Writer) -> None:
    writer.commit(a_commit(1))
    (call, *_) = [fact for fact in a_turn(1, 1) if isinstance(fact, CallFact)]
    answered = replace(call, label=Label.ACQUISITION, answered_turn=2, result_tokens_ref=12)
    second = a_commit(2)
    writer.commit(replace(second, facts=(call, *second.facts, answered)))
    with snapshot(database) as reader:
        assert reader.facts(CallFact, turn=1, index=0) == [answered]
        assert reader.counts(CallFact) == {(): 4}


def test_an_exchange_fact_of_an_earlier_exchange_is_replaced_too(database: Database, writer: Writer) -> None:
    writer.commit(a_commit(1))
    known_now = replace(a_commit(1).exchange, attempt=1)
    second = a_commit(2)
    writer.commit(replace(second, facts=(*second.facts, known_now)))
    with snapshot(database) as reader:
        assert reader.facts(ExchangeFact, number=1) == [known_now]


def test_a_commit_without_session_needs_no_state(database: Database, writer: Writer) -> None:
    change = replace(a_commit(1), exchange=an_exchange(1, session=None), facts=(), state=None)
    assert writer.commit(change)
    assert writer.knows(ExchangeId(WRITER, 1))
    assert not writer.knows(ExchangeId(WRITER, 2))


def test_a_mark_never_goes_back(writer: Writer) -> None:
    writer.commit(replace(a_commit(1), mark=Mark(70, 2, 500)))
    writer.commit(replace(a_commit(2), mark=Mark(60, 1, 900)))
    assert writer.marks() == {WRITER: Mark(70, 2, 500)}


def test_the_mark_moves_when_the_exchange_is_known(writer: Writer) -> None:
    writer.commit(a_commit(1))
    assert not writer.commit(replace(a_commit(1), mark=Mark(9, 1, 9)))
    assert writer.marks() == {WRITER: Mark(9, 1, 9)}


def test_a_state_is_loaded_as_its_parts_were_committed(writer: Writer) -> None:
    assert writer.load_state(SESSION) == (0, {})
    writer.commit(a_commit(1, parts={"one": b"one" * 5000, "two": b"two"}))
    assert writer.load_state(SESSION) == (1, {"one": b"one" * 5000, "two": b"two"})
    writer.commit(a_commit(2, parts={"two": b"changed", "three": b""}))
    assert writer.load_state(SESSION) == (2, {"one": b"one" * 5000, "two": b"changed", "three": b""})
    writer.commit(a_commit(3, parts={}))
    assert writer.load_state(SESSION).version == 2


@pytest.mark.parametrize("version", [0, 2])
@pytest.mark.parametrize("parts", [{"one": b"mine"}, {}])
def test_a_state_that_another_observer_changed_is_not_overwritten(
    writer: Writer, version: int, parts: dict[str, bytes]
) -> None:
    writer.commit(a_commit(1))
    with pytest.raises(StateConflictError):
        writer.commit(a_commit(2, version=version, parts=parts))
    assert writer.load_state(SESSION) == (1, {"thread/main": b"state"})
    assert not writer.knows(ExchangeId(WRITER, 2))


def test_a_fact_without_its_parent_is_refused_whole(database: Database, writer: Writer) -> None:
    orphan = a_fact(DropFact, session=SESSION, thread=MAIN, boundary=4, observation="main/1.0")
    change = a_commit(1)
    with pytest.raises(UnstorableError):
        writer.commit(replace(change, facts=(*change.facts, orphan)))
    assert not writer.knows(ExchangeId(WRITER, 1))
    assert writer.load_state(SESSION) == (0, {})


def test_parents_may_stand_behind_their_children(writer: Writer) -> None:
    change = a_commit(1)
    assert writer.commit(replace(change, facts=tuple(reversed(change.facts))))


def test_an_integer_beyond_64_bits_is_refused_whole(writer: Writer) -> None:
    change = a_commit(1)
    (huge,) = [replace(fact, output=10**30) for fact in change.facts if isinstance(fact, IterationFact)]
    with pytest.raises(UnstorableError):
        writer.commit(replace(change, facts=(*change.facts, huge)))
    assert writer.marks() == {}


def test_hostile_text_is_stored_alike_everywhere(database: Database, writer: Writer) -> None:
    change = replace(a_commit(1), exchange=an_exchange(1, turn=1, path="/v1/\0\udc80"))
    writer.commit(change)
    with snapshot(database) as reader:
        assert [fact.path for fact in reader.facts(ExchangeFact)] == ["/v1/\\u0000\\udc80"]


def test_contents_are_kept_once_whoever_brings_them(database: Database, writer: Writer) -> None:
    shared, own = content(b"shared " * 100), content(b"own")
    writer.commit(replace(a_commit(1), contents=(shared, own, shared)))
    writer.commit(replace(a_commit(2), contents=(shared,)))
    with snapshot(database) as reader:
        assert reader.content(shared.sha256) == shared.data
        assert reader.content(own.sha256) == own.data
        assert reader.content("0" * 64) is None
    assert verify(database) == []


def test_a_request_of_very_many_blocks_is_kept(database: Database, writer: Writer) -> None:
    many = [content(str(number).encode()) for number in range(1_200)]
    writer.commit(replace(a_commit(1), contents=many))
    writer.commit(replace(a_commit(2), contents=many))
    assert size(database).rows["contents"] == 1_200


def test_versions_are_noted(database: Database, writer: Writer) -> None:
    writer.set_meta({"product_version": "1", "price_table": "x"})
    writer.set_meta({"product_version": "2"})
    with snapshot(database) as reader:
        assert reader.meta() == {"price_table": "x", "product_version": "2"}


@settings(max_examples=15, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 2), st.integers(1, 4)), max_size=20))
def test_commits_repeated_in_any_order_are_there_once(
    tmp_path_factory: pytest.TempPathFactory, order: list[tuple[int, int]]
) -> None:
    """Writers drawn and numbers repeated at will: each (writer, number) counts once."""
    url = an_empty_store(tmp_path_factory.mktemp("store") / "store.db")
    seen: set[tuple[int, int]] = set()
    with open_database(url) as database:
        writer = Writer(database)
        for who, number in order:
            name, session = f"{who:032x}", SessionId(f"{who:032x}")
            version = writer.load_state(session).version
            change = a_commit(number, session=session, writer=name, version=version)
            assert writer.commit(change) == ((who, number) not in seen)
            seen.add((who, number))
        with snapshot(database) as reader:
            assert reader.counts(TurnFact) == {(): len(seen)}
            assert reader.counts(ExchangeFact) == {(): len(seen)}


CHILD = """
import itertools, sys
from proxy.store import Writer, open_database
from tests.support.store import a_commit
writer = Writer(open_database(sys.argv[1]))
for number in itertools.count(1):
    writer.commit(a_commit(number))
    print(number, flush=True)
"""


def test_a_killed_process_leaves_whole_commits(url: str) -> None:
    open_database(url).close()
    child = subprocess.Popen([sys.executable, "-c", CHILD, url], stdout=subprocess.PIPE, text=True, cwd=Path.cwd())
    assert child.stdout is not None
    told = 0
    while told < 40:
        told = int(child.stdout.readline())
    os.kill(child.pid, signal.SIGKILL)
    told = max([told, *map(int, child.stdout.read().split())])
    child.stdout.close()
    child.wait()
    with open_database(url) as database:
        version, _ = Writer(database).load_state(SESSION)
        with snapshot(database) as reader:
            turns = reader.counts(TurnFact)[()]
            assert reader.counts(CallFact)[()] == 2 * turns
        assert told <= turns == version <= told + 1
        assert verify(database) == []
