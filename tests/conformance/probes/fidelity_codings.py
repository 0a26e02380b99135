"""Profile `fidelity`, compressed answers: what the provider compressed stays compressed, byte for byte and in time."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable, Iterator

import brotli
import zstandard

from tests.conformance.harness.bench import Bench
from tests.conformance.harness.findings import equal
from tests.conformance.harness.messages import STREAM_HEAD, Message, chunk, only, response
from tests.conformance.harness.registry import Section

SECTION = Section("fidelity")
probe = SECTION.probe

EVENTS = (
    b'event: message_start\ndata: {"type":"message_start","message":{"id":"msg_1","usage":{"input_tokens":3}}}\n\n',
    b'event: ping\ndata: {"type": "ping"}\n\n',
    b": a comment, and nothing else\n\n",
    b'event: some_future_event\nid: 7\ndata: {"type":"some_future_event"}\n\n',
    'event: content_block_delta\ndata: {"delta":{"text":"na\u00efve \U0001f600"}}\n\n'.encode(),
    b'event: message_delta\ndata: {"usage":{"iterations":[{"type":"compaction","input_tokens":180000}]}}\n\n',
    b'event: message_stop\ndata: {"type":"message_stop"}\n\n',
)


def gzip_pieces() -> Iterator[bytes]:
    """One gzip stream, flushed after every event."""
    packer = zlib.compressobj(wbits=31)
    for event in EVENTS:
        yield packer.compress(event) + packer.flush(zlib.Z_SYNC_FLUSH)
    yield packer.flush()


def brotli_pieces() -> Iterator[bytes]:
    """One brotli stream, flushed after every event."""
    packer = brotli.Compressor(quality=4)
    for event in EVENTS:
        yield packer.process(event) + packer.flush()
    yield packer.finish()


def zstd_pieces() -> Iterator[bytes]:
    """One zstd frame, flushed after every event."""
    packer = zstandard.ZstdCompressor().compressobj()
    for event in EVENTS:
        yield packer.compress(event) + packer.flush(zstandard.COMPRESSOBJ_FLUSH_BLOCK)
    yield packer.flush()


def coding_probe(coding: str, pieces_of: Callable[[], Iterator[bytes]]) -> None:
    def work(bench: Bench) -> None:
        head = Message(STREAM_HEAD.start, (*STREAM_HEAD.lines, b"Content-Encoding: " + coding.encode()))
        stream = bench.open_stream(head)
        equal("content-encoding", stream.head.values("content-encoding"), (coding.encode(),))
        for piece in pieces_of():
            stream.upstream.send(chunk(piece))
            equal("piece", stream.payload.read(len(piece)), piece)
        stream.upstream.send(b"0\r\n\r\n")
        stream.payload.read_last_chunk()

    sentence = f"An SSE stream in {coding} stays in {coding}, each flushed event at once"
    SECTION.add(f"response.sse-{coding}", "peers 3.1, F26, F28, F29", sentence, work)


for _coding in (("gzip", gzip_pieces), ("br", brotli_pieces), ("zstd", zstd_pieces)):
    coding_probe(*_coding)


@probe("response.gzip-length", "F25, F27")
def _(bench: Bench) -> None:
    """A compressed body and its Content-Length stay a pair."""
    answer = response(b"HTTP/1.1 200 OK", b"Content-Encoding: gzip", body=gzip.compress(b"{}" * 900, mtime=0))
    found = bench.exchange(answer=answer)
    equal("length and coding", sorted(only(found.lines, "content-length", "content-encoding")), sorted(answer.lines))
    equal("body", found.body, answer.body)


@probe("response.gzip-not", "F27, F31")
def _(bench: Bench) -> None:
    """A body that is not what its Content-Encoding says passes."""
    answer = response(b"HTTP/1.1 200 OK", b"Content-Encoding: gzip", body=b"not gzip at all \x1f\x8b\xff")
    equal("body", bench.exchange(answer=answer).body, answer.body)
