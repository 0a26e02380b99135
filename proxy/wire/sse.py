"""Incremental server-sent events (WHATWG grammar): any split of the same bytes gives the same events.

Rules of this file:
- Lines end in CR, LF or CRLF, also when the CRLF is split; other Unicode line ends are text (U+2028).
- Only bytes are cut, so a character split between chunks is whole again (F07); bad UTF-8 is the reader's business.
- An event that the stream did not end with a blank line did not happen, for the client neither (F14).
- A line or event over the limit becomes one event with a fault, never memory.
"""

from __future__ import annotations

import re
from typing import NamedTuple

EVENT_LIMIT = 16 << 20
"""Bytes of one event, and of one line; a server tool's result or a summary stays far below."""

_END_OF_LINE = re.compile(rb"\r\n|\r|\n")
_BOM = b"\xef\xbb\xbf"


class SseEvent(NamedTuple):
    """One dispatched event."""

    name: str
    """The `event:` field; empty when the frame had none."""
    data: bytes
    """The `data:` lines joined by LF, as received."""
    fault: str = ""
    """Why `data` is empty although the frame had some."""


class SseDecoder:
    """Feed bytes, get the events that they complete."""

    def __init__(self, *, limit: int = EVENT_LIMIT) -> None:
        self._limit = limit
        self._line: list[bytes] = []
        self._line_size = 0
        self._line_too_long = False
        self._after_cr = False
        self._at_start = True
        self._name = b""
        self._data: list[bytes] = []
        self._data_size = 0
        self._fault = ""

    @property
    def inside_event(self) -> bool:
        """The bytes so far end inside an event or a line."""
        return bool(self._data or self._line_size or self._name or self._fault)

    def feed(self, data: bytes) -> list[SseEvent]:
        """Take the next bytes of the stream; returns the events they complete, in order."""
        if self._after_cr and data:
            self._after_cr = False
            data = data.removeprefix(b"\n")
        if not data:
            return []
        self._after_cr = data.endswith(b"\r")
        *complete, rest = _END_OF_LINE.split(data)
        events: list[SseEvent] = []
        for piece in complete:
            self._keep(piece)
            event = self._end_line()
            if event is not None:
                events.append(event)
        self._keep(rest)
        return events

    def _keep(self, piece: bytes) -> None:
        self._line_size += len(piece)
        if self._line_size > self._limit:
            self._line_too_long = True
            self._line.clear()
        elif piece:
            self._line.append(piece)

    def _end_line(self) -> SseEvent | None:
        line = b"".join(self._line)
        too_long = self._line_too_long
        self._line.clear()
        self._line_size, self._line_too_long = 0, False
        if self._at_start:
            self._at_start = False
            line = line.removeprefix(_BOM)
        if too_long:
            self._overflow()
        elif line:
            self._field(line)
        else:
            return self._dispatch()
        return None

    def _field(self, line: bytes) -> None:
        name, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if name == b"data":
            self._data_size += len(value) + 1
            if self._fault or self._data_size > self._limit:
                self._overflow()
            else:
                self._data.append(value)
        elif name == b"event":
            self._name = value
        # Comments (empty name), `id`, `retry` and unknown fields say nothing about the message.

    def _overflow(self) -> None:
        self._data.clear()
        self._fault = f"event over {self._limit} bytes"

    def _dispatch(self) -> SseEvent | None:
        name = self._name.decode("utf-8", "replace")
        data = b"\n".join(self._data)
        has_data, fault = bool(self._data), self._fault
        self._data.clear()
        self._name, self._data_size, self._fault = b"", 0, ""
        return SseEvent(name, data, fault) if has_data or fault else None
