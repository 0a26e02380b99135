"""A message as SSE frames, frames as pieces, pieces in a content encoding (wire-formats 1.6)."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import brotli
import zstandard

from proxy.scripted.settings import Chunking, Encoding

Json = Mapping[str, Any]


def frame(kind: str, **fields: object) -> bytes:
    """One event whose JSON names its own type."""
    data = json.dumps({"type": kind, **fields}, ensure_ascii=False, separators=(",", ":"))
    return f"event: {kind}\ndata: {data}\n\n".encode("utf-8", "surrogatepass")


def frames(whole: Json, chunking: Chunking) -> Iterator[bytes]:
    """The events that build a message up; numbers of the closing `message_delta` are cumulative."""
    usage = whole.get("usage")
    start = {**whole, "content": [], "stop_reason": None, "stop_sequence": None}
    start.pop("context_management", None)
    if usage is not None:
        start["usage"] = {**usage, "output_tokens": 1}
        start["usage"].pop("iterations", None)
        start["usage"].pop("output_tokens_details", None)
    yield frame("message_start", message=start)
    if chunking.pings:
        yield frame("ping")
    for index, block in enumerate(whole["content"]):
        yield from _block_frames(index, block, chunking.delta_chars)
    closing: dict[str, Any] = {"delta": {"stop_reason": whole["stop_reason"], "stop_sequence": None}}
    if usage is not None:
        # The 5m/1h split and the tier are told once, at the start.
        closing["usage"] = {name: usage[name] for name in usage if name not in {"cache_creation", "service_tier"}}
    if "context_management" in whole:
        closing["context_management"] = whole["context_management"]
    yield frame("message_delta", **closing)
    yield frame("message_stop")


def error_frame(kind: str, text: str) -> bytes:
    """An error inside a stream that began well."""
    return frame("error", error={"type": kind, "message": text})


def _block_frames(index: int, block: Json, delta_chars: int) -> Iterator[bytes]:
    start, deltas = DELTAS.get(str(block.get("type")), _whole)(block, delta_chars)
    yield frame("content_block_start", index=index, content_block=start)
    yield from (frame("content_block_delta", index=index, delta=delta) for delta in deltas)
    yield frame("content_block_stop", index=index)


Deltas = tuple[Json, Sequence[Json]]


def _text(block: Json, size: int) -> Deltas:
    return {**block, "text": ""}, [{"type": "text_delta", "text": part} for part in _parts(block["text"], size)]


def _tool_use(block: Json, size: int) -> Deltas:
    parts = _parts(json.dumps(block["input"], ensure_ascii=False), size)
    return {**block, "input": {}}, [{"type": "input_json_delta", "partial_json": part} for part in ("", *parts)]


def _thinking(block: Json, size: int) -> Deltas:
    deltas: list[Json] = [{"type": "thinking_delta", "thinking": part} for part in _parts(block["thinking"], size)]
    deltas.append({"type": "signature_delta", "signature": block["signature"]})
    return {**block, "thinking": "", "signature": ""}, deltas


def _compaction(block: Json, _size: int) -> Deltas:
    return {**block, "content": None}, [{"type": "compaction_delta", "content": block["content"]}]


def _whole(block: Json, _size: int) -> Deltas:
    return block, []


DELTAS: Mapping[str, Callable[[Json, int], Deltas]] = {
    "text": _text,
    "tool_use": _tool_use,
    "thinking": _thinking,
    "compaction": _compaction,
}


def _parts(text: str, size: int) -> list[str]:
    return [text[at : at + size] for at in range(0, len(text), size)]


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
