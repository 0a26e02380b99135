"""Chunk framing: where chunks, trailers and the whole body end, and which bytes are payload."""

from __future__ import annotations

import re
from typing import NamedTuple

from proxy.framing.faults import Fault, FramingError
from proxy.framing.head import HEAD_LIMIT, LINE_LIMIT
from proxy.framing.lines import MAX_LENGTH, read_line

_SIZE = re.compile(rb"([0-9A-Fa-f]{1,16})(?:;[\t\x20-\x7e\x80-\xff]{0,1024})?\r\n")
_PARTIAL_SIZE = re.compile(rb"(?:[0-9A-Fa-f]{1,16}(?:;[\t\x20-\x7e\x80-\xff]{0,1024})?\r?)?")
_LARGE = 4096
"""Bytes from which a view is cheaper than a copy."""

_NOT_IN_TRAILERS = frozenset({"host", "content-length", "transfer-encoding", "connection", "upgrade", "te"})


class Piece(NamedTuple):
    """How far one look at a body got."""

    end: int
    """Where the bytes that are framed without doubt end; what lies behind is needed again with more."""
    payload: bytes | memoryview
    last: bool


class ChunkedBody:
    """Follows one chunked body over pieces of any size. Raises FramingError."""

    __slots__ = ("_left", "_open")

    def __init__(self) -> None:
        self._left = 0
        """Payload bytes the open chunk still lacks."""
        self._open = False
        """Inside a chunk, its CRLF included."""

    def read(self, buffer: bytes, at: int) -> Piece:
        """Frame `buffer` from `at` on."""
        payload: list[bytes | memoryview] = []
        last = False
        while not last:
            if self._open:
                at = self._take_payload(buffer, at, payload)
                if self._open:
                    break
            match = _SIZE.match(buffer, at)
            if match is None:
                if _PARTIAL_SIZE.fullmatch(buffer, at) is None:
                    raise FramingError(Fault.CHUNK)
                break
            size = int(match[1], 16)
            if size:
                at = self._begin(size, match.end())
                continue
            end = _trailers_end(buffer, match.end())
            if end is None:
                break
            at, last = end, True
        return Piece(at, payload[0] if len(payload) == 1 else b"".join(payload), last)

    def _begin(self, size: int, at: int) -> int:
        if size > MAX_LENGTH:
            raise FramingError(Fault.CHUNK)
        self._left = size
        self._open = True
        return at

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
