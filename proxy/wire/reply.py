"""ReplyReader: feed the body's bytes as recorded, close, get a Reply. Dialects differ only in the assembler.

Whether the body is a stream is told by its first byte, not by a header: providers leave the content type out or
answer JSON to a streaming request (F05, F18).
"""

from __future__ import annotations

from enum import Enum, auto

from proxy.model.exchange import Headers
from proxy.model.messages import Reply
from proxy.wire.content import DECODED_LIMIT, ContentDecoder, content_encodings, decode_body
from proxy.wire.dialect import ReplyAssembler
from proxy.wire.json_values import INVALID_UTF8, BadJsonError, Json, read_json, whole_items
from proxy.wire.sse import SseDecoder, SseEvent

_BLANK = b" \t\r\n\xef\xbb\xbf"
"""White space and the bytes of a byte order mark: they tell nothing."""
_SSE_START = frozenset(b"edir:")
"""First bytes of `event`, `data`, `id`, `retry` and of a comment; a JSON object or array starts with none of them."""

_UNREADABLE = object()


class _Shape(Enum):
    UNKNOWN = auto()
    STREAM = auto()
    DOCUMENT = auto()


class ReplyReader:
    """Reads one response body, whole or in pieces; every split of the same bytes gives the same Reply."""

    def __init__(self, assembler: ReplyAssembler, headers: Headers, *, limit: int = DECODED_LIMIT) -> None:
        self._assembler = assembler
        self._headers = headers
        self._limit = limit
        self._content = ContentDecoder((), limit=limit)
        self._encoded: list[bytes] | None = [] if content_encodings(headers) else None
        self._sse = SseDecoder()
        self._shape = _Shape.UNKNOWN
        self._document: list[bytes] = []
        self._events = 0
        self._reply: Reply | None = None

    def feed(self, data: bytes) -> None:
        """Take the next body bytes, transfer-decoded and content-encoded as the provider sent them."""
        if self._encoded is not None:
            # Decoded at the end: how far a damaged encoding can be read would depend on how its bytes were cut.
            self._encoded.append(data)
        elif kept := self._content.feed(data):
            self._take(kept)

    def close(self) -> Reply:
        """The body is over, complete or not. The same Reply is returned however often it is asked for."""
        if self._reply is None:
            fault = self._end_content()
            if fault:
                self._assembler.faults.add(fault)
            if self._shape is _Shape.STREAM:
                self._end_stream()
            elif self._document or not fault:
                self._end_document()
            self._reply = self._assembler.reply()
        return self._reply

    def _end_content(self) -> str:
        if self._encoded is None:
            return self._content.fault
        body, fault = decode_body(b"".join(self._encoded), self._headers, limit=self._limit)
        if body:
            self._take(body)
        return fault

    def _take(self, decoded: bytes) -> None:
        if self._shape is _Shape.STREAM:
            self._events_of(decoded)
            return
        self._document.append(decoded)
        if self._shape is _Shape.UNKNOWN:
            self._shape = _shape_of(decoded)
            if self._shape is _Shape.STREAM:
                self._events_of(b"".join(self._document))
                self._document.clear()

    def _events_of(self, decoded: bytes) -> None:
        for event in self._sse.feed(decoded):
            self._events += 1
            self._event(event)

    def _event(self, event: SseEvent) -> None:
        place = f"event {self._events}"
        if event.fault:
            self._assembler.faults.add(f"{place}: {event.fault}")
            return
        if event.data == b"[DONE]":  # some gateways end every stream as OpenAI does
            return
        payload = self._parse(place, event.data)
        if payload is not _UNREADABLE:
            self._assembler.event(self._events, event.name, payload)

    def _end_stream(self) -> None:
        if self._sse.inside_event:
            self._assembler.faults.add("stream ends inside an event")

    def _end_document(self) -> None:
        body = b"".join(self._document)
        payload = self._parse("body", body)
        if payload is _UNREADABLE:  # a stream may be one array, and may break off
            payload = whole_items(body) or _UNREADABLE
        if payload is not _UNREADABLE:
            self._assembler.document(payload)

    def _parse(self, place: str, data: bytes) -> Json:
        try:
            return read_json(data)
        except BadJsonError as error:
            self._assembler.faults.add(f"{place}: {error}")
            if error.reason != INVALID_UTF8:
                return _UNREADABLE
        # What a client that replaces bad bytes would have seen; the counts of the message are still good.
        return self._parse(place, data.decode("utf-8", "replace").encode())


def _shape_of(piece: bytes) -> _Shape:
    start = piece.lstrip(_BLANK)
    if not start:
        return _Shape.UNKNOWN
    return _Shape.STREAM if start[0] in _SSE_START else _Shape.DOCUMENT
