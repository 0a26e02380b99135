"""How large a store is."""

from __future__ import annotations

from typing import NamedTuple

from sqlalchemy import Connection, func, literal, select

from proxy.store.database import Database
from proxy.store.schema import CONTENTS, METADATA


class Size(NamedTuple):
    """What a store takes."""

    stored_bytes: int
    """SQLite: pages in use. PostgreSQL: packed contents, and the other tables with their indexes."""
    reclaimable_bytes: int
    """SQLite: free pages and the WAL, which `retention.reclaim` gives back to the disk. PostgreSQL: 0."""
    contents_bytes: int
    """The part of `stored_bytes` that is packed contents."""
    rows: dict[str, int]
    """Per table."""


def size(database: Database) -> Size:
    """Measure the store."""
    with database.reading() as connection:
        rows = {
            name: connection.scalar(select(func.count()).select_from(table)) or 0
            for name, table in sorted(METADATA.tables.items())
        }
        return Size(stored_bytes(connection), reclaimable_bytes(database), _contents_bytes(connection), rows)


def stored_bytes(connection: Connection) -> int:
    """Bytes that deleting rows brings down at once."""
    if connection.dialect.name == "sqlite":
        return (_pragma(connection, "page_count") - _pragma(connection, "freelist_count")) * _pragma(
            connection, "page_size"
        )
    others = [name for name in METADATA.tables if name != CONTENTS.name]
    sizes = [connection.scalar(select(func.pg_total_relation_size(literal(name)))) or 0 for name in others]
    return sum(sizes) + _contents_bytes(connection)


def reclaimable_bytes(database: Database) -> int:
    """Bytes of the disk that the store holds and does not need."""
    if database.file is None:
        return 0
    with database.reading() as connection:
        free = _pragma(connection, "freelist_count") * _pragma(connection, "page_size")
    wal = database.file.with_name(database.file.name + "-wal")
    return free + (wal.stat().st_size if wal.exists() else 0)


def _pragma(connection: Connection, name: str) -> int:
    return int(connection.exec_driver_sql(f"PRAGMA {name}").scalar_one())


def _contents_bytes(connection: Connection) -> int:
    return int(connection.scalar(select(func.coalesce(func.sum(func.length(CONTENTS.c.packed)), 0))) or 0)
