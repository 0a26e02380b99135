"""Children that end with the bench, however it ends."""

from __future__ import annotations

import ctypes
import signal
import socket
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

START_S = 60.0
STOP_S = 20.0
_PR_SET_PDEATHSIG = 1


class CannotStartError(Exception):
    """A program is missing or does not come up; `str()` says what to do."""


@contextmanager
def running(command: Sequence[str], log: Path, *, env: dict[str, str] | None = None) -> Iterator[subprocess.Popen[str]]:
    """A child for as long as the block runs; what it says on stderr goes into a file."""
    with log.open("ab") as errors:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            env=env,
            preexec_fn=_end_with_parent,  # noqa: PLW1509  the bench has no threads
        )
    try:
        yield process
    finally:
        stop(process)


def stop(process: subprocess.Popen[str]) -> None:
    """Ask it to end, make it end after a while."""
    process.terminate()
    try:
        process.wait(STOP_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    if process.stdout is not None:
        process.stdout.close()


def free_port() -> int:
    """A port nobody listens on now, for programs that cannot choose one themselves."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port: int = probe.getsockname()[1]
        return port


def wait_until_listening(port: int, process: subprocess.Popen[str], log: Path) -> None:
    """Return once the child accepts there. Raises CannotStartError, at once when it has ended."""
    until = time.monotonic() + START_S
    while time.monotonic() < until and process.poll() is None:
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1.0):
            return
        time.sleep(0.02)
    raise CannotStartError(f"{process.args!r} does not accept at port {port}: {last_line(log)}")


def last_line(log: Path) -> str:
    """The last thing a child said."""
    said = log.read_text(errors="replace").strip().splitlines() if log.exists() else []
    return said[-1][:200] if said else "it said nothing"


def _end_with_parent() -> None:
    """Also when the bench is killed and cannot clean up: the kernel then ends its children."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
