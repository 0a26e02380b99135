from __future__ import annotations

import os
from dataclasses import replace

from proxy.store import Content, Database, Writer, size
from tests.support.store import a_commit


def test_a_store_tells_its_size_and_its_rows(database: Database, writer: Writer) -> None:
    empty = size(database)
    data = os.urandom(100_000)
    writer.commit(replace(a_commit(1), contents=(Content("f" * 64, data, redacted=False),)))
    filled = size(database)
    assert empty.rows["calls"] == 0
    assert filled.rows["calls"] == 2
    assert filled.rows["contents"] == filled.rows["content_uses"] == 1
    assert 100_000 <= filled.contents_bytes <= 100_100
    assert filled.stored_bytes - empty.stored_bytes >= 90_000


def test_the_wal_can_be_reclaimed(sqlite_database: Database) -> None:
    Writer(sqlite_database).commit(a_commit(1))
    assert size(sqlite_database).reclaimable_bytes > 0
