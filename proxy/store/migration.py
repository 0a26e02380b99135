"""Brings a store to this version's schema. Alembic is only loaded when there is something to do."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import Connection, inspect, text

from proxy.model.errors import InputError, NewerVersionError
from proxy.store.schema import REVISION

MIGRATIONS = Path(__file__).parent / "migrations"
LOCK_KEY = 0x636F6D70  # any constant: two processes opening a new PostgreSQL store wait for each other


def known_revisions() -> tuple[str, ...]:
    """Revisions this version can read, oldest first."""
    return tuple(sorted(file.stem[1:5] for file in (MIGRATIONS / "versions").glob("r*.py")))


def stored_revision(connection: Connection, *, source: str) -> str | None:
    """The store's revision; None in an empty database.

    Raises:
        NewerVersionError: not one of ours, so a newer version wrote it.
        InputError: a database of something else.
    """
    tables = set(inspect(connection).get_table_names())
    if "alembic_version" not in tables:
        if tables:
            raise InputError(
                source, "", f"tables of another program ({min(tables)}, …)", "a store or an empty database"
            )
        return None
    found: str | None = connection.scalar(text("SELECT version_num FROM alembic_version"))
    if found is not None and found not in known_revisions():
        raise NewerVersionError(
            source, "schema", f"revision {found}", f"revision {REVISION} or older; update compaction-gate"
        )
    return found


def migrate(connection: Connection, *, source: str) -> None:
    """Run the missing migrations inside the caller's transaction; a no-op when another process was faster.

    Raises:
        NewerVersionError, InputError: as `stored_revision`.
    """
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": LOCK_KEY})
    if stored_revision(connection, source=source) == REVISION:
        return
    from alembic import command  # noqa: PLC0415 - half of the start-up time of every command, needed once per version
    from alembic.config import Config  # noqa: PLC0415

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    config.attributes["connection"] = connection
    command.upgrade(config, REVISION)
