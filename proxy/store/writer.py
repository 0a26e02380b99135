"""Commits what one finished exchange changes: facts, session state, journal mark and contents, or none of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import batched
from typing import Any, NamedTuple

import zstandard
from sqlalchemy import Connection, Table, bindparam, select, update
from sqlalchemy.dialects import postgresql, sqlite

from proxy.journal.layout import Mark
from proxy.model.facts import FACTS, ExchangeFact, Fact, SessionKeyFact
from proxy.model.ids import ExchangeId, SessionId
from proxy.store.database import Database
from proxy.store.errors import StateConflictError
from proxy.store.rows import FORMS, Row, key_of
from proxy.store.schema import CONTENT_USES, CONTENTS, FORGOTTEN, MARKS, META, SESSION_STATE, STATE_PARTS, TABLES

STATE_LEVEL = 1
CONTENT_LEVEL = 3
CONTENTS_PER_QUERY = 500
"""Databases bound the variables of one statement; a hostile request does not bound its blocks."""
INSERT: dict[str, Any] = {"sqlite": sqlite.insert, "postgresql": postgresql.insert}
"""Both have `on_conflict_do_update`; plain SQLAlchemy has not."""


class LoadedState(NamedTuple):
    """A session's state as stored."""

    version: int
    """0 = the session has none yet."""
    parts: dict[str, bytes]
    """By name, in the journey's own form."""


class StateChange(NamedTuple):
    """What an exchange made of the state it was observed from."""

    session: SessionId
    version: int
    """As loaded. When the store has another one by now, the commit is refused."""
    parts: Mapping[str, bytes]
    """The parts that changed or are new. When there are none the version stays, but is checked all the same."""


class Content(NamedTuple):
    """One stored text of a full capture."""

    sha256: str
    """Of the content as observed."""
    data: bytes
    """After redaction."""
    redacted: bool
    """Redaction changed it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Commit:
    """Everything one finished exchange changes."""

    exchange: ExchangeFact
    """Its key makes the commit happen exactly once."""
    facts: Sequence[Fact] = ()
    """The others; a later fact of the same key replaces the earlier one, here and in the store."""
    state: StateChange | None = None
    """None for exchanges without a session."""
    contents: Sequence[Content] = ()
    mark: Mark
    """Where a restart has to begin reading that writer's journal; an older mark than the stored one is ignored."""


class Writer:
    """The write side of one store. One instance belongs to one thread; several processes may have one each."""

    def __init__(self, database: Database) -> None:
        self._database = database
        new = INSERT[database.dialect]
        self._upserts = {fact: _upsert(new(table), table) for fact, table in TABLES.items()}
        exchanges = TABLES[ExchangeFact]
        self._claim = new(exchanges).on_conflict_do_nothing().execution_options(preserve_rowcount=True)
        self._add_state = new(SESSION_STATE).on_conflict_do_nothing().execution_options(preserve_rowcount=True)
        self._set_parts = _upsert(new(STATE_PARTS), STATE_PARTS)
        self._add_contents = new(CONTENTS).on_conflict_do_nothing()
        self._use_contents = _upsert(new(CONTENT_USES), CONTENT_USES)
        self._set_mark = _upsert(new(MARKS), MARKS, only_if_newer="number")
        self._set_meta = _upsert(new(META), META)

    def commit(self, change: Commit) -> bool:
        """Write everything in one transaction; False (and only the mark moves) when the exchange is there already.

        Raises:
            StateConflictError: another observer changed the session since its state was loaded.
            StoreUnavailableError: the same commit may succeed later.
            UnstorableError: it never will.
        """
        with self._database.writing() as connection:
            connection.execute(self._set_mark, {"writer": change.exchange.writer, **change.mark._asdict()})
            if not self._claimed(connection, change.exchange):
                return False
            for fact, rows in _rows_by_table(change.facts).items():
                connection.execute(self._upserts[fact], rows)
            if change.state is not None:
                self._change_state(connection, change.state)
            if change.contents:
                self._write_contents(connection, change)
        return True

    def _claimed(self, connection: Connection, exchange: ExchangeFact) -> bool:
        if _is_forgotten(connection, ExchangeId(exchange.writer, exchange.number, exchange.part)):
            return False
        return connection.execute(self._claim, FORMS[ExchangeFact].row(exchange)).rowcount == 1

    def _change_state(self, connection: Connection, change: StateChange) -> None:
        if not self._is_current(connection, change):
            raise StateConflictError(f"session {change.session} was changed by another observer")
        if change.parts:
            rows = [
                {"session": change.session, "part": name, "packed": zstandard.compress(part, STATE_LEVEL)}
                for name, part in change.parts.items()
            ]
            connection.execute(self._set_parts, rows)

    def _is_current(self, connection: Connection, change: StateChange) -> bool:
        """Whether nobody changed the state since; takes the session's row until the transaction ends."""
        if not change.parts:
            return (connection.scalar(_STATE_VERSION, {"key": change.session}) or 0) == change.version
        row = {"session": change.session, "version": change.version + 1}
        if change.version == 0:
            return connection.execute(self._add_state, row).rowcount == 1
        return connection.execute(_NEXT_VERSION, {"key": change.session, "held": change.version}).rowcount == 1

    def _write_contents(self, connection: Connection, change: Commit) -> None:
        session = change.state.session if change.state else ""
        used_us = change.exchange.opened_us
        by_digest = {content.sha256: content for content in change.contents}
        held = {
            digest
            for some in batched(by_digest, CONTENTS_PER_QUERY)
            for digest in connection.scalars(_HELD_CONTENTS, {"wanted": some})
        }
        missing = [_content_row(content) for digest, content in by_digest.items() if digest not in held]
        if missing:
            connection.execute(self._add_contents, missing)
        uses = [{"session": session, "sha256": digest, "used_us": used_us} for digest in by_digest]
        connection.execute(self._use_contents, uses)

    def load_state(self, session: SessionId) -> LoadedState:
        """What to observe the session's next exchange from."""
        with self._database.reading() as connection:
            version = connection.scalar(_STATE_VERSION, {"key": session}) or 0
            rows = connection.execute(_PARTS, {"key": session}).all() if version else ()
        return LoadedState(version, {row.part: zstandard.decompress(row.packed) for row in rows})

    def knows(self, exchange: ExchangeId) -> bool:
        """Whether the exchange needs no observing: committed, or forgotten on request."""
        with self._database.reading() as connection:
            return connection.scalar(_KNOWN, exchange._asdict()) is not None or _is_forgotten(connection, exchange)

    def sessions_of(self, signs: Sequence[str]) -> dict[str, SessionId]:
        """The sessions that showed some signs last; those that no session showed are left out."""
        with self._database.reading() as connection:
            return {row.sign: SessionId(row.session) for row in connection.execute(_OF_SIGNS, {"signs": list(signs)})}

    def marks(self) -> dict[str, Mark]:
        """Low-water mark of every journal writer."""
        with self._database.reading() as connection:
            return {row.writer: Mark(row.number, row.segment, row.offset) for row in connection.execute(select(MARKS))}

    def set_meta(self, values: Mapping[str, str]) -> None:
        """Note versions and digests that figures depend on (V27)."""
        with self._database.writing() as connection:
            connection.execute(self._set_meta, [{"name": name, "value": value} for name, value in values.items()])


_exchanges = TABLES[ExchangeFact].c
_KNOWN = select(_exchanges.number).where(*(_exchanges[name] == bindparam(name) for name in ExchangeId._fields))
_FORGOTTEN = select(FORGOTTEN.c.number).where(*(FORGOTTEN.c[name] == bindparam(name) for name in ExchangeId._fields))
_keys = TABLES[SessionKeyFact].c
_OF_SIGNS = select(_keys.sign, _keys.session).where(_keys.sign.in_(bindparam("signs", expanding=True)))
_STATE_VERSION = select(SESSION_STATE.c.version).where(SESSION_STATE.c.session == bindparam("key"))
_NEXT_VERSION = (
    update(SESSION_STATE)
    .where(SESSION_STATE.c.session == bindparam("key"), SESSION_STATE.c.version == bindparam("held"))
    .values(version=SESSION_STATE.c.version + 1)
)
_PARTS = select(STATE_PARTS.c.part, STATE_PARTS.c.packed).where(STATE_PARTS.c.session == bindparam("key"))
_HELD_CONTENTS = select(CONTENTS.c.sha256).where(CONTENTS.c.sha256.in_(bindparam("wanted", expanding=True)))


def _is_forgotten(connection: Connection, exchange: ExchangeId) -> bool:
    return connection.scalar(_FORGOTTEN, exchange._asdict()) is not None


def _upsert(statement: Any, table: Table, *, only_if_newer: str = "") -> Any:  # noqa: ANN401 - the dialects' inserts share no type
    key = [column.name for column in table.primary_key]
    rest = {column.name: statement.excluded[column.name] for column in table.columns if column.name not in key}
    if not rest:
        return statement.on_conflict_do_nothing()
    newer = statement.excluded[only_if_newer] > table.c[only_if_newer] if only_if_newer else None
    return statement.on_conflict_do_update(index_elements=key, set_=rest, where=newer)


def _rows_by_table(facts: Iterable[Fact]) -> dict[type[Fact], list[Row]]:
    """Rows in the order of FACTS, the last of each key."""
    last = {(type(fact), key_of(fact)): fact for fact in facts}
    rows: dict[type[Fact], list[Row]] = {fact: [] for fact in FACTS}
    for fact in last.values():
        rows[type(fact)].append(FORMS[type(fact)].row(fact))
    return {fact: found for fact, found in rows.items() if found}


def _content_row(content: Content) -> dict[str, Any]:
    return {
        "sha256": content.sha256,
        "size_bytes": len(content.data),
        "redacted": content.redacted,
        "packed": zstandard.compress(content.data, CONTENT_LEVEL),
    }
