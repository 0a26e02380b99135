"""Where messages begin and end in the bytes of one direction of one connection.

`receive(bytes)` gives the first event they complete, `next_event()` the further ones, None when more bytes are needed.
Only bytes that are framed without doubt come out; a damaged message raises FramingError and ends the framer's use.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, NamedTuple, final

from proxy.framing.chunked import ChunkedBody
from proxy.framing.faults import Fault, FramingError
from proxy.framing.head import (
    HEAD_LIMIT,
    Body,
    RequestHead,
    ResponseHead,
    check_request_line,
    check_status_line,
    read_request_head,
    read_response_head,
)
from proxy.framing.judge import Judge

_new = tuple.__new__
"""A NamedTuple's own constructor is a Python function, and events are built for each piece."""
_END = b"\r\n\r\n"
_LARGE = 4096
"""Bytes from which a view is cheaper than a copy."""
_LONE = re.compile(rb"\r[^\n]|(?<!\r)\n")
"""A CR without LF or a LF without CR."""
_BY_LENGTH, _BY_CHUNKS = Body.LENGTH, Body.CHUNKED
_METHOD = re.compile(rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+")


@final
class Data(NamedTuple):
    """Bytes of a body."""

    raw: bytes | memoryview
    """As received, framing included."""
    payload: bytes | memoryview
    """What of it is content: no chunk framing, no trailers."""
    last: bool
    """The message ends with it."""


class Framer[H: (RequestHead, ResponseHead)](ABC):
    """One direction of a connection."""

    def __init__(self) -> None:
        self._judge = Judge()
        self._buffer: bytes = b""
        self._at = 0
        self._searched = 0
        """Bytes behind `_at` that were searched for the end of a head."""
        self._step: Callable[[Framer[Any]], Any] = Framer._read_head
        self._left = 0
        self._chunks = ChunkedBody()

    def receive(self, data: bytes) -> H | Data | None:
        """Take bytes as they arrived; the first event they complete. Raises FramingError."""
        self._buffer = self._buffer[self._at :] + data if self._at < len(self._buffer) else data
        self._at = 0
        event: H | Data | None = self._step(self)
        return event

    def next_event(self) -> H | Data | None:
        """The next event, None when more bytes are needed. Raises FramingError."""
        if self._at >= len(self._buffer):
            return None
        event: H | Data | None = self._step(self)
        return event

    def hold(self, data: bytes) -> None:
        """Take bytes that `next_event` shall look at later."""
        self._buffer = self._buffer[self._at :] + data
        self._at = 0

    @property
    def held(self) -> int:
        """Bytes taken that did not come out yet."""
        return len(self._buffer) - self._at

    def take_rest(self) -> bytes:
        """Give up framing: everything that did not come out yet."""
        rest = self._buffer[self._at :]
        self._buffer = b""
        self._at = 0
        return rest

    def eof(self) -> Data | None:
        """The other side is done: the end of a body that lasts until then, else None."""
        if self._step is not Framer._read_until_close:
            return None
        self._step = Framer._read_head
        return Data(b"", b"", last=True)

    @abstractmethod
    def _parse(self, raw: bytes) -> H:
        """Read and judge a whole head."""

    @abstractmethod
    def _check_start(self, raw: bytes, *, whole: bool) -> None:
        """Raises FramingError when a start line can be seen to be wrong, `whole` or its first bytes."""

    def _read_head(self) -> H | None:
        buffer, at = self._buffer, self._at
        end = buffer.find(_END, at + self._searched)
        if end < 0:
            self._check_partial(buffer, at)
            return None
        end += 4
        if end - at > HEAD_LIMIT:
            raise FramingError(Fault.HEAD_TOO_LARGE)
        head = self._parse(buffer if end - at == len(buffer) else buffer[at:end])
        self._at = end
        self._searched = 0
        if head.body is _BY_LENGTH:
            self._left = head.length
            self._step = Framer._read_length
        elif not head.last:
            self._step = Framer._read_chunked if head.body is _BY_CHUNKS else Framer._read_until_close
        return head

    def _check_partial(self, buffer: bytes, at: int) -> None:
        """Refuse at once what cannot become a head, so that nobody waits for the rest of it."""
        if len(buffer) - at > HEAD_LIMIT:
            raise FramingError(Fault.HEAD_TOO_LARGE)
        line_end = buffer.find(b"\r\n", at)
        self._check_start(buffer[at : line_end if line_end >= 0 else None], whole=line_end >= 0)
        if _LONE.search(buffer, at + max(self._searched - 1, 0)):
            raise FramingError(Fault.LINE_ENDING)
        self._searched = max(len(buffer) - at - 3, 0)

    def _read_length(self) -> Data:
        end = self._at + self._left
        last = end <= len(self._buffer)
        raw = self._take(end if last else len(self._buffer))
        if last:
            self._step = Framer._read_head
        else:
            self._left -= len(raw)
        return _new(Data, (raw, raw, last))

    def _read_chunked(self) -> Data | None:
        end, payload, last = self._chunks.read(self._buffer, self._at)
        if last:
            self._step = Framer._read_head
        elif end == self._at:
            return None
        return _new(Data, (self._take(end), payload, last))

    def _read_until_close(self) -> Data:
        raw = self._take(len(self._buffer))
        return _new(Data, (raw, raw, False))

    def _take(self, end: int) -> bytes | memoryview:
        buffer, at = self._buffer, self._at
        self._at = end
        if end == len(buffer):
            self._buffer = b""
            self._at = 0
            if at == 0:
                return buffer
        return buffer[at:end] if end - at < _LARGE else memoryview(buffer)[at:end]


class RequestFramer(Framer[RequestHead]):
    """What a client sends."""

    def _parse(self, raw: bytes) -> RequestHead:
        head = read_request_head(raw)
        self._judge.check_request(head)
        return head

    def _check_start(self, raw: bytes, *, whole: bool) -> None:
        if whole:
            check_request_line(raw)
        elif raw and _METHOD.match(raw) is None:
            raise FramingError(Fault.START_LINE)


class ResponseFramer(Framer[ResponseHead]):
    """What an upstream sends; `method` is that of the request it answers."""

    method = b""

    def _parse(self, raw: bytes) -> ResponseHead:
        head = read_response_head(raw, self.method)
        self._judge.check_response(head)
        return head

    def _check_start(self, raw: bytes, *, whole: bool) -> None:
        if whole:
            check_status_line(raw)
        elif not raw.startswith(b"HTTP/1."[: len(raw)]):
            raise FramingError(Fault.START_LINE)
