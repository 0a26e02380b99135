"""What a transport does not do by itself: write pieces with few calls, see a silent peer leave, end visibly."""

from __future__ import annotations

import asyncio
import fcntl
import socket
import struct
import termios
from contextlib import suppress

Pieces = list[bytes | memoryview]

_LEFT = frozenset({7, 8, 9, 10, 11})
"""TCP states CLOSE, CLOSE_WAIT, LAST_ACK, LISTEN, CLOSING of Linux: the peer has sent its FIN or a reset."""
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


def _socket(transport: asyncio.Transport) -> socket.socket:
    found: socket.socket = transport.get_extra_info("socket")
    return found
