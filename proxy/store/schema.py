"""The store's tables. One fact class is one table, derived from its annotations; `KEY` is its primary key.

Rules of this file: every integer is 64 bits, every text compares by code point in both dialects, times are UTC
microseconds, money is 10^-12 USD, enums are their values as text, NULL means not measured. What the tables below say
and what `migrations/` builds is the same; a test compares them.
"""

from __future__ import annotations

from dataclasses import fields
from enum import StrEnum
from types import NoneType
from typing import Any, NamedTuple, get_args, get_type_hints

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ForeignKeyConstraint,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    table,
)
from sqlalchemy.types import TypeEngine

from proxy.model.facts import (
    FACTS,
    BoundaryFact,
    CallFact,
    DropFact,
    ExchangeFact,
    IterationFact,
    ObservationFact,
    SessionFact,
    SessionKeyFact,
    ThreadFact,
    TurnFact,
)

FactClass = type[Any]
"""`type[Fact]`, in a form that mypy takes for `type[F]` with `F: Fact` as well."""

REVISION = "0001"
"""The migration that builds these tables."""

TEXT = Text().with_variant(Text(collation="C"), "postgresql")
INTEGER = BigInteger().with_variant(Integer(), "sqlite")
FLAG = Boolean().with_variant(Integer(), "sqlite")
BLOB = LargeBinary()

COLUMN_TYPES: dict[type, TypeEngine[Any]] = {str: TEXT, int: INTEGER, bool: FLAG}

TABLE_NAMES: dict[FactClass, str] = {
    SessionFact: "sessions",
    SessionKeyFact: "session_keys",
    ThreadFact: "threads",
    ExchangeFact: "exchanges",
    TurnFact: "turns",
    IterationFact: "iterations",
    CallFact: "calls",
    ObservationFact: "observations",
    BoundaryFact: "boundaries",
    DropFact: "drops",
}

REFERENCES: dict[FactClass, tuple[tuple[FactClass, tuple[str, ...]], ...]] = {
    SessionKeyFact: ((SessionFact, ("session",)),),
    ThreadFact: ((SessionFact, ("session",)),),
    ExchangeFact: ((SessionFact, ("session",)),),
    TurnFact: ((ThreadFact, ("session", "thread")), (ExchangeFact, ("writer", "number", "part"))),
    IterationFact: ((ExchangeFact, ("writer", "number", "part")),),
    CallFact: ((TurnFact, ("session", "thread", "turn")),),
    ObservationFact: ((ThreadFact, ("session", "thread")),),
    BoundaryFact: ((ThreadFact, ("session", "thread")),),
    DropFact: (
        (BoundaryFact, ("session", "thread", "boundary")),
        (ObservationFact, ("session", "observation")),
    ),
}
"""Parents a fact cannot stand without: looked at when a transaction ends, so that order inside it is free."""

INDEXES: dict[FactClass, tuple[tuple[str, ...], ...]] = {
    SessionFact: (("last_us",),),
    SessionKeyFact: (("session",),),
    ExchangeFact: (("session",), ("opened_us",)),
    TurnFact: (("writer", "number", "part"),),
    IterationFact: (("session",),),
    ObservationFact: (("session", "thread"),),
    DropFact: (("session", "observation"),),
}

METADATA = MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "fk": "fk_%(table_name)s_%(referred_table_name)s",
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    }
)


class FieldType(NamedTuple):
    """One annotated field as a column sees it."""

    name: str
    python: type
    """`str`, `int`, `bool` or the StrEnum."""
    nullable: bool


def field_types(fact: FactClass) -> tuple[FieldType, ...]:
    """The columns of a fact class, in the order of its fields."""
    hints = get_type_hints(fact)
    return tuple(_field_type(field.name, hints[field.name]) for field in fields(fact))


def _field_type(name: str, hint: Any) -> FieldType:  # noqa: ANN401 - annotations are any object
    options = get_args(hint) or (hint,)
    (plain,) = (option for option in options if option is not NoneType)
    return FieldType(name, getattr(plain, "__supertype__", plain), NoneType in options)  # a NewType's own type


def _column(field: FieldType, key: tuple[str, ...]) -> Column[Any]:
    stored = str if issubclass(field.python, StrEnum) else field.python
    made: Column[Any] = Column(field.name, COLUMN_TYPES[stored], nullable=field.nullable)
    if field.name in key:
        made.primary_key = True
        made.autoincrement = False  # our numbers come from the journal
    return made


def _parent(parent: FactClass, columns: tuple[str, ...]) -> ForeignKeyConstraint:
    targets = [f"{TABLE_NAMES[parent]}.{name}" for name in parent.KEY]
    return ForeignKeyConstraint(columns, targets, deferrable=True, initially="DEFERRED")


def _plain_table(name: str, *items: Column[Any] | ForeignKeyConstraint) -> Table:
    return Table(name, METADATA, *items, sqlite_strict=True)


def _fact_table(fact: FactClass) -> Table:
    made = _plain_table(
        TABLE_NAMES[fact],
        *(_column(field, fact.KEY) for field in field_types(fact)),
        *(_parent(parent, columns) for parent, columns in REFERENCES.get(fact, ())),
    )
    for columns in INDEXES.get(fact, ()):
        Index(None, *(made.c[name] for name in columns))
    return made


TABLES: dict[FactClass, Table] = {fact: _fact_table(fact) for fact in FACTS}
"""Parents first, as `FACTS`."""

SESSION_STATE = _plain_table(
    "session_state",
    Column("session", TEXT, primary_key=True),
    Column("version", INTEGER, nullable=False, doc="counts up at each change; a stale writer is refused"),
)

STATE_PARTS = _plain_table(
    "state_parts",
    Column("session", TEXT, primary_key=True),
    Column("part", TEXT, primary_key=True, doc="the journey's name for it; a turn rewrites only the parts it changed"),
    Column("packed", BLOB, nullable=False, doc="the journey's own form, zstd; opaque to the store"),
    ForeignKeyConstraint(["session"], ["session_state.session"], deferrable=True, initially="DEFERRED"),
)

MARKS = _plain_table(
    "marks",
    Column("writer", TEXT, primary_key=True),
    Column("number", INTEGER, nullable=False, doc="of the first journal record that a restart has to read again"),
    Column("segment", INTEGER, nullable=False),
    Column("offset", INTEGER, nullable=False, doc="bytes from the start of the segment's file"),
)

CONTENTS = _plain_table(
    "contents",
    Column("sha256", TEXT, primary_key=True, doc="of the content as observed, before redaction"),
    Column("size_bytes", INTEGER, nullable=False, doc="unpacked, as stored"),
    Column("redacted", FLAG, nullable=False, doc="body secrets were removed, so the digest is not the blob's"),
    Column("packed", BLOB, nullable=False, doc="zstd"),
)

CONTENT_USES = _plain_table(
    "content_uses",
    Column("session", TEXT, primary_key=True, doc="empty for exchanges without a session"),
    Column("sha256", TEXT, primary_key=True),
    Column("used_us", INTEGER, nullable=False, doc="opening time of the last exchange that brought it"),
    ForeignKeyConstraint(["sha256"], ["contents.sha256"], deferrable=True, initially="DEFERRED"),
)
Index(None, CONTENT_USES.c.sha256)
Index(None, CONTENT_USES.c.used_us)

FORGOTTEN = _plain_table(
    "forgotten",
    Column("writer", TEXT, primary_key=True),
    Column("number", INTEGER, primary_key=True, autoincrement=False),
    Column("part", INTEGER, primary_key=True, autoincrement=False),
    Column("opened_us", INTEGER, nullable=False, doc="of the exchange; figures of that age take this row along"),
)
"""Keys of exchanges that were forgotten or pruned, so that a journal read again does not bring them back."""

AUDIT_LABELS = _plain_table(
    "audit_labels",
    Column("session", TEXT, primary_key=True),
    Column("thread", TEXT, primary_key=True),
    Column("turn", INTEGER, primary_key=True, autoincrement=False),
    Column("index", INTEGER, primary_key=True, autoincrement=False),
    Column("sample", TEXT, nullable=False, doc="digest of the sheet it stood on: seed, size and population"),
    Column("product_label", TEXT, nullable=False, doc="the class this product gave when the sheet was drawn"),
    Column("hand_label", TEXT, nullable=False, doc="the class a person gave"),
    Column("imported_us", INTEGER, nullable=False),
)
"""Labels given by hand (V46); they leave with their session."""

META = _plain_table(
    "meta",
    Column("name", TEXT, primary_key=True, doc="`product_version`, `tools_sha256`, `price_table`, …"),
    Column("value", TEXT, nullable=False),
)

OTHER_TABLES = (SESSION_STATE, STATE_PARTS, MARKS, CONTENTS, CONTENT_USES, FORGOTTEN, AUDIT_LABELS, META)

EVENT_COLUMNS: dict[str, type] = {
    "event_id": str,
    "run": str,
    "pair": str,
    "arm_order": int,
    "session": str,
    "checkpoint_sha256": str,
    "condition": str,
    "seed": int,
    "repeat": int,
    "thread": str,
    "turn": int,
    "tool": str,
    "arguments_sha256": str,
    "result_sha256": str,
    "result_tokens_ref": int,
    "started_us": int,
    "ended_us": int,
    "input_tokens": int,
    "output_tokens": int,
    "cache_read_tokens": int,
    "cache_write_tokens": int,
    "compaction_tokens": int,
    "error_type": str,
    "boundary": int,
    "reacquisition": int,
}
"""S0-60, in this order. Built as a view by the migration."""

EVENTS = table("events", *(Column(name, COLUMN_TYPES[python]) for name, python in EVENT_COLUMNS.items()))
