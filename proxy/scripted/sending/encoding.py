"""Frames as pieces, pieces in a content encoding; and request bodies without theirs."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence

import brotli
import zstandard

from proxy.scripted.settings import Chunking, Encoding


def pieces(events: Sequence[bytes], chunking: Chunking) -> Iterator[bytes]:
    """Events joined into pieces as declared."""
    if chunking.split_bytes is not None:
        body, size = b"".join(events), chunking.split_bytes
        yield from (body[at : at + size] for at in range(0, len(body), size))
        return
    count = chunking.frames_per_piece
    yield from (b"".join(events[at : at + count]) for at in range(0, len(events), count))


def encoded(parts: Iterator[bytes], encoding: Encoding) -> Iterator[bytes]:
    """The same pieces, each flushed through a content encoding, and the encoding's end."""
    write, finish = ENCODERS[encoding]()
    yield from (write(part) for part in parts)
    if tail := finish():
        yield tail


def _identity() -> tuple[Callable[[bytes], bytes], Callable[[], bytes]]:
    return bytes, bytes


def _gzip() -> tuple[Callable[[bytes], bytes], Callable[[], bytes]]:
    packer = zlib.compressobj(wbits=16 + zlib.MAX_WBITS)
    return lambda part: packer.compress(part) + packer.flush(zlib.Z_SYNC_FLUSH), packer.flush


def _brotli() -> tuple[Callable[[bytes], bytes], Callable[[], bytes]]:
    packer = brotli.Compressor()
    return lambda part: packer.process(part) + packer.flush(), packer.finish


def _zstd() -> tuple[Callable[[bytes], bytes], Callable[[], bytes]]:
    packer = zstandard.ZstdCompressor().compressobj()
    return lambda part: packer.compress(part) + packer.flush(zstandard.COMPRESSOBJ_FLUSH_BLOCK), packer.flush


ENCODERS: Mapping[Encoding, Callable[[], tuple[Callable[[bytes], bytes], Callable[[], bytes]]]] = {
    Encoding.IDENTITY: _identity,
    Encoding.GZIP: _gzip,
    Encoding.BR: _brotli,
    Encoding.ZSTD: _zstd,
}


def decoded(body: bytes, encoding: str) -> bytes:
    """A request body without its content encoding.

    Raises:
        ValueError: the encoding is unknown or the body is not in it.
    """
    try:
        return DECODERS[encoding](body)
    except (KeyError, OSError, EOFError, zlib.error, brotli.error, zstandard.ZstdError) as failure:
        raise ValueError(f"request body is not {encoding}") from failure


DECODERS: Mapping[str, Callable[[bytes], bytes]] = {
    "": bytes,
    "identity": bytes,
    "gzip": gzip.decompress,
    "br": brotli.decompress,
    "zstd": lambda body: zstandard.ZstdDecompressor().decompressobj().decompress(body),
}
