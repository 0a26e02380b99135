"""What a transport does not do by itself: write pieces with few calls, see a silent peer leave, end visibly."""

from __future__ import annotations

import asyncio
import fcntl
import socket
import struct
import termios
from contextlib import suppress
from enum import IntFlag

Pieces = list[bytes | memoryview]

_LEFT = frozenset({7, 8, 9, 10, 11})
"""TCP states CLOSE, CLOSE_WAIT, LAST_ACK, LISTEN, CLOSING of Linux: the peer has sent its FIN or a reset."""
_LINGER_NS = 2_000_000_000
"""How long a peer that has our last word may take to go."""
_NO_LINGER = struct.pack("ii", 1, 0)


def write(transport: asyncio.Transport, pieces: Pieces) -> None:
    """Write them in order, at once. Small pieces are bytes, and joined; a view is too large for that."""
    if len(pieces) == 1:
        transport.write(pieces[0])
    elif pieces:
        if type(pieces[-1]) is bytes:
            transport.write(b"".join(pieces))
        else:
            transport.writelines(pieces)


def peer_has_left(transport: asyncio.Transport) -> bool:
    """Whether the peer has closed its side, though nobody reads from it now."""
    try:
        state: bytes = _socket(transport).getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 1)
    except OSError:
        return True
    return state[0] in _LEFT


def is_delivered(transport: asyncio.Transport) -> bool:
    """Whether the peer's kernel has everything that was written."""
    if transport.get_write_buffer_size():
        return False
    try:
        unsent = fcntl.ioctl(_socket(transport).fileno(), termios.TIOCOUTQ, b"\0\0\0\0")
    except OSError:
        return True
    return unsent == b"\0\0\0\0"


def reset(transport: asyncio.Transport) -> None:
    """End with a TCP reset: the only end a reader of a body without length cannot take for a regular one."""
    with suppress(OSError):  # it is gone already
        _socket(transport).setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _NO_LINGER)
    transport.abort()


class Hold(IntFlag):
    """Why nothing is read from a client."""

    NONE = 0
    UPSTREAM = 1
    """The upstream takes no more."""
    AHEAD = 2
    """It has sent enough of its next requests."""
    BOTH = 3


class Reading:
    """Whether a client is read from: as long as nobody holds it."""

    def __init__(self, transport: asyncio.Transport) -> None:
        self._transport = transport
        self.held = Hold.NONE

    def hold(self, why: Hold, *, on: bool = True) -> None:
        """Hold it for that reason, or no longer."""
        held = self.held | why if on else self.held & ~why
        if bool(held) != bool(self.held):
            if held:
                self._transport.pause_reading()
            else:
                self._transport.resume_reading()
        self.held = held


class Farewell:
    """The last word was said: wait until the peer has it, then some time for it to go by itself."""

    def __init__(self, transport: asyncio.Transport, *, is_cut: bool) -> None:
        self._transport = transport
        self._is_cut = is_cut
        self._leave_by_ns = 0
        if not is_cut:
            transport.write_eof()

    def look(self, now_ns: int) -> None:
        """See how far it is. A cut is shown as soon as everything before it was delivered."""
        if not is_delivered(self._transport):
            return
        if self._is_cut:
            reset(self._transport)
        elif not self._leave_by_ns:
            self._leave_by_ns = now_ns + _LINGER_NS
        elif now_ns > self._leave_by_ns:
            self._transport.abort()


def _socket(transport: asyncio.Transport) -> socket.socket:
    found: socket.socket = transport.get_extra_info("socket")
    return found
