"""Header lines: what one line says, and whether somebody on the way must look at it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum, auto

from proxy.framing.faults import Fault, FramingError

MAX_LENGTH = 2**40
"""Bytes. Larger numbers are refused: no body is that long, and no two implementations need agree on them."""


class Role(Enum):
    """Why somebody must look at a line; all others just travel."""

    HOST = auto()
    LENGTH = auto()
    CODING = auto()
    CONNECTION = auto()
    UPGRADE = auto()
    TE = auto()
    HOP = auto()
    """`Keep-Alive` and `Proxy-*`: meant for the next hop only."""
    ORIGIN = auto()
    OURS = auto()
    """`x-compaction-*`: meant for us only."""


_ROLES = {
    "host": Role.HOST,
    "content-length": Role.LENGTH,
    "transfer-encoding": Role.CODING,
    "connection": Role.CONNECTION,
    "upgrade": Role.UPGRADE,
    "te": Role.TE,
    "keep-alive": Role.HOP,
    "origin": Role.ORIGIN,
}
_PREFIX_ROLES = (("proxy-", Role.HOP), ("x-compaction-", Role.OURS))
_LISTS = frozenset({Role.CODING, Role.CONNECTION, Role.UPGRADE, Role.TE})

_STAYING = frozenset({Role.HOP, Role.OURS})

_LINE = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+):([ \t]*)([^\x00-\x08\x0a-\x1f\x7f]*)")
_DECIMAL = re.compile(rb"0|[1-9][0-9]{0,18}")


@dataclass(frozen=True, slots=True)
class Line:
    """One header line, without its CRLF."""

    raw: bytes
    name: str
    """Lower case."""
    value: bytes
    """Without the white space around it."""
    start: int
    """Where the value begins in `raw`."""
    role: Role | None
    tokens: tuple[str, ...] = ()
    """The lower-case members of a line whose role is a list."""
    length: int = 0
    """The number of a `Content-Length`."""
    stays: bool = False
    """It is for the next hop, or for us, and travels no further."""

    def with_value(self, value: bytes) -> bytes:
        """The line with another value, everything else as received."""
        return self.raw[: self.start] + value + self.raw[self.start + len(self.value) :]


def read_line(raw: bytes) -> Line:
    """Check one line. Raises FramingError (obs-fold, space before the colon, control bytes, odd numbers)."""
    match = _LINE.fullmatch(raw)
    if match is None:
        raise FramingError(Fault.LINE_ENDING if b"\r" in raw or b"\n" in raw else Fault.HEADER_LINE)
    name, _, padded = match.groups()
    lower = name.decode("ascii").lower()
    value = padded.rstrip(b" \t")
    role = _role(lower)
    tokens = _tokens(value) if role in _LISTS else ()
    if role is Role.CODING and tokens != ("chunked",):
        raise FramingError(Fault.CODING)
    length = _length(value) if role is Role.LENGTH else 0
    stays = role in _STAYING or (role is Role.TE and tokens != ("trailers",))
    return Line(raw, lower, value, match.start(3), role, tokens, length, stays)


def read_special_line(raw: bytes) -> Line | None:
    """Check one line; it, when somebody must look at it. Raises FramingError."""
    line = read_line(raw)
    return line if line.role else None


def _role(lower: str) -> Role | None:
    prefixed = (role for prefix, role in _PREFIX_ROLES if lower.startswith(prefix))
    return _ROLES.get(lower) or next(prefixed, None)


def _tokens(value: bytes) -> tuple[str, ...]:
    members = (part.strip(b" \t").decode("latin-1") for part in value.lower().split(b","))
    return tuple(member for member in members if member)


def _length(value: bytes) -> int:
    if _DECIMAL.fullmatch(value) is None or (length := int(value)) > MAX_LENGTH:
        raise FramingError(Fault.LENGTH)
    return length
