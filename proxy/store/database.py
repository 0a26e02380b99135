"""Opens a store: one SQLite file in WAL, or a PostgreSQL database. The only place that maps SQLAlchemy's errors."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any, Self

from sqlalchemy import Connection, Engine, create_engine, event, exc, make_url
from sqlalchemy.engine import URL

from proxy.model.errors import CannotWriteError, GateError, InputError
from proxy.store.errors import StoreUnavailableError, UnstorableError
from proxy.store.migration import migrate, stored_revision
from proxy.store.schema import REVISION

BUSY_TIMEOUT_MS = 10_000
NEW_FILE_PRAGMAS = (
    "PRAGMA auto_vacuum = INCREMENTAL",  # before the first table: lets pruning give space back without a second copy
    "PRAGMA journal_mode = WAL",
)
CONNECTION_PRAGMAS = (
    f"PRAGMA busy_timeout = {BUSY_TIMEOUT_MS}",
    "PRAGMA synchronous = NORMAL",  # a crash of the machine may lose the last commits; figures, not traffic
    "PRAGMA foreign_keys = ON",
    "PRAGMA secure_delete = ON",  # what is forgotten is overwritten
)
DRIVERS = {"sqlite": "sqlite", "postgresql": "postgresql+psycopg", "postgresql+psycopg": "postgresql+psycopg"}
TRANSACTIONS: dict[str, tuple[dict[str, Any], dict[str, Any], dict[str, Any]]] = {
    "sqlite": ({"begin": "BEGIN"}, {"begin": "BEGIN IMMEDIATE"}, {"begin": ""}),
    "postgresql": ({"isolation_level": "REPEATABLE READ"}, {}, {"isolation_level": "AUTOCOMMIT"}),
}
"""How a dialect reads, writes and maintains."""
SQLITE_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


class Database:
    """An open store of this version. Transactions of `writing` are serialised by SQLite, by row in PostgreSQL."""

    def __init__(self, engine: Engine, file: Path | None) -> None:
        self._engine = engine
        self.dialect = engine.dialect.name
        self.file = file
        """The SQLite file; None for PostgreSQL."""
        self.name = str(file or engine.url.render_as_string(hide_password=True))
        """For messages."""
        self._reading, self._writing, self._maintaining = (
            engine.execution_options(**options) for options in TRANSACTIONS[self.dialect]
        )

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """One consistent snapshot."""
        with _mapped_errors(self.name), self._reading.connect() as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """One transaction: committed when the block ends, rolled back when it raises.

        Raises:
            StoreUnavailableError: nothing was written, a retry may work.
            UnstorableError: nothing was written, a retry would fail again.
        """
        with _mapped_errors(self.name), self._writing.begin() as connection:
            yield connection

    @contextmanager
    def maintaining(self) -> Iterator[Connection]:
        """Outside any transaction: VACUUM, checkpoints."""
        with _mapped_errors(self.name), self._maintaining.connect() as connection:
            yield connection

    def close(self) -> None:
        """Close every connection; SQLite then folds its WAL into the file."""
        self._engine.dispose()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def open_database(url: str, *, create: bool = True) -> Database:
    """Open the store at `sqlite:///FILE` or `postgresql://…`, brought to this version's schema.

    Args:
        url: Without password; PostgreSQL passwords come from PGPASSFILE.
        create: Whether a missing SQLite file is made (mode 0600, its folder 0700).

    Raises:
        NewerVersionError: written by a newer version; untouched.
        InputError: not a store, or a damaged one.
        CannotWriteError: no such file or server, or not permitted.
    """
    target = _checked(url)
    file = Path(target.database) if target.drivername == "sqlite" and target.database else None
    if file is not None:
        _prepare_file(file, create=create)
    engine = create_engine(target, hide_parameters=True, connect_args={"check_same_thread": False} if file else {})
    if file is not None:
        event.listen(engine, "connect", _set_pragmas)
        event.listen(engine, "begin", _begin)
    database = Database(engine, file)
    try:
        _bring_up(database)
    except GateError:
        database.close()
        raise
    return database


def _bring_up(database: Database) -> None:
    with database.reading() as connection:
        found = stored_revision(connection, source=database.name)
    if found != REVISION:
        with database.writing() as connection:
            migrate(connection, source=database.name)


def _checked(url: str) -> URL:
    try:
        target = make_url(url)
    except exc.ArgumentError:
        raise InputError("store url", "", "no URL", "sqlite:///FILE or postgresql://HOST/NAME") from None
    driver = DRIVERS.get(target.drivername)
    if driver is None:
        raise InputError("store url", "", target.drivername, " or ".join(DRIVERS))
    if target.password is not None:
        raise InputError("store url", "", "a password", "none: PostgreSQL reads it from PGPASSFILE")
    if driver == "sqlite" and not target.database:
        raise InputError("store url", "", "no file name", "sqlite:///FILE")
    return target.set(drivername=driver)


def _prepare_file(file: Path, *, create: bool) -> None:
    if file.exists():
        return
    if not create:
        raise InputError(str(file), "", "no file", "a store")
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with _mapped_errors(str(file)):
            _make_file(file)
    except OSError as error:
        raise CannotWriteError(f"{file}: {error.strerror}") from error


def _make_file(file: Path) -> None:
    """Give an empty database its name once it is in WAL: switching fails while anybody else has it open."""
    draft = file.with_name(f".{file.name}.{os.getpid()}.{threading.get_ident()}")
    os.close(os.open(draft, os.O_RDWR | os.O_CREAT, 0o600))  # SQLite gives -wal and -shm the mode of the file
    try:
        with closing(sqlite3.connect(draft, isolation_level=None)) as connection:
            for pragma in NEW_FILE_PRAGMAS:
                connection.execute(pragma)
        with suppress(FileExistsError):  # another process was faster; its file is as good
            file.hardlink_to(draft)
    finally:
        draft.unlink()


def _set_pragmas(connection: sqlite3.Connection, _: object) -> None:
    connection.isolation_level = None  # transactions are begun below, by name
    for pragma in CONNECTION_PRAGMAS:
        connection.execute(pragma)


def _begin(connection: Connection) -> None:
    if statement := connection.get_execution_options()["begin"]:
        connection.exec_driver_sql(statement)


@contextmanager
def _mapped_errors(name: str) -> Iterator[None]:
    """Our errors for theirs; the originals are dropped, since PostgreSQL quotes values in them."""
    try:
        yield
    except (exc.SQLAlchemyError, sqlite3.Error) as error:
        raise _mapped(error, name) from None
    except OverflowError:
        raise UnstorableError(f"{name}: an integer beyond 64 bits") from None


def _mapped(error: exc.SQLAlchemyError | sqlite3.Error, name: str) -> GateError:
    original: Any = getattr(error, "orig", None) or error
    kind = type(original).__name__
    sqlite_code = getattr(original, "sqlite_errorcode", None)
    if sqlite_code in SQLITE_DAMAGED:
        return InputError(name, "", str(original), "a SQLite store")
    if _is_of_the_values(error, sqlite_code):
        diagnosis = getattr(original, "diag", None)
        constraint = getattr(diagnosis, "constraint_name", None) or getattr(original, "sqlite_errorname", "")
        return UnstorableError(f"{name}: {kind} {constraint}".rstrip())
    reason = (
        str(original).partition("\n")[0] if isinstance(error, exc.OperationalError | sqlite3.OperationalError) else ""
    )
    return StoreUnavailableError(f"{name}: {kind}: {reason}".rstrip(": "))


def _is_of_the_values(error: exc.SQLAlchemyError | sqlite3.Error, sqlite_code: int | None) -> bool:
    """Whether the same statement would fail again, however well the database is."""
    if getattr(error, "connection_invalidated", False):
        return False
    if (
        sqlite_code == sqlite3.SQLITE_ERROR
    ):  # what the statement itself is blamed for: too many variables, no such table
        return True
    return isinstance(error, exc.DataError | exc.IntegrityError | exc.ProgrammingError | exc.InterfaceError)
