"""One process of ours: started by this supervisor, or left running by an earlier one.

Children live in a session of their own: a Ctrl-C at the terminal and the death of the supervisor do not reach them.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO, NamedTuple

from proxy.model.errors import GateError

ROOT = Path(__file__).resolve().parent.parent.parent
READY_TIMEOUT_S = 30.0
HELD_BACK = frozenset({signal.SIGUSR1})
"""Signals that would end a process that has not begun to listen to them."""


class ChildStartError(GateError):
    """A process of ours ended before it was ready; it has said why on stderr, or in its log."""

    def __init__(self, name: str, code: int, said: str = "") -> None:
        super().__init__(f"the {name} did not start: {said or f'its exit code was {code}, its reason stands above'}")
        self.exit_code = code if code in (65, 73, 78) else GateError.exit_code


class Identity(NamedTuple):
    """A process beyond doubt: its number may be used again, its start cannot."""

    pid: int
    started: int
    """Clock ticks after boot."""

    def is_alive(self) -> bool:
        """Still the same process, and no zombie."""
        return identity_of(self.pid) == self


def identity_of(pid: int) -> Identity | None:
    """The process that has this number now; None when there is none."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text("ascii", "replace").rpartition(")")[2].split()
    except OSError:
        return None
    return None if fields[0] in "ZX" else Identity(pid, int(fields[19]))


class Child:
    """A running process that can be told to end, and waited for."""

    def __init__(
        self, name: str, identity: Identity, process: subprocess.Popen[bytes] | None, log: Path | None = None
    ) -> None:
        self.name = name
        self.log = log
        self.identity = identity
        self._process = process
        self._pidfd = os.pidfd_open(identity.pid)

    @classmethod
    def start(
        cls, name: str, spec: Path, *, pass_fds: Sequence[int] = (), extra: Sequence[str] = (), log: Path | None = None
    ) -> Child:
        """Start `compaction-gate _NAME --spec SPEC`, its log lines to our stderr or into a file."""
        command = [sys.executable, "-P", "-m", "gate", f"_{name}", "--spec", str(spec), *extra]
        search = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
        with contextlib.ExitStack() as stack:
            signal.pthread_sigmask(signal.SIG_BLOCK, HELD_BACK)  # inherited; a child lets them in once it listens
            stack.callback(signal.pthread_sigmask, signal.SIG_UNBLOCK, HELD_BACK)
            stderr = stack.enter_context(_appending(log)) if log else None
            process = subprocess.Popen(  # noqa: S603  our own program
                command,
                env=os.environ | {"PYTHONPATH": search},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=stderr,
                pass_fds=pass_fds,
                start_new_session=True,
            )
        identity = identity_of(process.pid) or Identity(process.pid, 0)
        return cls(name, identity, process, log)

    async def ended(self) -> int | None:
        """Wait for its end; its exit code, None for a process that was not ours to wait for."""
        loop = asyncio.get_running_loop()
        gone = asyncio.Event()
        loop.add_reader(self._pidfd, gone.set)
        try:
            await gone.wait()
        finally:
            loop.remove_reader(self._pidfd)
        return self._process.wait() if self._process else None

    def send(self, number: signal.Signals) -> None:
        """Send a signal; a process that has ended already does not mind."""
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._pidfd, number)

    def close(self) -> None:
        """Forget it; it goes on."""
        os.close(self._pidfd)


async def first_line(reading: int, child: Child) -> str:
    """The line by which a child says that it is ready, from the reading end of a pipe.

    Raises:
        ChildStartError: it ended, or said nothing in time.
    """
    with os.fdopen(reading, encoding="utf-8") as pipe:
        try:
            async with asyncio.timeout(READY_TIMEOUT_S):
                line = await asyncio.to_thread(pipe.readline)
        except TimeoutError:
            child.send(signal.SIGKILL)
            line = ""
    if not line:
        code = await child.ended() or 0
        raise ChildStartError(child.name, code, _last_line(child.log) if child.log else "")
    return line


def _appending(log: Path) -> BinaryIO:
    """The file's end; nobody else may read it."""
    return os.fdopen(os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "ab")


def _last_line(log: Path) -> str:
    lines = log.read_text("utf-8", "replace").splitlines()
    return lines[-1] if lines else ""
