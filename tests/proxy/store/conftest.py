from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import Engine, create_engine, delete

from proxy.store import Database, Writer, open_database
from proxy.store.schema import METADATA
from tests.support.postgres import find_postgres, new_database, running_postgres
from tests.support.store import an_empty_store


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    programs = find_postgres()
    if programs is None:
        pytest.skip("PostgreSQL: no initdb on this machine")
    with running_postgres(programs) as server:
        yield server


@pytest.fixture(params=["sqlite", "postgresql"])
def dialect(request: pytest.FixtureRequest) -> str:
    """Every test that asks for a store runs on both databases."""
    name: str = request.param
    return name


@pytest.fixture
def fresh_url(request: pytest.FixtureRequest, dialect: str, tmp_path: Path) -> str:
    """A store that does not exist yet."""
    if dialect == "sqlite":
        return f"sqlite:///{tmp_path}/data/store.db"
    return new_database(request.getfixturevalue("postgres"))


@pytest.fixture(scope="session")
def migrated_database(postgres: str) -> Iterator[Engine]:
    url = new_database(postgres)
    open_database(url).close()
    engine = create_engine(url.replace("postgresql:", "postgresql+psycopg:"))
    yield engine
    engine.dispose()


@pytest.fixture
def url(request: pytest.FixtureRequest, dialect: str, tmp_path: Path) -> str:
    """An empty store of this version: copied or emptied, because migrating takes longer than most tests."""
    if dialect == "postgresql":
        engine: Engine = request.getfixturevalue("migrated_database")
        with engine.begin() as connection:
            for table in reversed(METADATA.sorted_tables):  # quicker than TRUNCATE, which makes new files
                connection.execute(delete(table))
        return engine.url.render_as_string()
    return an_empty_store(tmp_path / "data" / "store.db")


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
