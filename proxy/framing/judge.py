"""llhttp reads the same head beside us: where two readings differ, somebody could be made to see another message.

It is not asked what it found in the head, it is put to the test: a body framed as we read the head must end for it
exactly where it ends for us. Zero bytes stand in for the body; llhttp counts them without looking at them.
"""

from __future__ import annotations

from mmap import MAP_ANONYMOUS, MAP_PRIVATE, PROT_READ, mmap
from typing import Any

import httptools

from proxy.framing.faults import Fault, FramingError
from proxy.framing.head import Body, RequestHead, ResponseHead
from proxy.framing.lines import Role

_STAND_IN = b"POST"
_KNOWN = frozenset(
    {b"GET", b"HEAD", b"POST", b"PUT", b"DELETE", b"OPTIONS", b"TRACE", b"PATCH", b"COPY", b"LOCK", b"MKCOL", b"MOVE"}
)
"""Methods that llhttp is asked to name. Any token is a method here, but llhttp refuses those it has not heard of:
for them it reads the head with a stand-in, which frames alike."""

_ZEROS = memoryview(mmap(-1, 64 << 20, prot=PROT_READ, flags=MAP_PRIVATE | MAP_ANONYMOUS))
"""Addresses only: nobody reads them, so no memory stands behind."""


_NO_BODY, _BY_LENGTH, _BY_CHUNKS, _BY_CLOSE = Body.NONE, Body.LENGTH, Body.CHUNKED, Body.UNTIL_CLOSE


class Judge:
    """One reader of heads, and the object httptools calls back, hence the public methods."""

    def __init__(self) -> None:
        self._parser: Any = None
        self._keep_alive: bool | None = None
        self._ends = 0
        self._chunks = 0

    def on_headers_complete(self) -> None:
        """Only here does llhttp still know what the head said about the connection."""
        self._keep_alive = self._parser.should_keep_alive()

    def on_chunk_header(self) -> None:
        """A chunk began: the body is read as chunked."""
        self._chunks += 1

    def on_message_complete(self) -> None:
        """A message ended."""
        self._ends += 1

    def check_request(self, head: RequestHead) -> None:
        """Raises FramingError unless both read the same method, length, coding, keep-alive and upgrade."""
        method, raw = head.method, head.raw
        if method not in _KNOWN:
            raw = _STAND_IN + raw[len(method) :]
            method = _STAND_IN
        if head.upgrade and not head.websocket:
            raw = _without_upgrade(raw, head)
        parser = httptools.HttpRequestParser(self)
        if (
            not self._agrees(parser, raw, head.body, head.length)
            or parser.get_method() != method
            or self._keep_alive is not head.keep_alive
            or parser.should_upgrade() is not head.websocket
        ):
            raise FramingError(Fault.JUDGES)

    def check_response(self, head: ResponseHead) -> None:
        """Raises FramingError unless both read the same status, length, coding, keep-alive and upgrade."""
        parser = httptools.HttpResponseParser(self)
        if (
            not self._agrees(parser, head.raw, head.framed, head.length)
            or parser.get_status_code() != head.status
            or self._keep_alive is not (head.keep_alive and head.framed is not _BY_CLOSE)
            or parser.should_upgrade() is not head.upgrade
            or (head.framed is _BY_CLOSE and not self._reads_until_close(head))
        ):
            raise FramingError(Fault.JUDGES)

    def _reads_until_close(self, head: ResponseHead) -> bool:
        """No probe is long enough to show that a body has no length. llhttp says so when nothing else ends the talk."""
        raw = head.raw.replace(b"HTTP/1.0", b"HTTP/1.1", 1)
        for line in head.special:
            if line.role is Role.CONNECTION:
                raw = raw.replace(b"\r\n%s\r\n" % line.raw, b"\r\n", 1)
        agrees = self._agrees(httptools.HttpResponseParser(self), raw, _BY_CLOSE, 0)
        return agrees and self._keep_alive is False

    def _agrees(self, parser: Any, raw: bytes, body: Body, length: int) -> bool:  # noqa: ANN401 either parser
        """Whether a message with this head and body ends for llhttp where it ends for us."""
        self._keep_alive = None
        self._ends = self._chunks = 0
        self._parser = parser
        try:
            return self._ends_alike(parser, raw, body, length)
        except httptools.HttpParserUpgrade:  # its way of saying that the head is over
            return body is _NO_BODY and self._ends == 1
        except httptools.HttpParserError:
            return False
        finally:
            self._parser = None

    def _ends_alike(self, parser: Any, raw: bytes, body: Body, length: int) -> bool:  # noqa: ANN401 either parser
        parser.feed_data(raw)
        if body is _NO_BODY:
            return self._ends == 1
        if body is _BY_CLOSE:
            parser.feed_data(b"0\r\n\r\n")
            return self._ends == 0 and self._chunks == 0
        if body is _BY_LENGTH:
            while length > len(_ZEROS):
                parser.feed_data(_ZEROS)
                length -= len(_ZEROS)
            if length > 1:
                parser.feed_data(_ZEROS[: length - 1])
            last = b"0"
        else:
            parser.feed_data(b"0\r\n\r")
            last = b"\n"
        if self._ends > 0:
            return False
        parser.feed_data(last)
        return self._ends == 1 and (self._chunks > 0) is (body is _BY_CHUNKS)


def _without_upgrade(raw: bytes, head: RequestHead) -> bytes:
    """The head as it is passed on: an upgrade that is not relayed is not asked for either."""
    for line in head.special:
        if line.role is Role.UPGRADE:
            raw = raw.replace(b"\r\n%s\r\n" % line.raw, b"\r\n", 1)
    return raw
