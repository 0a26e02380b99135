"""What may be wrong with the framing of a message."""

from __future__ import annotations

from enum import StrEnum


class Fault(StrEnum):
    """One reason to refuse a message. The values are the words a client is told."""

    START_LINE = "the start line is not one of HTTP/1.0 or HTTP/1.1"
    TARGET = "the request target must be in origin form"
    LINE_ENDING = "lines must end in CRLF"
    HEADER_LINE = "a header line is malformed"
    HEAD_TOO_LARGE = "the head is larger than 64 KiB"
    TOO_MANY_LINES = "the head has more than 256 lines"
    HOST = "there must be exactly one Host"
    LENGTH = "Content-Length is malformed or given twice"
    CODING = "the only transfer coding understood is chunked"
    LENGTH_AND_CODING = "Content-Length and Transfer-Encoding exclude each other"
    CODING_ON_1_0 = "HTTP/1.0 has no transfer codings"
    CONNECTION = "Connection names a field that is not its own"
    CHUNK = "chunk framing is malformed"
    TRAILER = "the trailer section is malformed"
    UPGRADE = "nobody asked for this switch of protocols"
    JUDGES = "two readings of the head differ"

    @property
    def is_size(self) -> bool:
        """Whether the head is only too big, not wrong."""
        return self in {Fault.HEAD_TOO_LARGE, Fault.TOO_MANY_LINES}


class FramingError(Exception):
    """A message cannot be framed without doubt; nothing more of its connection can be trusted."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.value)
        self.fault = fault
