"""Request and response heads: from raw bytes to what decides where the message ends."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import Enum, auto
from typing import NamedTuple, final

from proxy.framing.faults import Fault, FramingError
from proxy.framing.lines import Line, Role, read_special_line
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
    lines: Sequence[bytes]
    special: Sequence[Line]
    """Those that somebody must look at."""
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
    last: bool
    """No body follows."""


@final
class ResponseHead(NamedTuple):
    """A response head that was checked."""

    raw: bytes
    status: int
    minor: int
    lines: Sequence[bytes]
    special: Sequence[Line]
    named: tuple[str, ...]
    body: Body
    length: int
    keep_alive: bool
    upgrade: bool
    websocket: bool
    """Switches to exactly `websocket`."""
    framed: Body
    """What would end the body if this were not perhaps the answer to a HEAD."""
    last: bool
    """No body follows."""


_Fields = tuple[int, Body | None, int, bool, tuple[str, ...], tuple[str, ...]]
"""Number of `Host` lines; what is said about a body, None for nothing; its length; whether the connection persists;
what `Connection` names; what `Upgrade` names. A plain tuple: it is made for each head."""


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


# An attribute of an enum is looked up each time; these stand on the path of every head.
_HOST, _LENGTH, _CODING, _CONNECTION, _UPGRADE = Role.HOST, Role.LENGTH, Role.CODING, Role.CONNECTION, Role.UPGRADE
_NO_BODY, _BY_LENGTH, _BY_CHUNKS, _BY_CLOSE = Body.NONE, Body.LENGTH, Body.CHUNKED, Body.UNTIL_CLOSE

_new = tuple.__new__
"""A NamedTuple's own constructor is a Python function, and these are built for each head."""
_special_line = Memo(read_special_line).__getitem__
_request_lines = Memo(check_request_line)
_status_lines = Memo(check_status_line)
_BODILESS = frozenset({204, 304})
_WEBSOCKET = ("websocket",)


def read_request_head(raw: bytes) -> RequestHead:
    """Read a whole head, `raw` ending with the empty line. Raises FramingError."""
    lines = raw[:-4].split(b"\r\n")
    method, target, minor = _request_lines[lines.pop(0)]
    if len(lines) > LINE_LIMIT:
        raise FramingError(Fault.TOO_MANY_LINES)
    special = list(filter(None, map(_special_line, lines)))
    hosts, declared, length, persists, named, protocols = _read_fields(special, minor)
    if hosts != 1:
        raise FramingError(Fault.HOST)
    body = declared or _NO_BODY
    upgrade = bool(protocols) and "upgrade" in named
    websocket = upgrade and _may_switch(method, minor, body, protocols)
    last = body is _NO_BODY
    return _new(
        RequestHead,
        (raw, method, target, minor, lines, special, named, body, length, persists, upgrade, websocket, last),
    )


def read_response_head(raw: bytes, method: bytes) -> ResponseHead:
    """Read the head of the answer to a request of that method. Raises FramingError."""
    lines = raw[:-4].split(b"\r\n")
    status, minor = _status_lines[lines.pop(0)]
    if len(lines) > LINE_LIMIT:
        raise FramingError(Fault.TOO_MANY_LINES)
    special = list(filter(None, map(_special_line, lines)))
    _, declared, length, persists, named, protocols = _read_fields(special, minor)
    framed = _NO_BODY if status < 200 or status in _BODILESS else declared or _BY_CLOSE
    body = _NO_BODY if method == b"HEAD" else framed
    upgrade = status == 101 and bool(protocols) and "upgrade" in named
    websocket = upgrade and protocols == _WEBSOCKET
    persists = persists and body is not _BY_CLOSE
    last = body is _NO_BODY
    return _new(
        ResponseHead,
        (raw, status, minor, lines, special, named, body, length, persists, upgrade, websocket, framed, last),
    )


def _may_switch(method: bytes, minor: int, body: Body, protocols: tuple[str, ...]) -> bool:
    return method == b"GET" and minor == 1 and body is _NO_BODY and protocols == _WEBSOCKET


def _read_fields(special: Sequence[Line], minor: int) -> _Fields:
    """What the lines with a role say together. Raises FramingError when they contradict each other."""
    hosts = codings = lengths = length = 0
    named: tuple[str, ...] = ()
    protocols: tuple[str, ...] = ()
    for line in special:
        role = line.role
        if role is _HOST:
            hosts += 1
        elif role is _LENGTH:
            lengths += 1
            length = line.length
        elif role is _CODING:
            codings += 1
        elif role is _CONNECTION:
            named += line.tokens
        elif role is _UPGRADE:
            protocols += line.tokens
    if codings or lengths > 1:
        _check_body(codings, lengths, minor)
    body = _BY_CHUNKS if codings else _BY_LENGTH if length else _NO_BODY if lengths else None
    return hosts, body, length, _persists(named, minor) if named else minor == 1, named, protocols


def _check_body(codings: int, lengths: int, minor: int) -> None:
    if lengths > 1:
        raise FramingError(Fault.LENGTH)
    if codings > 1:
        raise FramingError(Fault.CODING)
    if lengths:
        raise FramingError(Fault.LENGTH_AND_CODING)
    if minor == 0:
        raise FramingError(Fault.CODING_ON_1_0)


def _persists(named: tuple[str, ...], minor: int) -> bool:
    if not NOT_HOP_BY_HOP.isdisjoint(named):
        raise FramingError(Fault.CONNECTION)
    return "close" not in named and (minor == 1 or "keep-alive" in named)
