"""Builders of facts, commits and empty stores."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any

from proxy.journal.layout import Mark
from proxy.model.facts import (
    CallFact,
    ExchangeFact,
    ExchangeKind,
    Fact,
    IterationFact,
    ObservationFact,
    SessionFact,
    ThreadFact,
    TurnFact,
)
from proxy.model.ids import ObservationId, SessionId, ThreadId
from proxy.store.database import open_database
from proxy.store.schema import field_types
from proxy.store.writer import Commit, StateChange

WRITER = "a" * 32
SESSION = SessionId("5" * 32)
MAIN = ThreadId("main")
START_US = 1_700_000_000_000_000


@cache
def _empty_store() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "store.db"
        open_database(f"sqlite:///{file}").close()
        return file.read_bytes()


def an_empty_store(file: Path) -> str:
    """URL of a new SQLite store, copied because migrating takes longer than most tests."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.touch(mode=0o600)
    file.write_bytes(_empty_store())
    return f"sqlite:///{file}"


def a_fact[F: Fact](fact: type[F], **given: Any) -> F:
    """A fact of that class; fields that are not given are None, else empty, zero, False or the first enum value."""
    blanks: dict[str, Any] = {
        field.name: None if field.nullable else _blank(field.python) for field in field_types(fact)
    }
    return fact(**blanks | given)


def _blank(python: type) -> object:
    return next(iter(python)) if issubclass(python, StrEnum) else python()


def a_turn(number: int, turn: int, *, session: SessionId = SESSION, writer: str = WRITER) -> tuple[Fact, ...]:
    """The facts of an ordinary turn but its exchange: one iteration, two calls, two observations."""
    who = {"session": session, "thread": MAIN}
    at_us = START_US + number * 1_000_000
    calls = [
        a_fact(CallFact, **who, turn=turn, index=i, call=f"toolu_{number}_{i}", tool="Read",
               resource=f"src/file_{i}.py", arguments_sha256="b" * 64, asked_us=at_us,
               because='{"rule": "key not seen before"}')
        for i in range(2)
    ]  # fmt: skip
    observations = [
        a_fact(ObservationFact, session=session, thread=MAIN, turn=turn, observation=ObservationId(f"main/{turn}.{i}"),
               key=f"read:src/file_{i}.py@{'c' * 64}", content_sha256="c" * 64, tokens_ref=812, line_count=80)
        for i in range(2)
    ]  # fmt: skip
    return (
        a_fact(SessionFact, session=session, client="claude-code", source="live", first_us=START_US, last_us=at_us),
        a_fact(ThreadFact, **who, kind="main", first_us=START_US),
        a_fact(TurnFact, **who, turn=turn, writer=writer, number=number, purpose="main", started_us=at_us,
               duration_us=900_000, model_answered="claude-x", tools_sha256="d" * 64),
        a_fact(IterationFact, **who, writer=writer, number=number, iteration=0, kind="message", model="claude-x",
               uncached=100, cache_read=20_000, output=300, pico_usd=1_234_567_890, usage_raw='{"input_tokens": 100}'),
        *calls,
        *observations,
    )  # fmt: skip


def an_exchange(
    number: int, *, session: SessionId | None = SESSION, writer: str = WRITER, **given: Any
) -> ExchangeFact:
    """A complete exchange that became a turn of `session`."""
    usual = {
        "kind": ExchangeKind.TURN if session else ExchangeKind.OTHER,
        "outcome": "complete",
        "thread": MAIN if session else None,
        "opened_us": START_US + number * 1_000_000,
    }
    return a_fact(ExchangeFact, writer=writer, number=number, session=session, **usual | given)


def a_commit(
    number: int,
    *,
    turn: int | None = None,
    version: int | None = None,
    session: SessionId = SESSION,
    writer: str = WRITER,
    parts: Mapping[str, bytes] | None = None,
) -> Commit:
    """One committed turn that changed a part of its session's state; turns and versions count with the exchanges."""
    turn = number if turn is None else turn
    return Commit(
        exchange=an_exchange(number, session=session, writer=writer, turn=turn),
        facts=a_turn(number, turn, session=session, writer=writer),
        state=StateChange(
            session, turn - 1 if version is None else version, {"thread/main": b"state"} if parts is None else parts
        ),
        mark=Mark(number, 1, number * 1000),
    )
