from __future__ import annotations

import sqlite3
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from sqlalchemy import text

from proxy.model.errors import CannotWriteError, InputError
from proxy.store import Database, StoreUnavailableError, UnstorableError, Writer, open_database
from tests.support.postgres import new_database
from tests.support.store import a_commit


def test_the_file_is_the_owners_alone(sqlite_database: Database, sqlite_file: Path) -> None:
    Writer(sqlite_database).commit(a_commit(1))
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in sqlite_file.parent.iterdir()}
    assert modes == {"store.db": 0o600, "store.db-wal": 0o600, "store.db-shm": 0o600}
    assert stat.S_IMODE(sqlite_file.parent.stat().st_mode) == 0o700


def test_a_new_sqlite_store_is_in_wal_and_gives_space_back(sqlite_database: Database) -> None:
    names = ("journal_mode", "auto_vacuum", "foreign_keys", "secure_delete", "synchronous")
    with sqlite_database.reading() as connection:
        found = [connection.exec_driver_sql(f"PRAGMA {name}").scalar_one() for name in names]
    assert found == ["wal", 2, 1, 1, 1]


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("postgresql+asyncpg://host/name", "found postgresql\\+asyncpg"),
        ("postgresql://user:hunter2@host/name", "found a password, expected none: PostgreSQL reads it from PGPASSFILE"),
        ("sqlite://", "found no file name"),
        ("not a url", "found no URL"),
    ],
)
def test_a_url_that_is_none_of_ours_is_refused(url: str, said: str) -> None:
    with pytest.raises(InputError, match=said) as caught:
        open_database(url)
    assert "hunter2" not in str(caught.value)


def test_a_store_that_must_exist_is_not_made(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="found no file"):
        open_database(f"sqlite:///{tmp_path}/store.db", create=False)
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_is_no_database_is_refused_and_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "store.db"
    file.write_bytes(b"a letter to a friend, long enough to look like a database header, and then some more" * 50)
    before = file.read_bytes()
    with pytest.raises(InputError, match="not a database"):
        open_database(f"sqlite:///{file}")
    assert file.read_bytes() == before


def test_a_folder_that_cannot_be_used_is_named(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("a file")
    with pytest.raises(CannotWriteError, match="data"):
        open_database(f"sqlite:///{tmp_path}/data/store.db")


def test_a_server_that_does_not_answer_is_unavailable() -> None:
    with pytest.raises(StoreUnavailableError, match="OperationalError"):
        open_database("postgresql://nobody@127.0.0.1:1/none")


def test_a_locked_store_is_unavailable_and_keeps_nothing(sqlite_database: Database, sqlite_file: Path) -> None:
    with sqlite_database.reading() as connection:
        connection.exec_driver_sql("PRAGMA busy_timeout = 1")
    other = sqlite3.connect(sqlite_file, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreUnavailableError, match="database is locked"):
        Writer(sqlite_database).commit(a_commit(1))
    other.execute("ROLLBACK")
    other.close()
    assert Writer(sqlite_database).commit(a_commit(1))


def test_a_lost_connection_is_worth_another_try(postgres: str) -> None:
    url = new_database(postgres)
    with open_database(url) as database, open_database(url) as other:
        with other.maintaining() as connection:
            name = url.rpartition("/")[2]
            ours = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = "
            connection.exec_driver_sql(f"{ours} '{name}'")
        with pytest.raises(StoreUnavailableError):
            Writer(database).commit(a_commit(1))
        assert Writer(database).commit(a_commit(1))


def test_a_store_without_its_tables_is_not_waited_for(database: Database) -> None:
    with database.writing() as connection:
        connection.execute(text("ALTER TABLE marks RENAME TO remarks"))
    with pytest.raises(UnstorableError):
        Writer(database).commit(a_commit(1))
    with database.writing() as connection:
        connection.execute(text("ALTER TABLE remarks RENAME TO marks"))


def test_an_error_tells_no_value(database: Database) -> None:
    def write() -> None:
        with database.writing() as connection:
            connection.execute(text("INSERT INTO meta VALUES (:name, :value)"), {"name": "hunter2", "value": None})

    with pytest.raises(UnstorableError) as caught:
        write()
    assert "hunter2" not in str(caught.value)


def test_what_a_block_wrote_is_gone_when_it_raises(database: Database) -> None:
    def write() -> None:
        with database.writing() as connection:
            connection.execute(text("INSERT INTO meta VALUES ('name', 'value')"))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        write()
    with database.reading() as connection:
        assert connection.scalar(text("SELECT count(*) FROM meta")) == 0


def test_a_disk_without_room_for_a_new_store_is_told_as_such(tmp_path: Path) -> None:
    opening = f"from proxy.store import open_database; open_database('sqlite:///{tmp_path}/store.db')"
    command = f'ulimit -f 0; {sys.executable} -c "{opening}"'
    done = subprocess.run(["/bin/sh", "-c", command], capture_output=True, text=True, check=False)
    assert f"StoreUnavailableError: {tmp_path}/store.db: OperationalError: disk I/O error" in done.stderr
