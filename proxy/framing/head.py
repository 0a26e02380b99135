"""Request and response heads: from raw bytes to what decides where the message ends."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import Enum, auto
from typing import NamedTuple, final

from proxy.framing.faults import Fault, FramingError
from proxy.framing.lines import Line, Role, read_line
from proxy.framing.memo import Memo

HEAD_LIMIT = 64 * 1024
"""Bytes, the empty line included."""
LINE_LIMIT = 256
"""Header lines."""

NOT_HOP_BY_HOP = frozenset({"host", "content-length", "transfer-encoding", "trailer", "expect"})
"""Fields that frame or route a message: `Connection` must not name them, or the next hop would frame it otherwise."""


class Body(Enum):
    """What ends the body."""

    NONE = auto()
    LENGTH = auto()
    CHUNKED = auto()
    UNTIL_CLOSE = auto()


@final
class RequestHead(NamedTuple):
    """A request head that was checked; `raw` ends with the empty line."""

    raw: bytes
    method: bytes
    target: bytes
    minor: int
    """HTTP/1.`minor`."""
    raw_lines: Sequence[bytes]
    lines: Sequence[Line]
    special: Sequence[Line]
    """Those with a role."""
    named: tuple[str, ...]
    """What `Connection` names."""
    body: Body
    length: int
    keep_alive: bool
    """Whether the connection outlives this exchange, as far as this side says."""
    upgrade: bool
    """`Connection: upgrade` together with `Upgrade`."""
    websocket: bool
    """An upgrade that may be relayed: `GET`, no body, exactly `Upgrade: websocket`."""

    @property
    def last(self) -> bool:
        """No body follows."""
        return self.body is Body.NONE


@final
class ResponseHead(NamedTuple):
    """A response head that was checked."""

    raw: bytes
    status: int
    minor: int
    raw_lines: Sequence[bytes]
    lines: Sequence[Line]
    special: Sequence[Line]
    named: tuple[str, ...]
    body: Body
    length: int
    keep_alive: bool
    upgrade: bool
    websocket: bool
    """Switches to exactly `websocket`."""
    self_delimited: bool
    """Whether lines and status alone tell where it ends, the request's method put aside."""

    @property
    def last(self) -> bool:
        """No body follows."""
        return self.body is Body.NONE

    @property
    def interim(self) -> bool:
        """A 1xx that is not the answer yet."""
        return self.status < 200 and self.status != 101


class _Fields(NamedTuple):
    hosts: int
    length: int | None
    chunked: bool
    named: tuple[str, ...]
    protocols: tuple[str, ...]


class _RequestLine(NamedTuple):
    method: bytes
    target: bytes
    minor: int


class _StatusLine(NamedTuple):
    status: int
    minor: int


_REQUEST_LINE = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+) ([\x21-\x7e\x80-\xff]+) HTTP/1\.([01])")
_STATUS_LINE = re.compile(rb"HTTP/1\.([01]) ([1-9][0-9]{2})(?: [\t\x20-\x7e\x80-\xff]*)?")


def check_request_line(raw: bytes) -> _RequestLine:
    """Method, target and version. Raises FramingError (HTTP/0.9, HTTP/2, CONNECT, absolute and asterisk form)."""
    match = _REQUEST_LINE.fullmatch(raw)
    if match is None:
        raise FramingError(Fault.START_LINE)
    method, target, minor = match.groups()
    if not target.startswith(b"/") or method == b"CONNECT":
        raise FramingError(Fault.TARGET)
    return _RequestLine(method, target, int(minor))


def check_status_line(raw: bytes) -> _StatusLine:
    """Status and version. Raises FramingError."""
    match = _STATUS_LINE.fullmatch(raw)
    if match is None:
        raise FramingError(Fault.START_LINE)
    return _StatusLine(int(match[2]), int(match[1]))


_lines = Memo(read_line)
_request_lines = Memo(check_request_line)
_status_lines = Memo(check_status_line)
_BODILESS = frozenset({204, 304})


def read_request_head(raw: bytes) -> RequestHead:
    """Read a whole head, `raw` ending with the empty line. Raises FramingError."""
    start, *raw_lines = raw[:-4].split(b"\r\n")
    method, target, minor = _request_lines[start]
    lines = _read_lines(raw_lines)
    special = [line for line in lines if line.role]
    fields = _read_fields(special, minor)
    if fields.hosts != 1:
        raise FramingError(Fault.HOST)
    body = _declared_body(fields) or Body.NONE
    upgrade = bool(fields.protocols) and "upgrade" in fields.named
    websocket = upgrade and method == b"GET" and minor == 1 and body is Body.NONE and fields.protocols == ("websocket",)
    return RequestHead(
        raw, method, target, minor, raw_lines, lines, special, fields.named, body, fields.length or 0,
        _persists(fields.named, minor), upgrade, websocket,
    )  # fmt: skip


def read_response_head(raw: bytes, method: bytes) -> ResponseHead:
    """Read the head of the answer to a request of that method. Raises FramingError."""
    start, *raw_lines = raw[:-4].split(b"\r\n")
    status, minor = _status_lines[start]
    lines = _read_lines(raw_lines)
    special = [line for line in lines if line.role]
    fields = _read_fields(special, minor)
    bodiless = status < 200 or status in _BODILESS
    declared = _declared_body(fields)
    body = Body.NONE if bodiless or method == b"HEAD" else declared or Body.UNTIL_CLOSE
    upgrade = status == 101 and bool(fields.protocols) and "upgrade" in fields.named
    return ResponseHead(
        raw, status, minor, raw_lines, lines, special, fields.named, body, fields.length or 0,
        _persists(fields.named, minor) and body is not Body.UNTIL_CLOSE,
        upgrade, upgrade and fields.protocols == ("websocket",), bodiless or declared is not None,
    )  # fmt: skip


def _read_lines(raw_lines: Sequence[bytes]) -> list[Line]:
    if len(raw_lines) > LINE_LIMIT:
        raise FramingError(Fault.TOO_MANY_LINES)
    return list(map(_lines.__getitem__, raw_lines))


def _read_fields(special: Sequence[Line], minor: int) -> _Fields:
    """What the lines with a role say together. Raises FramingError when they contradict each other."""
    hosts = chunked = 0
    length: int | None = None
    named: tuple[str, ...] = ()
    protocols: tuple[str, ...] = ()
    for line in special:
        role = line.role
        if role is Role.HOST:
            hosts += 1
        elif role is Role.LENGTH:
            if length is not None:
                raise FramingError(Fault.LENGTH)
            length = line.length
        elif role is Role.CODING:
            chunked += 1
        elif role is Role.CONNECTION:
            named += line.tokens
        elif role is Role.UPGRADE:
            protocols += line.tokens
    if chunked:
        _check_coding(chunked, length, minor)
    if named and not NOT_HOP_BY_HOP.isdisjoint(named):
        raise FramingError(Fault.CONNECTION)
    return _Fields(hosts, length, bool(chunked), named, protocols)


def _check_coding(codings: int, length: int | None, minor: int) -> None:
    if codings > 1:
        raise FramingError(Fault.CODING)
    if length is not None:
        raise FramingError(Fault.LENGTH_AND_CODING)
    if minor == 0:
        raise FramingError(Fault.CODING_ON_1_0)


def _declared_body(fields: _Fields) -> Body | None:
    """What the lines say, None when they say nothing."""
    if fields.chunked:
        return Body.CHUNKED
    if fields.length is None:
        return None
    return Body.LENGTH if fields.length else Body.NONE


def _persists(named: tuple[str, ...], minor: int) -> bool:
    if minor == 0:
        return "keep-alive" in named and "close" not in named
    return "close" not in named
