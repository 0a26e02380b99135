"""HTTP/1.1 messages as bytes: written line by line, and cut at the empty line. Nothing here normalises."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

CRLF = b"\r\n"
HEAD_END = b"\r\n\r\n"


@dataclass(frozen=True, slots=True)
class Message:
    """One request or response as it is to be sent: first line, header lines without CRLF, body bytes as framed."""

    start: bytes
    lines: tuple[bytes, ...]
    body: bytes = b""

    @property
    def head(self) -> bytes:
        return CRLF.join((self.start, *self.lines)) + HEAD_END

    @property
    def raw(self) -> bytes:
        return self.head + self.body


class Head(NamedTuple):
    """A head as received, with its empty line."""

    raw: bytes

    @property
    def start(self) -> bytes:
        return self.raw.split(CRLF, 1)[0]

    @property
    def lines(self) -> tuple[bytes, ...]:
        """Header lines as received, without CRLF."""
        return tuple(self.raw.removesuffix(HEAD_END).split(CRLF)[1:])

    @property
    def status(self) -> int:
        """Status code of a response; 0 when the first line has none."""
        words = self.start.split(b" ")
        return int(words[1]) if len(words) > 1 and words[1].isdigit() else 0

    @property
    def target(self) -> bytes:
        """What stands between method and version in a request line."""
        return self.start.split(b" ", 1)[-1].rsplit(b" ", 1)[0]

    def values(self, name: str) -> tuple[bytes, ...]:
        """Values of every line of that name, in order, outer blanks removed."""
        return tuple(line.partition(b":")[2].strip() for line in self.lines if name_of(line) == name.lower())


def name_of(line: bytes) -> str:
    """Field name of a header line, in lower case."""
    return line.partition(b":")[0].decode("latin-1").lower()


def without(lines: Iterable[bytes], *names: str) -> tuple[bytes, ...]:
    """The lines whose field name is none of `names` (given in lower case)."""
    return tuple(line for line in lines if name_of(line) not in names)


def only(lines: Iterable[bytes], *names: str) -> tuple[bytes, ...]:
    """The lines whose field name is one of `names` (given in lower case)."""
    return tuple(line for line in lines if name_of(line) in names)


def response(start: bytes, *lines: bytes, body: bytes = b"", sized: bool = True) -> Message:
    """A response; a Content-Length line is put last unless `sized` is off."""
    length = (b"Content-Length: %d" % len(body),) if sized else ()
    return Message(start, (*lines, *length), body)


def chunk(data: bytes, *, extension: bytes = b"") -> bytes:
    """One chunk of the chunked coding; of no data, the last chunk's size line."""
    return b"%x%s\r\n" % (len(data), extension) + (data + CRLF if data else b"")


def chunked(pieces: Sequence[bytes], *, trailers: Sequence[bytes] = ()) -> bytes:
    """A whole chunked body."""
    return b"".join(map(chunk, pieces)) + b"0\r\n" + b"".join(line + CRLF for line in trailers) + CRLF


OK = response(b"HTTP/1.1 200 OK", b"Content-Type: application/json", body=b'{"ok": true}')
STREAM_HEAD = Message(
    b"HTTP/1.1 200 OK",
    (b"Content-Type: text/event-stream; charset=utf-8", b"Cache-Control: no-cache", b"Transfer-Encoding: chunked"),
)
