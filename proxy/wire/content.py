"""Bounded, incremental content decoding of the observer's copy: identity, gzip, deflate, br, zstd, also stacked.

Rules of this file:
- The relayed bytes are never touched; what is decoded here is a copy (F26-F32).
- A wrong or unknown encoding and a bomb are fault values; what was decoded before them stays usable.
- Every step yields bounded pieces, so that a bomb stops at the limit and not at the end of memory.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from typing import NamedTuple, Protocol

import brotli
import zstandard

from proxy.model.exchange import Headers

DECODED_LIMIT = 64 << 20
"""Decoded bytes kept of one body; twice the provider's own request limit."""

TOO_LARGE = "too large after decoding"
UNDECODABLE = "undecodable"

_PIECE = 1 << 20
_ZSTD_SLICE = 256
"""Input bytes per step: four of them can stand for 128 KiB, so one step yields at most 8 MiB."""
_ZSTD_WINDOW = 1 << 27
_MAX_STACK = 4
_WRONG = (zlib.error, brotli.error, zstandard.ZstdError)


class _Step(Protocol):
    """One content coding."""

    def decode(self, data: bytes) -> Iterator[bytes]:
        """Pieces that these bytes complete, each bounded."""
        ...

    def is_complete(self) -> bool:
        """The bytes so far may be all of them."""
        ...


class ContentDecoder:
    """Decodes one body. `fault` is empty, or says why nothing more comes: `undecodable: gzip`, `gzip ends early`."""

    def __init__(self, headers: Headers, *, limit: int = DECODED_LIMIT) -> None:
        self.fault = ""
        self._room = limit
        self._steps: list[_Step] = []
        names = content_encodings(headers)
        self._said = ", ".join(names)
        if len(names) > _MAX_STACK:
            self.fault = f"{UNDECODABLE}: too many encodings"
        elif not _CODINGS.keys() >= set(names):
            self.fault = f"{UNDECODABLE}: unknown encoding"
        else:
            self._steps = [_CODINGS[name]() for name in reversed(names)]

    def feed(self, data: bytes) -> bytes:
        """Take the next encoded bytes; returns the decoded bytes they complete, nothing after a fault."""
        if self.fault:
            return b""
        kept: list[bytes] = []
        try:
            for piece in self._through(0, data):
                kept.append(piece if len(piece) <= self._room else piece[: self._room])
                if len(piece) > self._room:
                    self.fault = TOO_LARGE
                    break
                self._room -= len(piece)
        except _WRONG:
            self.fault = f"{UNDECODABLE}: {self._said}"
        return kept[0] if len(kept) == 1 else b"".join(kept)

    def close(self) -> None:
        """The body is over; a coding that is not, is a fault."""
        if not self.fault and not all(step.is_complete() for step in self._steps):
            self.fault = f"{self._said} ends early"

    def _through(self, index: int, data: bytes) -> Iterator[bytes]:
        if index == len(self._steps):
            yield data
            return
        for piece in self._steps[index].decode(data):
            yield from self._through(index + 1, piece)


class Decoded(NamedTuple):
    """A whole body after decoding."""

    body: bytes
    """On a fault: what came before the end or the limit; nothing of a body that is wrong inside, since how much of it
    can be decoded depends on how it was cut."""
    fault: str


def decode_body(body: bytes, headers: Headers, *, limit: int = DECODED_LIMIT) -> Decoded:
    """Decode a body that is all there."""
    decoder = ContentDecoder(headers, limit=limit)
    decoded = decoder.feed(body)
    decoder.close()
    return Decoded(b"" if decoder.fault.startswith(UNDECODABLE) else decoded, decoder.fault)


def content_encodings(headers: Headers) -> tuple[str, ...]:
    """Codings in the order in which they were applied, lower case, without `identity`."""
    lines = (value for key, value in headers if key.lower() == "content-encoding")
    names = (name.strip().lower() for line in lines for name in line.split(","))
    return tuple(name for name in names if name not in {"", "identity"})


class _Inflate:
    """gzip (any number of members, zero padding allowed) and zlib or raw deflate."""

    def __init__(self, wbits: int) -> None:
        self._wbits = wbits
        self._stream = zlib.decompressobj(wbits)
        self._started = False

    def decode(self, data: bytes) -> Iterator[bytes]:
        while data:
            if self._stream.eof:
                data = data.lstrip(b"\0") if self._started else data
                if not data:
                    return
                self._stream = zlib.decompressobj(self._wbits)
            self._started = True
            yield self._stream.decompress(data, _PIECE)
            data = self._stream.unused_data if self._stream.eof else self._stream.unconsumed_tail

    def is_complete(self) -> bool:
        return self._stream.eof or not self._started


class _Deflate:
    """`deflate` is zlib by the standard and raw in the wild; the first two bytes tell them apart."""

    def __init__(self) -> None:
        self._head = b""
        self._inflate: _Inflate | None = None

    def decode(self, data: bytes) -> Iterator[bytes]:
        if self._inflate is None:
            self._head += data
            if len(self._head) < 2:
                return
            data = self._head
            is_zlib = data[0] & 0x0F == zlib.DEFLATED and int.from_bytes(data[:2]) % 31 == 0
            self._inflate = _Inflate(zlib.MAX_WBITS if is_zlib else -zlib.MAX_WBITS)
        yield from self._inflate.decode(data)

    def is_complete(self) -> bool:
        return self._inflate.is_complete() if self._inflate else not self._head


class _Brotli:
    """br: one stream; bytes after its end are an error."""

    def __init__(self) -> None:
        self._stream = brotli.Decompressor()
        self._started = False

    def decode(self, data: bytes) -> Iterator[bytes]:
        self._started = self._started or bool(data)
        piece = self._stream.process(data, output_buffer_limit=_PIECE)
        while piece:
            yield piece
            piece = self._stream.process(b"", output_buffer_limit=_PIECE)

    def is_complete(self) -> bool:
        return bool(self._stream.is_finished()) or not self._started


class _Zstd:
    """zstd: any number of frames, skippable ones too."""

    def __init__(self) -> None:
        self._context = zstandard.ZstdDecompressor(max_window_size=_ZSTD_WINDOW)
        self._stream = self._context.decompressobj()
        self._started = False

    def decode(self, data: bytes) -> Iterator[bytes]:
        for start in range(0, len(data), _ZSTD_SLICE):
            yield from self._decode_slice(data[start : start + _ZSTD_SLICE])

    def _decode_slice(self, data: bytes) -> Iterator[bytes]:
        while data:
            if self._stream.eof:
                self._stream = self._context.decompressobj()
            self._started = True
            yield self._stream.decompress(data)
            data = self._stream.unused_data if self._stream.eof else b""

    def is_complete(self) -> bool:
        return self._stream.eof or not self._started


def _gzip() -> _Step:
    return _Inflate(zlib.MAX_WBITS | 16)


_CODINGS: dict[str, Callable[[], _Step]] = {
    "gzip": _gzip,
    "x-gzip": _gzip,
    "deflate": _Deflate,
    "br": _Brotli,
    "zstd": _Zstd,
}
