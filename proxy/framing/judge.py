"""llhttp reads the same head beside us: where two readings differ, somebody could be made to see another message."""

from __future__ import annotations

from typing import Any

import httptools

from proxy.framing.faults import Fault, FramingError
from proxy.framing.head import RequestHead, ResponseHead

_STAND_IN = b"POST"
_KNOWN = frozenset(
    {b"GET", b"HEAD", b"POST", b"PUT", b"DELETE", b"OPTIONS", b"TRACE", b"PATCH", b"COPY", b"LOCK", b"MKCOL", b"MOVE"}
)
"""Methods that llhttp is asked to name. Any token is a method here, but llhttp refuses those it has not heard of:
for them it reads the head with a stand-in, which frames alike."""


class Judge:
    """One reader of heads; also the callback object httptools asks for, hence the public attributes."""

    def __init__(self) -> None:
        self._fields: dict[bytes, bytes] = {}
        self._parser: Any = None
        self._keep_alive: bool | None = None
        self.on_header = self._fields.__setitem__

    def on_headers_complete(self) -> None:
        """Only here does llhttp still know what the head said: a message without body resets it."""
        self._keep_alive = self._parser.should_keep_alive()

    def check_request(self, head: RequestHead) -> None:
        """Raises FramingError unless both read the same method, lines (length, coding), keep-alive and upgrade."""
        known = head.method in _KNOWN
        parser = httptools.HttpRequestParser(self)
        self._read(parser, head.raw if known else _STAND_IN + head.raw[len(head.method) :])
        if (
            parser.get_method() != (head.method if known else _STAND_IN)
            or self._keep_alive is not head.keep_alive
            or parser.should_upgrade() is not head.upgrade
            or self._fields != dict([line.field for line in head.lines])
        ):
            raise FramingError(Fault.JUDGES)

    def check_response(self, head: ResponseHead) -> None:
        """Raises FramingError unless both read the same status, lines (length, coding), keep-alive and upgrade."""
        parser = httptools.HttpResponseParser(self)
        self._read(parser, head.raw)
        # llhttp does not know that it was a HEAD: it judges what the head itself says.
        alone = head.keep_alive if head.self_delimited else False
        if (
            parser.get_status_code() != head.status
            or self._keep_alive is not alone
            or parser.should_upgrade() is not head.upgrade
            or self._fields != dict([line.field for line in head.lines])
        ):
            raise FramingError(Fault.JUDGES)

    def _read(self, parser: httptools.HttpRequestParser | httptools.HttpResponseParser, raw: bytes) -> None:
        self._fields.clear()
        self._keep_alive = None
        self._parser = parser
        try:
            parser.feed_data(raw)
        except httptools.HttpParserUpgrade:
            pass  # its way of saying that the head is over
        except httptools.HttpParserError:
            raise FramingError(Fault.JUDGES) from None
        finally:
            self._parser = None
