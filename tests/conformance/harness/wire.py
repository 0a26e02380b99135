"""One end of a TCP connection in a probe's hand: blocking, every wait bounded, bytes kept as received."""

from __future__ import annotations

import select
import socket
import struct
import time
from typing import NamedTuple, Self

from tests.conformance.harness.findings import EndedError, FindingError, MismatchError, SilentError, short
from tests.conformance.harness.messages import CRLF, HEAD_END, Head

PATIENCE_S = 5.0
"""How long a due byte may take. Only a target that holds bytes back ever costs this long."""

RECEIVE_SIZE = 1 << 18


class Deadline:
    """The moment at which a probe is given up."""

    def __init__(self, seconds: float) -> None:
        self._at = time.monotonic() + seconds

    def wait_s(self, most: float = PATIENCE_S) -> float:
        """Seconds to wait now: never past the deadline, never more than `most`."""
        return max(0.0, min(most, self._at - time.monotonic()))


class Ending(NamedTuple):
    """What came until the connection ended, and how it ended."""

    data: bytes
    was_reset: bool


class Wire:
    """A connected socket; `side` names it in findings ("client", "upstream")."""

    def __init__(self, sock: socket.socket, deadline: Deadline, side: str) -> None:
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.sock = sock
        self.side = side
        self._deadline = deadline
        self._buffer = bytearray()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def send(self, data: bytes) -> None:
        """Send all of it; the peer must keep taking bytes."""
        rest = memoryview(data)
        while rest:
            self.sock.settimeout(self._deadline.wait_s() or 0.001)
            try:
                rest = rest[self.sock.send(rest) :]
            except TimeoutError:
                sent = len(data) - len(rest)
                raise SilentError(f"{self.side}: only {sent} of {len(data)} bytes were taken") from None
            except OSError as fault:
                raise EndedError(f"{self.side}: the connection ended while sending: {fault}") from None

    def send_in_pieces(self, data: bytes, size: int) -> None:
        """Send all of it, `size` bytes at a time, each a packet of its own if the kernel likes."""
        for at in range(0, len(data), size):
            self.send(data[at : at + size])

    def send_until_stuck(self, piece: bytes, *, most: int, stuck_s: float = 0.7) -> int:
        """Send `piece` again and again until the peer takes nothing for `stuck_s`, or `most` bytes are out."""
        self.sock.setblocking(False)
        sent = 0
        while sent < most and select.select([], [self.sock], [], stuck_s)[1]:
            sent += self.sock.send(piece[sent % len(piece) :])
        return sent

    def read(self, size: int, what: str = "bytes") -> bytes:
        """Exactly `size` bytes."""
        while len(self._buffer) < size:
            self._more(f"{size} {what}")
        return self._take(size)

    def read_until(self, mark: bytes, what: str) -> bytes:
        """Everything up to and with `mark`."""
        seen = 0
        while (at := self._buffer.find(mark, seen)) < 0:
            seen = max(0, len(self._buffer) - len(mark) + 1)
            self._more(what)
        return self._take(at + len(mark))

    def read_head(self, what: str = "a head") -> Head:
        """The next head as received."""
        return Head(self.read_until(HEAD_END, what))

    def read_chunked(self) -> bytes:
        """A whole chunked body as received, trailers and all."""
        raw = bytearray()
        while True:
            line = self.read_until(CRLF, "a chunk's size line")
            raw += line
            size = chunk_size(line)
            if size == 0:
                break
            raw += self.read(size + 2, "bytes of a chunk")
        while raw[-4:] != HEAD_END:
            raw += self.read_until(CRLF, "a trailer line")
        return bytes(raw)

    def read_body(self, head: Head) -> bytes:
        """The body that belongs to `head`, as framed; to the end of the connection when it has no length."""
        if head.values("transfer-encoding"):
            return self.read_chunked()
        if lengths := head.values("content-length"):
            return self.read(int(lengths[0]), "body bytes")
        return self.read_to_end().data

    def read_to_end(self) -> Ending:
        """Everything until the connection ends."""
        while True:
            try:
                self._more("the end of the connection")
            except EndedError as end:
                return Ending(self._take(len(self._buffer)), end.was_reset)

    def expect_end(self) -> Ending:
        """The connection ends, and nothing more came on it."""
        ending = self.read_to_end()
        if ending.data:
            raise MismatchError(f"{self.side}: bytes before the end", ending.data, b"")
        return ending

    def expect_silence(self, seconds: float) -> None:
        """Nothing comes for that long, and the connection does not end."""
        if self._buffer or select.select([self.sock], [], [], self._deadline.wait_s(seconds))[0]:
            found = bytes(self._buffer) or self.sock.recv(RECEIVE_SIZE)
            raise MismatchError(f"{self.side}: during a silence", found, "nothing")

    def arrived(self) -> bytes:
        """What has come and was not read, without waiting; an end is not told."""
        while select.select([self.sock], [], [], 0)[0]:
            try:
                data = self.sock.recv(RECEIVE_SIZE)
            except OSError:
                break
            if not data:
                break
            self._buffer += data
        return self._take(len(self._buffer))

    @property
    def has_unread(self) -> bool:
        """Bytes have come with others that were read."""
        return bool(self._buffer)

    @property
    def is_open(self) -> bool:
        """Not closed by us."""
        return self.sock.fileno() >= 0

    def peek(self) -> bytes:
        """What can be read now, left in place; nothing at an end."""
        try:
            return self.sock.recv(RECEIVE_SIZE, socket.MSG_PEEK | socket.MSG_DONTWAIT)
        except OSError:
            return b""

    def half_close(self) -> None:
        """Send FIN, keep reading."""
        self.sock.shutdown(socket.SHUT_WR)

    def close(self) -> None:
        self.sock.close()

    def abort(self) -> None:
        """End by RST."""
        self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.sock.close()

    def _more(self, due: str) -> None:
        self.sock.settimeout(self._deadline.wait_s() or 0.001)
        try:
            data = self.sock.recv(RECEIVE_SIZE)
        except TimeoutError:
            raise SilentError(f"{self.side}: {due} due, nothing more came; so far {self._so_far()}") from None
        except OSError:
            raise EndedError(f"{self.side}: {due} due, reset; so far {self._so_far()}", was_reset=True) from None
        if not data:
            raise EndedError(f"{self.side}: {due} due, closed; so far {self._so_far()}")
        self._buffer += data

    def _so_far(self) -> str:
        return short(bytes(self._buffer))

    def _take(self, size: int) -> bytes:
        taken = bytes(memoryview(self._buffer)[:size])
        del self._buffer[:size]
        return taken


class Payload:
    """The body of one message read piece by piece, chunk framing removed, so that a proxy may frame anew."""

    def __init__(self, wire: Wire, head: Head) -> None:
        self._wire = wire
        self._is_chunked = bool(head.values("transfer-encoding"))
        self._left = 0
        self._is_inside = False

    def read(self, size: int) -> bytes:
        """Exactly `size` bytes of payload; does not wait for anything behind them."""
        if not self._is_chunked:
            return self._wire.read(size, "bytes of payload")
        data = bytearray()
        while len(data) < size:
            if not self._left:
                self._left = self._next_size()
            if not self._left:
                raise EndedError(f"{self._wire.side}: the body ended, {size - len(data)} bytes of payload due")
            piece = self._wire.read(min(self._left, size - len(data)), "bytes of payload")
            data += piece
            self._left -= len(piece)
        return bytes(data)

    def read_last_chunk(self) -> None:
        """The end of a chunked body, its trailers included."""
        if not self._is_chunked:
            return
        if size := self._next_size():
            raise FindingError(f"{self._wire.side}: a chunk of {size} bytes, expected the last one")
        while self._wire.read_until(CRLF, "the end of the trailers") != CRLF:
            pass

    def _next_size(self) -> int:
        if self._is_inside:
            self._wire.read(2, "bytes behind a chunk")
        self._is_inside = True
        return chunk_size(self._wire.read_until(CRLF, "a chunk's size line"))


def chunk_size(line: bytes) -> int:
    """Size in a chunk's size line; raises FindingError when there is none."""
    digits = line.split(b";", 1)[0].strip()
    try:
        return int(digits, 16)
    except ValueError:
        raise FindingError(f"a chunk's size line is {short(line)}") from None
