"""permessage-deflate of one direction, decompressed in bounded pieces (RFC 7692)."""

from __future__ import annotations

import zlib

_WINDOW = 1 << zlib.MAX_WBITS
_END_OF_MESSAGE = b"\x00\x00\xff\xff"
"""The sender leaves these four bytes out (RFC 7692 7.2.1)."""


class InflateError(Exception):
    """The bytes are not what a compressor makes."""

    def __init__(self) -> None:
        super().__init__("compressed data")


class Inflater:
    """Payloads of compressed messages in order; with context takeover a message refers back to the ones before it."""

    def __init__(self, *, takeover: bool) -> None:
        self._takeover = takeover
        self._window = b""
        self._stream = zlib.decompressobj(-zlib.MAX_WBITS)

    def feed(self, data: bytes, room: int) -> bytes:
        """The text of the next payload bytes of a message, at most one byte more than `room`. Raises InflateError."""
        pieces: list[bytes] = []
        while data and room >= 0:
            try:
                piece = self._stream.decompress(data, room + 1)
            except zlib.error:
                raise InflateError from None
            pieces.append(piece)
            room -= len(piece)
            self._window = (self._window + piece)[-_WINDOW:]
            # A sender may close its stream anywhere (RFC 7692 7.2.3.4); what follows is another one.
            data = self._stream.unused_data if self._stream.eof else b""
            if self._stream.eof:
                self._stream = zlib.decompressobj(-zlib.MAX_WBITS, zdict=self._window)
        return b"".join(pieces)

    def end_message(self, room: int) -> bytes:
        """What the end of a message still completes. Raises InflateError."""
        rest = self.feed(_END_OF_MESSAGE, room)
        if not self._takeover:
            self._window = b""
            self._stream = zlib.decompressobj(-zlib.MAX_WBITS)
        return rest
