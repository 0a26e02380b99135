from __future__ import annotations

import sqlite3
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import text

from proxy.model.facts import BoundaryFact, CallFact, DropFact, Fact, IterationFact, Label, TurnFact
from proxy.model.ids import ObservationId
from proxy.store import Content, Database, Writer, open_database, verify
from proxy.store.verify import CHECKS
from tests.support.store import MAIN, SESSION, a_commit, a_fact, an_exchange

FIRST = ObservationId("main/1.0")
BOUNDARY = a_fact(BoundaryFact, session=SESSION, thread=MAIN, boundary=1, turn=2)
DROP = a_fact(DropFact, session=SESSION, thread=MAIN, boundary=1, observation=FIRST)


def stored(writer: Writer, change: Callable[[Fact], Fact] = lambda fact: fact, *more: Fact) -> None:
    """One turn whose facts were changed."""
    commit = a_commit(1)
    writer.commit(replace(commit, facts=(*map(change, commit.facts), *more)))


def broken(database: Database) -> list[str]:
    return [problem.rule for problem in verify(database)]


def changed[F: Fact](kind: type[F], **values: object) -> Callable[[Fact], Fact]:
    return lambda fact: replace(fact, **values) if isinstance(fact, kind) else fact  # type: ignore[arg-type]


def reread(label: Label, tokens: int) -> Callable[[Fact], Fact]:
    return changed(CallFact, label=label, boundary=1, repeats=FIRST, reread_tokens_ref=tokens)


def test_whole_figures_have_no_problem(database: Database, writer: Writer) -> None:
    stored(writer, reread(Label.REACQUISITION, 812), BOUNDARY, DROP)
    assert verify(database) == []


@pytest.mark.parametrize(
    ("rule", "change", "more"),
    [
        ("the boundary a call is charged to exists", changed(CallFact, boundary=3), ()),
        ("what was reacquired had been dropped", reread(Label.REACQUISITION, 812), (BOUNDARY,)),
        ("the observations a call made or repeats exist", changed(CallFact, observation="main/9.9"), ()),
        ("lines restored after a boundary", reread(Label.SUBSET, 500), (BOUNDARY, DROP)),
        ("no count of tokens is negative", changed(IterationFact, reasoning=301), ()),
        ("an iteration is priced, or says why not", changed(IterationFact, pico_usd=None), ()),
        ("a turn's context is the billed input", changed(TurnFact, context_tokens=20_101), ()),
        ("a turn without usage has no context size", changed(TurnFact, usage_missing=True, context_tokens=20_100), ()),
    ],
)
def test_figures_that_contradict_are_found(
    database: Database, writer: Writer, rule: str, change: Callable[[Fact], Fact], more: tuple[Fact, ...]
) -> None:
    stored(writer, change, *more)
    (found,) = broken(database)
    assert found.startswith(rule)


def test_the_first_offender_is_named(database: Database, writer: Writer) -> None:
    stored(writer, changed(CallFact, boundary=3))
    (problem,) = verify(database)
    assert (problem.rows, problem.example) == (2, f"{SESSION}/main/1/0")


def test_a_turn_and_its_exchange_agree(database: Database, writer: Writer) -> None:
    writer.commit(replace(a_commit(1), exchange=an_exchange(1, turn=2)))
    writer.commit(replace(a_commit(2), facts=(), state=None))
    (problem,) = verify(database)
    assert (problem.rule, problem.rows) == ("every exchange of kind `turn` has its turn, and no other has", 2)


def test_contents_that_are_not_what_their_digest_says_are_found(database: Database, writer: Writer) -> None:
    good, redacted = Content("0" * 64, b"anything", redacted=True), Content("f" * 64, b"not that", redacted=False)
    writer.commit(replace(a_commit(1), contents=(good, redacted)))
    assert verify(database) == [("every kept content is what its digest says", 1, "f" * 64)]


def test_contents_that_nobody_uses_are_found(database: Database, writer: Writer) -> None:
    writer.commit(replace(a_commit(1), contents=(Content("0" * 64, b"anything", redacted=True),)))
    with database.writing() as connection:
        connection.execute(text("DELETE FROM content_uses"))
    assert broken(database) == ["every kept content is used"]


def test_a_damaged_page_and_a_missing_parent_are_found(sqlite_database: Database, sqlite_file: Path) -> None:
    stored(Writer(sqlite_database))
    sqlite_database.close()
    raw = sqlite3.connect(sqlite_file)
    raw.execute("DELETE FROM threads")  # foreign keys are off unless switched on
    raw.execute("PRAGMA writable_schema = ON")
    raw.execute("UPDATE sqlite_schema SET sql = replace(sql, 'sessions (last_us)', 'sessions (first_us)')")
    raw.commit()
    raw.close()
    with open_database(f"sqlite:///{sqlite_file}") as database:
        found = broken(database)
    assert "the file is undamaged (integrity_check)" in found
    assert "every fact has its parents (foreign_key_check)" in found


def test_every_check_reads_on_an_empty_store(database: Database) -> None:
    assert verify(database) == []
    assert len(CHECKS) == len(set(CHECKS))
