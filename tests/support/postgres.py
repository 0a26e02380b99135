"""A PostgreSQL server of the test run's own, on loopback and in a scratch folder."""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import psycopg

NAMES = count(1)
SETTINGS = ("fsync=off", "synchronous_commit=off", "full_page_writes=off", "max_connections=40")


def find_postgres() -> Path | None:
    """Folder with `initdb` and `pg_ctl`; None when the machine has none."""
    on_path = shutil.which("initdb")
    folders = [*sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)]
    folders += [Path(on_path).resolve().parent] if on_path else []
    return next((folder for folder in folders if (folder / "initdb").exists() and (folder / "pg_ctl").exists()), None)


@contextmanager
def running_postgres(programs: Path) -> Iterator[str]:
    """Start a server; gives its URL without a database name. PostgreSQL refuses to run as root."""
    user = _ordinary_user()
    with tempfile.TemporaryDirectory(prefix="postgres-") as name:
        folder = Path(name)
        if user is not None:
            os.chown(folder, user, -1)
        port = _free_port()
        options = f"-p {port} -c listen_addresses=127.0.0.1 -k {folder} " + " ".join(f"-c {it}" for it in SETTINGS)
        control: list[Path | str] = [programs / "pg_ctl", "-D", folder / "data", "-l", folder / "log", "-w"]
        initialise: list[Path | str] = [
            "-D",
            folder / "data",
            "-U",
            "store",
            "-A",
            "trust",
            "-E",
            "UTF8",
            "--locale=C",
            "--no-sync",
        ]
        _run([programs / "initdb", *initialise], user)
        _run([*control, "-o", options, "start"], user)
        try:
            yield f"postgresql://store@127.0.0.1:{port}"
        finally:
            _run([*control, "-m", "immediate", "stop"], user)


def new_database(server: str) -> str:
    """URL of a new, empty database."""
    name = f"store_{next(NAMES)}"
    with psycopg.connect(f"{server}/postgres", autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    return f"{server}/{name}"


def _run(command: list[Path | str], user: int | None) -> None:
    subprocess.run(
        command, user=user, check=True, cwd="/", stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, timeout=60
    )


def _ordinary_user() -> int | None:
    if os.geteuid() != 0:
        return None
    known = {entry.pw_name: entry.pw_uid for entry in pwd.getpwall()}
    return next(known[name] for name in ("postgres", "nobody") if name in known)


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port
