"""A reader's view of one writer's folder: which segments there are, and the record that begins at a place.

Files are read, never mapped: a file that shrinks under a reader must not kill it. Nothing here trusts a length or a
number before the CRC has vouched for it.
"""

from __future__ import annotations

import fcntl
import os
from pathlib import Path
from typing import NamedTuple

from proxy.journal.layout import (
    FIRST_RECORD,
    GENERATION,
    GENERATION_AT,
    RECORD_HEAD_SIZE,
    SEGMENT_HEADER_SIZE,
    VERSION,
    RecordHead,
    SegmentHeader,
    decode_record_head,
    decode_segment_header,
    is_intact,
    segment_version,
    writer_seed,
)
from proxy.journal.segments import LOCK, SUFFIX, segment_path
from proxy.model.errors import NewerVersionError

_WINDOW = 64 * 1024


class Record(NamedTuple):
    """One intact record."""

    head: RecordHead
    payload: memoryview
    payload_at: int
    """Bytes from the start of the segment's file."""

    @property
    def size(self) -> int:
        """Bytes of head and payload."""
        return RECORD_HEAD_SIZE + len(self.payload)


class SegmentFile:
    """One segment, open for reading."""

    __slots__ = ("_fd", "_seed", "_window", "_window_at", "header", "number", "size")

    def __init__(self, fd: int, number: int, header: SegmentHeader) -> None:
        self.number = number
        self.header = header
        self.size = os.fstat(fd).st_size
        self._fd = fd
        self._seed = writer_seed(header.writer)
        self._window = b""
        self._window_at = 0

    def record_at(self, at: int, number: int) -> Record | None:
        """Record of that number that begins there; None when it does not, or not yet."""
        head = self._head_at(at)
        if head is None or head.generation != self.header.generation or head.number != number:
            return None
        return self._intact(at, head)

    def is_torn_at(self, at: int, number: int) -> bool:
        """Does the head of that record stand there, whatever became of the rest?"""
        head = self._head_at(at)
        return head is not None and (head.generation, head.number) == (self.header.generation, number)

    def next_intact(self, at: int, numbers: range) -> tuple[int, int] | None:
        """Place and number of the first intact record at or after `at` whose number is among these."""
        rest = os.pread(self._fd, self.size - at, at) if at < self.size else b""
        pattern = GENERATION.pack(self.header.generation)
        hit = rest.find(pattern)
        while hit >= 0:
            begin = at + hit - GENERATION_AT
            head = self._head_at(begin) if begin >= at else None
            if head is not None and head.number in numbers and self._intact(begin, head) is not None:
                return begin, head.number
            hit = rest.find(pattern, hit + 1)
        return None

    def read(self, at: int, length: int) -> bytes:
        """Bytes of the file as they are."""
        return os.pread(self._fd, length, at)

    def refresh(self) -> None:
        """Forget what was read ahead: the writer may have written since."""
        self._window = b""

    def close(self) -> None:
        """Give the file back."""
        os.close(self._fd)

    def _head_at(self, at: int) -> RecordHead | None:
        start = self._load(at, RECORD_HEAD_SIZE)
        return None if start is None else decode_record_head(self._window, start)

    def _intact(self, at: int, head: RecordHead) -> Record | None:
        length = sum(head.parts)
        whole = RECORD_HEAD_SIZE + length
        if at + whole > self.size:
            return None
        start = self._load(at, whole)
        if start is None or not is_intact(self._window, start, length, self._seed):
            return None
        payload = memoryview(self._window)[start + RECORD_HEAD_SIZE : start + whole]
        return Record(head, payload, at + RECORD_HEAD_SIZE)

    def _load(self, at: int, length: int) -> int | None:
        """Have that range in the window; where it starts there, or None when the file is shorter."""
        if not self._window_at <= at <= at + length <= self._window_at + len(self._window):
            self._window = os.pread(self._fd, max(length, _WINDOW), at)
            self._window_at = at
        return at - self._window_at if at + length <= self._window_at + len(self._window) else None


def open_segment(folder: Path, number: int) -> SegmentFile | None:
    """Open a segment; None when it is gone or its header is damaged. Raises NewerVersionError."""
    path = segment_path(folder, number)
    try:
        fd = os.open(path, os.O_RDONLY)
    except FileNotFoundError:
        return None
    raw = os.pread(fd, SEGMENT_HEADER_SIZE, 0)
    version = segment_version(raw)
    if version is not None and version > VERSION:
        os.close(fd)
        raise NewerVersionError(str(path), "segment header", f"version {version}", f"version {VERSION} or older")
    header = decode_segment_header(raw) if version == VERSION else None
    if header is None or header.writer.hex() != folder.name or header.segment != number:
        os.close(fd)
        return None
    return SegmentFile(fd, number, header)


def list_segments(folder: Path) -> list[int]:
    """Numbers of the segments that are there, in order; none when the folder is gone."""
    try:
        paths = list(folder.iterdir())
    except FileNotFoundError:
        return []
    return sorted(int(path.stem) for path in paths if path.suffix == SUFFIX and path.stem.isdecimal())


def is_dead(folder: Path) -> bool:
    """Has the writer of that folder ended? Its lock can be shared then; while it lives it holds it alone."""
    try:
        lock = os.open(folder / LOCK, os.O_RDONLY)
    except FileNotFoundError:
        return True
    try:
        fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    finally:
        os.close(lock)
    return True


def wipe(folder: Path, number: int, begin: int, end: int | None) -> None:
    """Overwrite records of a segment with zeros, to its end when `end` is None; its header stays."""
    try:
        fd = os.open(segment_path(folder, number), os.O_WRONLY)
    except FileNotFoundError:
        return
    try:
        stop = os.fstat(fd).st_size if end is None else end
        at = max(begin, FIRST_RECORD)
        while at < stop:
            at += os.pwrite(fd, bytes(min(stop - at, 1 << 20)), at)
    finally:
        os.close(fd)
