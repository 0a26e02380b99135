"""Drafts migrations from `proxy.store.schema`.

python -m tests.support.draft_migration                what the migrations lack, as Alembic operations
python -m tests.support.draft_migration sqlite         the whole schema as SQL (`postgresql` likewise)

Until the first release a changed fact rewrites `0001_sqlite.sql` and `0001_postgresql.sql` with the second form;
from then on it is a migration of its own, begun with the first.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from alembic.autogenerate import produce_migrations, render_python_code
from alembic.runtime.migration import MigrationContext
from sqlalchemy import Connection, Dialect, create_engine
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.schema import CreateIndex, CreateTable

from proxy.store.database import open_database
from proxy.store.schema import METADATA

DIALECTS: dict[str, type[Dialect]] = {"sqlite": sqlite.dialect, "postgresql": postgresql.dialect}


def missing(connection: Connection) -> str:
    """Python code of the operations that would make the database what the schema says; empty when it is."""
    context = MigrationContext.configure(connection, opts={"include_name": _is_ours, "compare_type": True})
    upgrade = produce_migrations(context, METADATA).upgrade_ops
    assert upgrade is not None
    return "" if upgrade.is_empty() else render_python_code(upgrade)


def _is_ours(name: str | None, kind: str, _: object) -> bool:
    return not (kind == "table" and name == "alembic_version")


def whole_schema(dialect: Dialect) -> str:
    """Every table and index as SQL, parents first."""
    tables = METADATA.sorted_tables
    statements = [str(CreateTable(table).compile(dialect=dialect)) for table in tables]
    indexes = sorted((index for table in tables for index in table.indexes), key=lambda index: str(index.name))
    statements += [str(CreateIndex(index).compile(dialect=dialect)) for index in indexes]
    return "\n".join(_tidy(statement) for statement in statements)


def _tidy(statement: str) -> str:
    lines = (line.rstrip().replace("\t", "    ") for line in statement.splitlines())
    return "\n".join(line for line in lines if line) + ";\n"


def main() -> None:
    if sys.argv[1:]:
        print(whole_schema(DIALECTS[sys.argv[1]]()), end="")
        return
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "store.db"
        open_database(f"sqlite:///{file}").close()
        with create_engine(f"sqlite:///{file}").connect() as connection:
            print(missing(connection))


if __name__ == "__main__":
    main()
