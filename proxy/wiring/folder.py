"""The data folder: what stands where, and who may use it."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

from proxy.model.errors import CannotWriteError

MODE = 0o700
"""Live journal segments hold raw bodies."""


class DataFolder:
    """Names of everything in one data folder. Making one touches nothing."""

    def __init__(self, path: Path) -> None:
        self.path = path.absolute()
        self.lock = self.path / "lock"
        """Held by the supervisor of a `serve` or `wrap`."""
        self.users = self.path / "users"
        """Shared by every `wrap` that uses the relay; who gets it alone may end the relay."""
        self.running = self.path / "running.json"
        self.journal = self.path / "journal"
        self.page = self.path / "relay.page"
        self.observer = self.path / "observer.json"
        self.attempts = self.path / "observer.attempts"
        self.counters = self.path / "counters.json"
        self.label_values = self.path / "label_values.json"
        self.export = self.path / "export.json"
        self.export_lock = self.path / "export.lock"
        self.vocabulary = self.path / "vocabulary"
        self.run_tags = self.path / "run_tags"
        self.authority = self.path / "intercept"
        """The intercept door's certificate authority."""

    def spec(self, process: str) -> Path:
        """What that child process is told."""
        return self.path / f"{process}.spec.json"

    def prepare(self) -> None:
        """Make the folder, for this user alone. One that is there keeps its mode: what we put into it is private.

        Raises:
            CannotWriteError: it cannot be made or written.
        """
        try:
            self.path.mkdir(mode=MODE, parents=True, exist_ok=True)
        except OSError as error:
            raise CannotWriteError(f"data folder {self.path}: {_reason(error)}") from None
        if not os.access(self.path, os.W_OK | os.X_OK):
            raise CannotWriteError(f"data folder {self.path}: permission denied")

    def is_open_to_others(self) -> bool:
        """Whether other users may at least list it."""
        return bool(self.path.stat().st_mode & 0o077)

    def take(self) -> Lock | None:
        """The folder's lock; None when another process has it."""
        return take_lock(self.lock)


class Lock:
    """A lock on a file that ends with this process, whatever becomes of it."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def take_alone(self) -> bool:
        """Turn a shared lock into one of our own; False when others share it."""
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def close(self) -> None:
        """Give it back."""
        os.close(self._descriptor)


def take_lock(path: Path, *, shared: bool = False) -> Lock | None:
    """Lock a file; None when that cannot be had just now.

    Raises:
        CannotWriteError: the file cannot be made.
    """
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise CannotWriteError(f"{path}: {_reason(error)}") from None
    try:
        fcntl.flock(descriptor, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        return None
    return Lock(descriptor)


def write_private(path: Path, text: str) -> None:
    """Replace a file at once, readable by this user alone. Raises CannotWriteError."""
    draft = path.with_name(f"{path.name}.{os.getpid()}.draft")
    try:
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as out:
            out.write(text)
        draft.replace(path)
    except OSError as error:
        raise CannotWriteError(f"{path}: {_reason(error)}") from None


def _reason(error: OSError) -> str:
    return (error.strerror or type(error).__name__).lower()
