"""Everything that a store holds in compressed form."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import zstandard

_ZSTD = b"\x28\xb5\x2f\xfd"


def unpacked(store: Path) -> list[bytes]:
    """Contents and session states of a SQLite store, as text."""
    connection = sqlite3.connect(store)
    try:
        found = [
            value
            for (table,) in connection.execute("select name from sqlite_master where type = 'table'").fetchall()
            for row in connection.execute(f'select * from "{table}"').fetchall()
            for value in row
            if isinstance(value, bytes)
        ]
    finally:
        connection.close()
    return [zstandard.decompress(value) if value[:4] == _ZSTD else value for value in found]
