"""Chunk framing: where chunks, trailers and the whole body end, and which bytes are payload."""

from __future__ import annotations

import re

from proxy.framing.faults import Fault, FramingError
from proxy.framing.head import HEAD_LIMIT, LINE_LIMIT
from proxy.framing.lines import MAX_LENGTH, read_line
from proxy.framing.memo import Memo

_SIZE_LINE = re.compile(rb"([0-9A-Fa-f]{1,16})(?:;[\t\x20-\x7e\x80-\xff]{0,1024})?")
_PARTIAL_SIZE_LINE = re.compile(rb"(?:[0-9A-Fa-f]{1,16}(?:;[\t\x20-\x7e\x80-\xff]{0,1024})?\r?)?")
_LONGEST_SIZE_LINE = 16 + 1 + 1024
_LARGE = 4096
"""Bytes from which a view is cheaper than a copy."""

_NOT_IN_TRAILERS = frozenset({"host", "content-length", "transfer-encoding", "connection", "upgrade", "te"})


Reading = tuple[int, bytes | memoryview, bool]
"""How far one look at a body got: where the bytes end that are framed without doubt (what lies behind is needed again
with more), their payload, whether the body ends there. A plain tuple: it is made for each piece of each stream."""


class ChunkedBody:
    """Follows one chunked body over pieces of any size. Raises FramingError."""

    __slots__ = ("_left", "_open")

    def __init__(self) -> None:
        self._left = 0
        """Payload bytes the open chunk still lacks."""
        self._open = False
        """Inside a chunk, its CRLF included."""

    def read(self, buffer: bytes, at: int) -> Reading:
        """Frame `buffer` from `at` on."""
        payload: list[bytes | memoryview] = []
        last = False
        if self._open:
            at = self._take_payload(buffer, at, payload)
        while not self._open:
            at = _take_small_chunks(buffer, at, payload)
            if at == len(buffer):
                break
            line_end = buffer.find(b"\r\n", at, at + _LONGEST_SIZE_LINE + 2)
            if line_end < 0:
                _check_partial(buffer, at)
                break
            size = _sizes[buffer[at:line_end]]
            if size:
                self._left = size
                self._open = True
                at = self._take_payload(buffer, line_end + 2, payload)
            else:
                end = _trailers_end(buffer, line_end + 2)
                if end is not None:
                    at, last = end, True
                break
        return at, payload[0] if len(payload) == 1 else b"".join(payload), last

    def _take_payload(self, buffer: bytes, at: int, payload: list[bytes | memoryview]) -> int:
        """Take what is there of the open chunk, and its CRLF when that is there too."""
        if self._left:
            end = min(at + self._left, len(buffer))
            if end > at:
                payload.append(buffer[at:end] if end - at < _LARGE else memoryview(buffer)[at:end])
                self._left -= end - at
            at = end
        if not self._left and at < len(buffer):
            closing = buffer[at : at + 2]
            if closing == b"\r\n":
                self._open = False
                return at + 2
            if closing != b"\r":
                raise FramingError(Fault.CHUNK)
        return at


def _take_small_chunks(buffer: bytes, at: int, payload: list[bytes | memoryview]) -> int:
    """Take the chunks that are whole and small, as those of event streams are; where the first other one begins."""
    find, sizes, whole = buffer.find, _sizes, len(buffer)
    while at < whole:
        line_end = find(b"\r\n", at, at + _LONGEST_SIZE_LINE + 2)
        if line_end < 0:
            return at
        start = line_end + 2
        end = start + sizes[buffer[at:line_end]]
        if end - start >= _LARGE or end == start or buffer[end : end + 2] != b"\r\n":
            return at
        payload.append(buffer[start:end])
        at = end + 2
    return at


def _read_size(line: bytes) -> int:
    match = _SIZE_LINE.fullmatch(line)
    if match is None or (size := int(match[1], 16)) > MAX_LENGTH:
        raise FramingError(Fault.CHUNK)
    return size


_sizes = Memo(_read_size, longest=16)


def _check_partial(buffer: bytes, at: int) -> None:
    """Refuse at once what cannot become a line with a size."""
    if _PARTIAL_SIZE_LINE.fullmatch(buffer, at) is None:
        raise FramingError(Fault.CHUNK)


def _trailers_end(buffer: bytes, at: int) -> int | None:
    """Where the trailer section that begins at `at` ends, None when it is not all there."""
    if buffer.startswith(b"\r\n", at):
        return at + 2
    end = buffer.find(b"\r\n\r\n", at)
    if (len(buffer) if end < 0 else end) - at > HEAD_LIMIT:
        raise FramingError(Fault.TRAILER)
    if end < 0:
        return None
    lines = buffer[at:end].split(b"\r\n")
    if len(lines) > LINE_LIMIT or any(read_line(line).name in _NOT_IN_TRAILERS for line in lines):
        raise FramingError(Fault.TRAILER)
    return end + 4
