"""Reads facts back, typed, and adds them up in the database. Everything asked inside one `snapshot` agrees."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import zstandard
from sqlalchemy import ColumnElement, Connection, FromClause, RowMapping, func, select

from proxy.model.errors import UsageError
from proxy.model.facts import ExchangeFact, Fact, Label, SessionFact
from proxy.model.ids import SessionId, session_id
from proxy.store.audit import HandLabel
from proxy.store.database import Database
from proxy.store.rows import FORMS
from proxy.store.schema import AUDIT_LABELS, CONTENT_USES, CONTENTS, EVENTS, META, TABLES, FactClass

Group = tuple[str | int | None, ...]
"""Values of the columns grouped by; enums as their text."""

LISTED_MATCHES = 5
SPLIT = 10**9
"""Sums are taken over `value / SPLIT` and `value % SPLIT` apart: 64 bits of 10^-12 USD end at 9.2 million USD."""


class Total(NamedTuple):
    """A sum that tells what it leaves out."""

    total: int | None
    """Exact; None when nothing was measured."""
    measured: int
    """Rows in the sum."""
    unmeasured: int
    """Rows without a value (unpriced, usage missing)."""


@contextmanager
def snapshot(database: Database) -> Iterator[Reader]:
    """A reader of one consistent state of the store."""
    with database.reading() as connection:
        yield Reader(connection)


class Reader:
    """Questions to one snapshot. Rows come ordered by key, text by code point, whatever the database."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def facts[F: Fact](self, fact: type[F], **equals: object) -> list[F]:
        """All facts of a class whose columns have these values, ordered by key."""
        return list(self.each(fact, **equals))

    def each[F: Fact](self, fact: type[F], **equals: object) -> Iterator[F]:
        """As `facts`, one at a time."""
        table, form = TABLES[fact], FORMS[fact]
        query = select(table).where(*_conditions(fact, equals)).order_by(*table.primary_key)
        for row in self._connection.execution_options(yield_per=1000).execute(query):
            yield form.fact(row)

    def sessions(self, *, since_us: int = 0, prefix: str = "", limit: int | None = None) -> list[SessionFact]:
        """Sessions active since then whose id begins so, the latest first."""
        columns = TABLES[SessionFact].c
        query = (
            select(TABLES[SessionFact])
            .where(columns.last_us >= since_us, columns.session.startswith(prefix, autoescape=True))
            .order_by(columns.last_us.desc(), columns.session)
            .limit(limit)
        )
        return [FORMS[SessionFact].fact(row) for row in self._connection.execute(query)]

    def session(self, reference: str) -> SessionFact:
        """The session of an id, of a unique prefix of it, of the name its client gave it, or `last`.

        Raises:
            UsageError: none or several.
        """
        found = self.sessions(limit=1) if reference == "last" else self.sessions(prefix=reference)
        match found or self._named(reference):
            case [only]:
                return only
            case []:
                raise UsageError(
                    "no session yet" if reference == "last" else f"no session is {reference!r} or begins so"
                )
            case several:
                named = ", ".join(session.session[:12] for session in several[:LISTED_MATCHES])
                raise UsageError(f"{len(several)} sessions are {reference!r} or begin so: {named}")

    def _named(self, name: str) -> list[SessionFact]:
        """A name is never stored, only a digest of it as headers carry it."""
        key = name.encode("utf-8", "surrogateescape").decode("latin-1")
        return [one for one in self.sessions() if one.session == session_id(one.run or "", key)]

    def writers(self) -> list[str]:
        """Journal writers in the order in which their first exchanges were opened."""
        columns = TABLES[ExchangeFact].c
        first = (func.min(columns.opened_us), func.min(columns.number), columns.writer)
        return list(self._connection.scalars(select(columns.writer).group_by(columns.writer).order_by(*first)))

    def counts(self, fact: FactClass, *by: str, **equals: object) -> dict[Group, int]:
        """How many facts there are in each group; `counts(CallFact, "label")[("reacquisition",)]`.

        A column that the fact has not is its session's: `counts(TurnFact, "client", "model_answered")`.
        """
        columns = _columns(fact, by)
        query = select(*columns, func.count()).select_from(_source(fact, by)).where(*_conditions(fact, equals))
        grouped = query.group_by(*columns).order_by(*columns)
        return {tuple(row[:-1]): row[-1] for row in self._connection.execute(grouped)}

    def totals(self, fact: FactClass, measure: str, *by: str, **equals: object) -> dict[Group, Total]:
        """Exact sums of one integer column in each group, grouped as `counts`; an ungrouped sum stands at `()`."""
        columns, (value,) = _columns(fact, by), _columns(fact, (measure,))
        sums = (func.sum(value // SPLIT), func.sum(value % SPLIT), func.count(value), func.count())
        query = select(*columns, *sums).select_from(_source(fact, by)).where(*_conditions(fact, equals))
        grouped = query.group_by(*columns).order_by(*columns)
        return {tuple(row[:-4]): _total(*row[-4:]) for row in self._connection.execute(grouped)}

    def latest(self, fact: FactClass, measure: str, *by: str) -> dict[Group, int]:
        """Largest value of one integer column in each group that has any."""
        columns, (value,) = _columns(fact, by), _columns(fact, (measure,))
        query = select(*columns, func.max(value)).select_from(_source(fact, by)).where(value.is_not(None))
        return {tuple(row[:-1]): row[-1] for row in self._connection.execute(query.group_by(*columns))}

    def events(self, session: str) -> list[RowMapping]:
        """The session's events with the fields of S0-60, in order of time (docs/store.md)."""
        query = select(EVENTS).where(EVENTS.c.session == session).order_by(EVENTS.c.started_us, EVENTS.c.event_id)
        return list(self._connection.execute(query).mappings())

    def content(self, sha256: str) -> bytes | None:
        """A text of a full capture by the digest that facts name; None when it is not kept."""
        packed = self._connection.scalar(select(CONTENTS.c.packed).where(CONTENTS.c.sha256 == sha256))
        return None if packed is None else zstandard.decompress(packed)

    def contents_of(self, session: SessionId) -> Iterator[bytes]:
        """Every text that is kept of a session, ordered by digest."""
        used = select(CONTENT_USES.c.sha256).where(CONTENT_USES.c.session == session)
        query = select(CONTENTS.c.packed).where(CONTENTS.c.sha256.in_(used)).order_by(CONTENTS.c.sha256)
        for packed in self._connection.scalars(query):
            yield zstandard.decompress(packed)

    def hand_labels(self) -> list[HandLabel]:
        """Labels that people gave to calls, ordered by call."""
        query = select(AUDIT_LABELS).order_by(*AUDIT_LABELS.primary_key)
        return [_hand_label(row) for row in self._connection.execute(query).mappings()]

    def meta(self) -> dict[str, str]:
        """Versions and digests that figures depend on (V27)."""
        return {row.name: row.value for row in self._connection.execute(select(META).order_by(META.c.name))}


def _hand_label(row: RowMapping) -> HandLabel:
    typed = {"product_label": Label(row["product_label"]), "hand_label": Label(row["hand_label"])}
    return HandLabel(**{**row, **typed})


def _source(fact: FactClass, names: Iterable[str]) -> FromClause:
    """The fact's table, joined with its sessions when one of the columns is theirs."""
    table, sessions = TABLES[fact], TABLES[SessionFact]
    if all(name in table.c for name in names):
        return table
    return table.outerjoin(sessions, sessions.c.session == table.c.session)


def _columns(fact: FactClass, names: Iterable[str]) -> list[ColumnElement[Any]]:
    own, sessions = TABLES[fact].c, TABLES[SessionFact].c
    return [own[name] if name in own else sessions[name] for name in names]


def _conditions(fact: FactClass, equals: dict[str, object]) -> list[ColumnElement[bool]]:
    return [TABLES[fact].c[name] == value for name, value in equals.items()]


def _total(high: int | None, low: int | None, measured: int, rows: int) -> Total:
    total = None if high is None or low is None else int(high) * SPLIT + int(low)
    return Total(total, measured, rows - measured)
