"""A writer's folder: preallocated segment files, recycled once the reader has consumed them.

    <writer>/lock            flock'ed while the writer lives
    <writer>/NNNNNNNN.seg    segments, counted from 1
    <writer>/consumed        written by the reader: everything before that mark is done with

A folder appears under its name with its lock taken and a segment with its header written, so a reader never sees
either half made.
"""

from __future__ import annotations

import errno
import fcntl
import os
import secrets
from pathlib import Path

from proxy.journal.layout import FIRST_RECORD, Buffer, Mark, SegmentHeader, parse_mark, writer_seed
from proxy.journal.limits import Clock, JournalLimits, LossReason
from proxy.model.errors import CannotWriteError

CONSUMED = "consumed"
LOCK = "lock"
SUFFIX = ".seg"

_REASONS = {errno.ENOSPC: LossReason.NO_SPACE, errno.EDQUOT: LossReason.NO_SPACE}


class RefusedError(Exception):
    """The disk, or a bound of ours, did not let a write happen."""

    def __init__(self, reason: LossReason) -> None:
        super().__init__(reason)
        self.reason = reason


def refusal(error: OSError) -> RefusedError:
    """What an error of the disk is counted as."""
    return RefusedError(_REASONS.get(error.errno or 0, LossReason.IO_ERROR))


def segment_path(folder: Path, segment: int) -> Path:
    """Where that segment of a writer is."""
    return folder / f"{segment:08d}{SUFFIX}"


def read_consumed(folder: Path) -> Mark | None:
    """The mark up to which the reader is done with a writer's folder; None when it has not said so."""
    try:
        return parse_mark((folder / CONSUMED).read_text("ascii"))
    except (OSError, ValueError):
        return None


class Segment:
    """One preallocated file, written from front to back by nobody else."""

    __slots__ = ("fd", "generation", "offset", "size")

    def __init__(self, fd: int, generation: int, size: int) -> None:
        self.fd = fd
        self.generation = generation
        self.offset = FIRST_RECORD
        self.size = size

    def has_room(self, size: int) -> bool:
        """Does that much still fit?"""
        return self.offset + size <= self.size

    def write(self, buffers: list[Buffer], size: int) -> None:
        """Hand all of it to the kernel in one call. Raises RefusedError; after that the segment takes nothing more."""
        try:
            written = os.pwritev(self.fd, buffers, self.offset)
        except OSError as error:
            raise refusal(error) from error
        if written != size:  # POSIX: a regular file takes less than it is given when it runs out of room
            raise RefusedError(LossReason.NO_SPACE)
        self.offset += size

    def close(self) -> None:
        """Give the file back."""
        os.close(self.fd)


class SegmentFolder:
    """The folder of one writer, locked for its life."""

    def __init__(self, journal: Path, limits: JournalLimits, clock: Clock) -> None:
        """Make and lock a folder under a new id. Raises CannotWriteError."""
        self.writer = secrets.token_bytes(16)
        self.seed = writer_seed(self.writer)
        self.path = journal / self.writer.hex()
        self.recycled = 0
        self._limits = limits
        self._clock = clock
        self._boot = _boot_id()
        self._started_us = clock.time_ns() // 1000
        self._generation = secrets.randbits(31)
        self._last = 0
        self._sizes: dict[int, int] = {}
        try:
            self._lock = _make_locked(self.path)
        except OSError as error:
            raise CannotWriteError(f"{journal}: cannot write the journal: {error.strerror}") from error

    def free_bytes(self) -> int:
        """Bytes that an ordinary user may still take from the file system. Raises RefusedError."""
        try:
            status = os.statvfs(self.path)
        except OSError as error:
            raise refusal(error) from error
        return status.f_bavail * status.f_frsize

    def begin_segment(self, *, first_number: int, oldest_open: int, room: int) -> Segment:
        """Make or recycle the next segment, with at least `room` bytes for records. Raises RefusedError."""
        number = self._last + 1
        limits = self._limits
        grown = min(limits.first_segment_bytes << min(self._last, 32), limits.segment_bytes)
        size = max(grown, FIRST_RECORD + room)
        self._generation = (self._generation + 1) & 0xFFFFFFFF
        header = SegmentHeader(
            writer=self.writer,
            boot=self._boot,
            generation=self._generation,
            segment=number,
            first_number=first_number,
            oldest_open=oldest_open,
            started_us=self._started_us,
            created_us=self._clock.time_ns() // 1000,
            created_mono_ns=self._clock.monotonic_ns(),
        )
        segment = self._recycle(header, size) or self._create(header, size)
        self._last = number
        self._sizes[number] = segment.size
        return segment

    def close(self) -> None:
        """Let the lock go: from now on the writer counts as dead."""
        os.close(self._lock)

    def _recycle(self, header: SegmentHeader, size: int) -> Segment | None:
        """Give a consumed file its next life, the newest one first: the kernel most likely still has it in memory."""
        consumed = read_consumed(self.path)
        done = [number for number in self._sizes if consumed is not None and number < consumed.segment]
        for number in reversed(done):
            old_size = self._sizes.pop(number)
            if old_size >= size and (fd := self._rename(number, header)) is not None:
                self.recycled += 1
                return Segment(fd, header.generation, old_size)
        return None

    def _rename(self, number: int, header: SegmentHeader) -> int | None:
        """Write the header of its next life, then give it that name; None when the reader has removed the file."""
        path = segment_path(self.path, number)
        try:
            fd = os.open(path, os.O_WRONLY)
        except OSError:
            return None
        try:
            os.pwrite(fd, header.encode(), 0)
            path.rename(segment_path(self.path, header.segment))
        except OSError:
            os.close(fd)
            return None
        return fd

    def _create(self, header: SegmentHeader, size: int) -> Segment:
        if sum(self._sizes.values()) + size > self._limits.journal_cap_bytes:
            raise RefusedError(LossReason.JOURNAL_FULL)
        if self.free_bytes() - size < self._limits.free_floor_bytes:
            raise RefusedError(LossReason.DISK_FLOOR)
        path = segment_path(self.path, header.segment)
        draft = path.with_suffix(".new")
        try:
            fd = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        except OSError as error:
            raise refusal(error) from error
        try:
            os.posix_fallocate(fd, 0, size)
            os.pwrite(fd, header.encode(), 0)
            draft.rename(path)
        except OSError as error:
            os.close(fd)
            draft.unlink(missing_ok=True)
            raise refusal(error) from error
        return Segment(fd, header.generation, size)


def _boot_id() -> bytes:
    try:
        return bytes.fromhex(Path("/proc/sys/kernel/random/boot_id").read_text("ascii").strip().replace("-", ""))
    except (OSError, ValueError):
        return bytes(16)


def _make_locked(path: Path) -> int:
    """Make the folder with its lock taken, then give it its name. Raises OSError."""
    draft = path.with_name(f".{path.name}")
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    draft.mkdir(mode=0o700)
    lock = os.open(draft / LOCK, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        draft.rename(path)
    except OSError:
        os.close(lock)
        raise
    return lock
