"""What leaves a store: by age, by size, by a floor of free disk, or because somebody asked.

Contents go before figures, the oldest first, some rows per transaction so that the observer never waits long. Deleted
pages are overwritten (`secure_delete`).
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, Row, Select, and_, delete, exists, insert, select

from proxy.model.facts import FACTS, ExchangeFact, SessionFact
from proxy.model.ids import ExchangeId
from proxy.store.database import Database
from proxy.store.schema import AUDIT_LABELS, CONTENT_USES, CONTENTS, FORGOTTEN, SESSION_STATE, STATE_PARTS, TABLES
from proxy.store.size import reclaimable_bytes, stored_bytes

_sessions = TABLES[SessionFact].c
_exchanges = TABLES[ExchangeFact].c
Rows = Sequence[Row[Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Retention:
    """What may stay; None = no limit of that kind."""

    contents_since_us: int | None = None
    """Contents not used since then go."""
    figures_since_us: int | None = None
    """Sessions without an exchange since then go with all they have."""
    max_bytes: int | None = None
    """Of `Size.stored_bytes`. PostgreSQL: only contents go for it."""
    free_floor_bytes: int | None = None
    """Free bytes that the disk of a SQLite store should keep. Only contents go for it: others may have filled it."""


class Removed(NamedTuple):
    """What a run of `prune` or `forget` removed."""

    contents: int = 0
    sessions: int = 0
    exchanges: int = 0
    writers: tuple[str, ...] = ()
    """Journal writers that had recorded a forgotten session: their unprocessed segments may still hold its bytes."""

    def plus(self, other: Removed) -> Removed:
        """Both together."""
        return Removed(
            self.contents + other.contents,
            self.sessions + other.sessions,
            self.exchanges + other.exchanges,
            self.writers + other.writers,
        )


def forget(database: Database, session: str, *, vacuum: bool = False) -> Removed:
    """Remove every trace of a session; contents that others use stay. Its exchanges are never taken in again.

    Args:
        database: The store.
        session: Its full id.
        vacuum: Rewrite the whole file as well.
    """
    with database.writing() as connection:
        recorded = select(_exchanges.writer).where(_exchanges.session == session).distinct()
        writers = tuple(connection.scalars(recorded.order_by(_exchanges.writer)))
        removed = _remove_sessions(connection, [session])
    if vacuum:
        with database.maintaining() as connection:
            connection.exec_driver_sql("VACUUM")
    reclaim(database)
    return removed._replace(writers=writers)


def prune(database: Database, keep: Retention, *, free_bytes: Callable[[], int] | None = None) -> Removed:
    """Remove what is too old, then what is too much. Figures outlive contents.

    Args:
        database: The store.
        keep: The limits.
        free_bytes: What the store's disk has left; asks the system unless given.
    """
    removed = Removed()
    for rule in RULES:
        since_us = getattr(keep, rule.limit)
        if since_us is not None:
            removed = removed.plus(_apply(database, rule, rule.oldest.where(rule.age < since_us), _always))
    if keep.figures_since_us is not None:
        with database.writing() as connection:
            connection.execute(delete(FORGOTTEN).where(FORGOTTEN.c.opened_us < keep.figures_since_us))
    for rule in RULES if database.file else (CONTENTS_RULE,):
        removed = removed.plus(_apply(database, rule, rule.oldest, _is_too_large(database, keep)))
    removed = removed.plus(
        _apply(database, CONTENTS_RULE, CONTENTS_RULE.oldest, _is_scarce(database, keep, free_bytes))
    )
    reclaim(database)
    return removed


def reclaim(database: Database) -> None:
    """Give free pages back to the disk and empty the WAL, which still holds what was there before."""
    if database.file is None:
        return
    with database.maintaining() as connection:
        raw: Any = connection.connection.driver_connection
        for pragma in ("incremental_vacuum", "wal_checkpoint(TRUNCATE)"):
            raw.execute(f"PRAGMA {pragma}").fetchall()  # a page is given back at each step; SQLAlchemy would take one


def _always() -> bool:
    return True


def _is_too_large(database: Database, keep: Retention) -> Callable[[], bool]:
    def is_too_large() -> bool:
        if keep.max_bytes is None:
            return False
        with database.reading() as connection:
            return stored_bytes(connection) > keep.max_bytes

    return is_too_large


def _is_scarce(database: Database, keep: Retention, free_bytes: Callable[[], int] | None) -> Callable[[], bool]:
    def is_scarce() -> bool:
        if keep.free_floor_bytes is None or database.file is None:
            return False
        free = free_bytes() if free_bytes else shutil.disk_usage(database.file.parent).free
        return free + reclaimable_bytes(database) < keep.free_floor_bytes

    return is_scarce


def _remove_contents(connection: Connection, uses: Rows) -> Removed:
    for use in uses:
        its = (CONTENT_USES.c.session == use.session) & (CONTENT_USES.c.sha256 == use.sha256)
        connection.execute(delete(CONTENT_USES).where(its))
    return Removed(contents=_remove_unused(connection, {row.sha256 for row in uses}))


def _remove_unused(connection: Connection, digests: set[str]) -> int:
    still_used = exists().where(CONTENT_USES.c.sha256 == CONTENTS.c.sha256)
    return sum(
        connection.execute(delete(CONTENTS).where(CONTENTS.c.sha256 == digest, ~still_used)).rowcount
        for digest in sorted(digests)
    )


def _remove_quiet(connection: Connection, sessions: Rows) -> Removed:
    return _remove_sessions(connection, [row.session for row in sessions])


def _remove_sessions(connection: Connection, sessions: Sequence[str]) -> Removed:
    uses = CONTENT_USES.c
    digests = set(connection.scalars(select(uses.sha256).where(uses.session.in_(sessions))))
    connection.execute(delete(CONTENT_USES).where(uses.session.in_(sessions)))
    contents = _remove_unused(connection, digests)
    _note_forgotten(connection, _exchanges.session.in_(sessions))
    removed = {
        fact: connection.execute(delete(TABLES[fact]).where(TABLES[fact].c.session.in_(sessions))).rowcount
        for fact in reversed(FACTS)
    }
    for table in (AUDIT_LABELS, STATE_PARTS, SESSION_STATE):
        connection.execute(delete(table).where(table.c.session.in_(sessions)))
    return Removed(contents, removed[SessionFact], removed[ExchangeFact])


def _remove_unattributed(connection: Connection, exchanges: Rows) -> Removed:
    for exchange in exchanges:
        its = and_(*(_exchanges[name] == getattr(exchange, name) for name in ExchangeId._fields))
        _note_forgotten(connection, its)
        connection.execute(delete(TABLES[ExchangeFact]).where(its))
    return Removed(exchanges=len(exchanges))


def _note_forgotten(connection: Connection, which: ColumnElement[bool]) -> None:
    keys = select(*(_exchanges[name] for name in ExchangeId._fields), _exchanges.opened_us).where(which)
    connection.execute(insert(FORGOTTEN).from_select([*ExchangeId._fields, "opened_us"], keys))


class Rule(NamedTuple):
    """One kind of thing that can be pruned."""

    limit: str
    """Field of Retention that bounds its age."""
    age: ColumnElement[int]
    oldest: Select[Any]
    batch: int
    """Per transaction."""
    remove: Callable[[Connection, Rows], Removed]


CONTENTS_RULE = Rule(
    "contents_since_us",
    CONTENT_USES.c.used_us,
    select(CONTENT_USES.c.session, CONTENT_USES.c.sha256).order_by(CONTENT_USES.c.used_us),
    500,
    _remove_contents,
)
RULES = (
    CONTENTS_RULE,
    Rule(
        "figures_since_us",
        _exchanges.opened_us,
        select(*(_exchanges[name] for name in ExchangeId._fields))
        .where(_exchanges.session.is_(None))
        .order_by(_exchanges.opened_us),
        500,
        _remove_unattributed,
    ),
    Rule(
        "figures_since_us",
        _sessions.last_us,
        select(_sessions.session).order_by(_sessions.last_us),
        20,
        _remove_quiet,
    ),
)


def _apply(database: Database, rule: Rule, oldest: Select[Any], is_needed: Callable[[], bool]) -> Removed:
    removed = Removed()
    while is_needed():
        with database.writing() as connection:
            rows = connection.execute(oldest.limit(rule.batch)).all()
            if not rows:
                break
            removed = removed.plus(rule.remove(connection, rows))
    return removed
