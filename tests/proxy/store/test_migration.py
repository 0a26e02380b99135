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


def test_a_store_of_a_newer_version_is_refused_with_both_revisions_named(url: str) -> None:
    open_database(url).close()
    alter(url, "UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(NewerVersionError, match=f"found revision 9999, expected revision {REVISION} or older"):
        open_database(url)


def test_a_store_of_a_newer_version_is_left_as_it_was(sqlite_file: Path) -> None:
    url = f"sqlite:///{sqlite_file}"
    open_database(url).close()
    alter(url, "UPDATE alembic_version SET version_num = '9999'")
    before = hashlib.sha256(sqlite_file.read_bytes()).digest()
    with pytest.raises(NewerVersionError):
        open_database(url)
    assert hashlib.sha256(sqlite_file.read_bytes()).digest() == before


def test_another_programs_database_is_refused(url: str) -> None:
    Path(url.removeprefix("sqlite:///")).parent.mkdir(parents=True, exist_ok=True) if "sqlite" in url else None
    alter(url, "CREATE TABLE photos (id INTEGER)")
    with pytest.raises(InputError, match=r"tables of another program \(photos, …\)"):
        open_database(url)


def test_two_processes_may_open_a_new_store_at_once(url: str) -> None:
    failures: list[BaseException] = []

    def open_it() -> None:
        try:
            open_database(url).close()
        except BaseException as error:
            failures.append(error)

    openers = [threading.Thread(target=open_it) for _ in range(4)]
    for opener in openers:
        opener.start()
    for opener in openers:
        opener.join()
    assert failures == []
