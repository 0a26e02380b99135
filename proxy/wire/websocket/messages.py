"""Messages of one direction of a WebSocket (RFC 6455): any split of the same bytes gives the same messages.

Rules of this file:
- The first breach of the protocol is told once, as `fault`; what follows it in that direction is not read, since
  nobody knows where its frames begin.
- A message over the limit is such a breach, and so is data that does not decompress: memory stays bounded.
- Lengths that are written longer than need be are unambiguous and therefore read.
"""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

from proxy.wire.content import DECODED_LIMIT
from proxy.wire.websocket.inflate import InflateError, Inflater

_FINAL, _COMPRESSED, _RESERVED, _OPCODE = 0x80, 0x40, 0x30, 0x0F
_MASKED, _LENGTH = 0x80, 0x7F
_LENGTH_BYTES = {126: 2, 127: 8}
_CONTROL_LIMIT = 125
_MASK_BYTES = 4


class _Opcode(IntEnum):
    CONTINUATION = 0
    TEXT = 1
    BINARY = 2
    CLOSE = 8
    PING = 9
    PONG = 10


_OPCODES = frozenset(_Opcode)


class _BreachError(Exception):
    """The protocol does not allow this."""


class Message(NamedTuple):
    """One whole text message."""

    text: bytes
    """As sent, decompressed; whether it is UTF-8 is the reader's business."""
    began_us: int
    """Time of the piece in which its first byte came."""


class _Frame(NamedTuple):
    """A frame's head."""

    final: bool
    compressed: bool
    opcode: _Opcode
    length: int
    mask: bytes
    """Four bytes, or none."""


class MessageReader:
    """Feed bytes, get the text messages they complete."""

    def __init__(self, *, masked: bool, inflater: Inflater | None = None, limit: int = DECODED_LIMIT) -> None:
        """Takes what the handshake settled.

        Args:
            masked: Frames of this direction have to be masked (the client's), or must not be.
            inflater: Set when permessage-deflate is in use.
            limit: Bytes of one message, decompressed.
        """
        self.fault = ""
        """Why the rest is not read."""
        self.binary = 0
        """Binary messages: counted, not kept."""
        self.closed = False
        """This side said its last word; nothing behind it counts."""
        self._masked = masked
        self._inflater = inflater
        self._limit = limit
        self._head = b""
        self._head_us = 0
        self._frame: _Frame | None = None
        self._done = 0
        """Payload bytes of the frame that were taken."""
        self._began: _Frame | None = None
        """First frame of a message that has not ended."""
        self._began_us = 0
        self._texts: list[bytes] = []
        self._size = 0

    @property
    def is_over(self) -> bool:
        """Nothing more of this direction is read."""
        return self.closed or self.fault != ""

    def stop(self, fault: str) -> None:
        """Read nothing more, for that reason unless there is one already."""
        self.fault = self.fault or fault
        self._texts.clear()

    def feed(self, data: bytes, at_us: int) -> list[Message]:
        """Take the next bytes, which came at that time; the messages they complete, in order."""
        messages: list[Message] = []
        at = 0
        try:
            while at < len(data) and not self.is_over:
                at = self._take_head(data, at, at_us) if self._frame is None else self._take_payload(data, at)
                if self._frame is not None and self._done == self._frame.length:
                    messages += self._end_frame(self._frame)
        except (_BreachError, InflateError) as breach:
            self.stop(str(breach))
        return messages

    def _take_head(self, data: bytes, at: int, at_us: int) -> int:
        if not self._head:
            self._head_us = at_us
        taken = data[at : at + _head_size(self._head) - len(self._head)]
        self._head += taken
        if len(self._head) == _head_size(self._head):
            self._begin_frame(_read_head(self._head))
            self._head = b""
        return at + len(taken)

    def _begin_frame(self, frame: _Frame) -> None:
        """Raises _BreachError for a head that may not stand here."""
        if bool(frame.mask) is not self._masked:
            raise _BreachError("masked frame" if frame.mask else "unmasked frame")
        if frame.opcode >= _Opcode.CLOSE:
            self._check_control(frame)
        else:
            self._check_data(frame)
        self._frame = frame
        self._done = 0

    def _check_control(self, frame: _Frame) -> None:
        if frame.compressed:
            raise _BreachError("reserved bits")
        if not frame.final or frame.length > _CONTROL_LIMIT:
            raise _BreachError("control frame in parts or over 125 bytes")

    def _check_data(self, frame: _Frame) -> None:
        if frame.opcode is _Opcode.CONTINUATION:
            if self._began is None:
                raise _BreachError("continuation of no message")
            if frame.compressed:
                raise _BreachError("reserved bits")
        elif self._began is not None:
            raise _BreachError("message inside a message")
        elif frame.compressed and self._inflater is None:
            raise _BreachError("reserved bits")
        else:
            self._began, self._began_us = frame, self._head_us
        if frame.length > self._limit - self._size:
            raise self._too_large()

    def _take_payload(self, data: bytes, at: int) -> int:
        assert self._frame is not None
        taken = data[at : at + self._frame.length - self._done]
        if self._frame.opcode < _Opcode.CLOSE:
            self._keep(_unmasked(taken, self._frame.mask, self._done))
        self._done += len(taken)
        return at + len(taken)

    def _keep(self, payload: bytes) -> None:
        assert self._began is not None
        if self._began.compressed and self._inflater is not None:
            payload = self._inflater.feed(payload, self._limit - self._size)
        self._add(payload)

    def _add(self, text: bytes) -> None:
        self._size += len(text)
        if self._size > self._limit:
            raise self._too_large()
        assert self._began is not None
        if text and self._began.opcode is _Opcode.TEXT:
            self._texts.append(text)

    def _end_frame(self, frame: _Frame) -> list[Message]:
        self._frame = None
        if frame.opcode >= _Opcode.CLOSE:
            self.closed = frame.opcode is _Opcode.CLOSE
            return []
        return self._end_message() if frame.final else []

    def _end_message(self) -> list[Message]:
        assert self._began is not None
        if self._began.compressed and self._inflater is not None:
            self._add(self._inflater.end_message(self._limit - self._size))
        text, is_text = b"".join(self._texts), self._began.opcode is _Opcode.TEXT
        self._texts.clear()
        self._began, self._size = None, 0
        self.binary += not is_text
        return [Message(text, self._began_us)] if is_text else []

    def _too_large(self) -> _BreachError:
        return _BreachError(f"message over {self._limit} bytes")


def _head_size(head: bytes) -> int:
    """Bytes of a head that begins like this; 2 until that tells more."""
    if len(head) < 2:
        return 2
    return 2 + _LENGTH_BYTES.get(head[1] & _LENGTH, 0) + (_MASK_BYTES if head[1] & _MASKED else 0)


def _read_head(head: bytes) -> _Frame:
    """Read a whole head. Raises _BreachError."""
    flags, length = head[0], head[1] & _LENGTH
    if flags & _RESERVED:
        raise _BreachError("reserved bits")
    if flags & _OPCODE not in _OPCODES:
        raise _BreachError("unknown opcode")
    extended = _LENGTH_BYTES.get(length, 0)
    if extended:
        length = int.from_bytes(head[2 : 2 + extended])
    return _Frame(
        final=bool(flags & _FINAL),
        compressed=bool(flags & _COMPRESSED),
        opcode=_Opcode(flags & _OPCODE),
        length=length,
        mask=head[2 + extended :],
    )


def _unmasked(payload: bytes, mask: bytes, at: int) -> bytes:
    """Payload bytes that stand `at` bytes behind the start of their frame, without their mask."""
    size = len(payload)
    if not mask or not size:
        return payload
    turned = mask[at % _MASK_BYTES :] + mask[: at % _MASK_BYTES]
    key = (turned * (size // _MASK_BYTES + 1))[:size]
    return (int.from_bytes(payload) ^ int.from_bytes(key)).to_bytes(size)
