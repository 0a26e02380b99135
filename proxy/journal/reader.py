"""Follows every writer of a journal: what has ended since the last look, without ever waiting.

Live observers poll and release; offline tools poll once and never release, so that they change nothing. The same
folder and marks give the same exchanges in the same order.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from pathlib import Path

from proxy.journal.assembly import AssemblyCounters
from proxy.journal.follower import Follower, Gap
from proxy.journal.layout import Mark
from proxy.journal.sockets import Sockets, kept_whole
from proxy.model.errors import CannotWriteError
from proxy.model.exchange import Exchange

_NAME_LENGTH = 32


@dataclass(slots=True)
class ReaderCounters(AssemblyCounters):
    """Totals over all writers since the reader was made, removed ones among them."""

    torn: int = 0
    """Records of which only the head is there."""
    gaps: int = 0
    missing_records: int = 0


class JournalReader:
    """All writers under one folder, oldest first."""

    def __init__(
        self,
        folder: Path,
        *,
        marks: Mapping[str, Mark] | None = None,
        exclusive: bool = False,
        sockets: Sockets = kept_whole,
    ) -> None:
        """Read from where the last `release` stood.

        Args:
            folder: The journal.
            marks: Where to start instead, by writer.
            exclusive: Take the folder's reader lock, which an observer holds for its life.
            sockets: Splits what was said on upgraded connections into calls; without it they stay whole.

        Raises:
            CannotWriteError: Another reader has the lock.
        """
        self._folder = folder
        self._sockets = sockets
        self._marks = dict(marks or {})
        self._followers: dict[str, Follower] = {}
        self._past = ReaderCounters()
        self._lock = _lock(folder) if exclusive else None

    def poll(self) -> Iterator[Exchange]:
        """Exchanges, and calls on open sockets, that have ended since the last poll: per writer in the order of ends.

        After each one `mark(writer)` is the place to start from once it is committed. Raises NewerVersionError.
        """
        self._discover()
        for follower in sorted(self._followers.values(), key=lambda it: (it.started_us(), it.writer)):
            yield from follower.exchanges()

    def mark(self, writer: str) -> Mark:
        """Low-water mark of a writer: first record of its oldest open exchange, or its next record."""
        return self._followers[writer].mark

    def marks(self) -> dict[str, Mark]:
        """Low-water marks of all writers that are there."""
        return {writer: follower.mark for writer, follower in self._followers.items()}

    def release(self, writer: str, mark: Mark, *, wipe: bool = False) -> None:
        """Say that everything before the mark is done with: its segments are recycled, and zeroed first with `wipe`.

        A dead writer's folder goes with its last record; call it after every poll, also when the mark stands still.
        """
        follower = self._followers.get(writer)
        if follower is not None:
            follower.release(mark, zero=wipe)

    def gaps(self) -> list[Gap]:
        """Missing records of the writers that are there, with their places."""
        return [gap for follower in self._followers.values() for gap in follower.damage.gaps]

    @property
    def counters(self) -> ReaderCounters:
        """What was read, given out and not given out."""
        total = _sum(self._past, ReaderCounters())
        for follower in self._followers.values():
            total = _sum(total, _counted(follower))
        return total

    def close(self) -> None:
        """Give files and lock back."""
        for follower in self._followers.values():
            follower.close()
        self._followers.clear()
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def _discover(self) -> None:
        names = {path.name for path in self._folder.iterdir()} if self._folder.is_dir() else set()
        for writer in sorted(name for name in names if _is_writer(name) and name not in self._followers):
            self._followers[writer] = Follower(self._folder / writer, self._marks.get(writer), self._sockets)
        for writer in [writer for writer in self._followers if writer not in names]:
            follower = self._followers.pop(writer)
            follower.close()
            self._past = _sum(self._past, _counted(follower))


def _is_writer(name: str) -> bool:
    return len(name) == _NAME_LENGTH and all(digit in "0123456789abcdef" for digit in name)


def _counted(follower: Follower) -> ReaderCounters:
    gaps = follower.damage.gaps
    read = {one.name: getattr(follower.counters, one.name) for one in fields(AssemblyCounters)}
    missing = sum(gap.before.number - gap.after.number for gap in gaps)
    return ReaderCounters(**read, torn=follower.damage.torn, gaps=len(gaps), missing_records=missing)


def _sum(one: ReaderCounters, other: ReaderCounters) -> ReaderCounters:
    return ReaderCounters(**{it.name: getattr(one, it.name) + getattr(other, it.name) for it in fields(ReaderCounters)})


READER_LOCK = "reader.lock"


def reader_of(folder: Path) -> int | None:
    """Process number of the exclusive reader of that journal; None when there is none now."""
    try:
        lock = os.open(folder / READER_LOCK, os.O_RDONLY)
    except OSError:
        return None
    try:
        fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        owner = os.read(lock, 20).strip()
        return int(owner) if owner.isdigit() else None
    finally:
        os.close(lock)
    return None


def _lock(folder: Path) -> int:
    path = folder / READER_LOCK
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise CannotWriteError(f"{path}: {error.strerror}") from error
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        owner = os.read(lock, 20).decode("ascii", "replace").strip() or "unknown"
        os.close(lock)
        raise CannotWriteError(f"{path}: another observer reads this journal (process {owner})") from error
    os.ftruncate(lock, 0)
    os.write(lock, b"%d\n" % os.getpid())
    return lock
