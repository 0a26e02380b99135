from __future__ import annotations

import hashlib
import threading
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text

from proxy.model.errors import InputError, NewerVersionError
from proxy.store import open_database
from proxy.store.migration import known_revisions
from proxy.store.schema import REVISION


def alter(url: str, *statements: str) -> None:
    engine = create_engine(url)
    with engine.begin() as connection:
        for statement in statements:
            connection.execute(text(statement))
    engine.dispose()


def test_the_schema_is_the_last_migrations() -> None:
    assert known_revisions()[-1] == REVISION


def test_a_store_of_a_newer_version_is_refused_with_both_revisions_named(fresh_url: str) -> None:
    open_database(fresh_url).close()
    alter(fresh_url, "UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(NewerVersionError, match=f"found revision 9999, expected revision {REVISION} or older"):
        open_database(fresh_url)


def test_a_store_of_a_newer_version_is_left_as_it_was(sqlite_file: Path) -> None:
    fresh_url = f"sqlite:///{sqlite_file}"
    open_database(fresh_url).close()
    alter(fresh_url, "UPDATE alembic_version SET version_num = '9999'")
    before = hashlib.sha256(sqlite_file.read_bytes()).digest()
    with pytest.raises(NewerVersionError):
        open_database(fresh_url)
    assert hashlib.sha256(sqlite_file.read_bytes()).digest() == before


def test_another_programs_database_is_refused(fresh_url: str, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    alter(fresh_url, "CREATE TABLE photos (id INTEGER)")
    with pytest.raises(InputError, match=r"tables of another program \(photos, …\)"):
        open_database(fresh_url)


def test_two_processes_may_open_a_new_store_at_once(fresh_url: str) -> None:
    opened: list[str] = []

    def open_it() -> None:
        with open_database(fresh_url) as database:
            opened.append(database.dialect)

    openers = [threading.Thread(target=open_it) for _ in range(4)]
    for opener in openers:
        opener.start()
    for opener in openers:
        opener.join()
    assert len(opened) == len(openers)
