from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from proxy.store import Database, Writer, open_database
from tests.support.postgres import find_postgres, new_database, running_postgres


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    programs = find_postgres()
    if programs is None:
        pytest.skip("PostgreSQL: no initdb on this machine")
    with running_postgres(programs) as server:
        yield server


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A store that does not exist yet; every test that asks for it runs on both databases."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/data/store.db"
    return new_database(request.getfixturevalue("postgres"))


@pytest.fixture
def database(url: str) -> Iterator[Database]:
    with open_database(url) as opened:
        yield opened


@pytest.fixture
def writer(database: Database) -> Writer:
    return Writer(database)


@pytest.fixture
def sqlite_file(tmp_path: Path) -> Path:
    return tmp_path / "data" / "store.db"


@pytest.fixture
def sqlite_database(sqlite_file: Path) -> Iterator[Database]:
    with open_database(f"sqlite:///{sqlite_file}") as opened:
        yield opened
