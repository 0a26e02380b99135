"""`python -m tests.bench.chunks PORT [CERTIFICATE]`: an upstream that answers every request with a 200-chunk stream.

A raw protocol on uvloop, so that it is not what limits anybody. Each chunk is written in a turn of the loop of its own:
a receiver that is quick enough sees every one of them alone.
"""

from __future__ import annotations

import asyncio
import json
import re
import ssl
import sys
from pathlib import Path
from typing import cast

import uvloop

CHUNKS = 200
_LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)
_HEAD_END = b"\r\n\r\n"


def event(name: str, **fields: object) -> bytes:
    """One SSE event in a chunk of its own."""
    data = f"event: {name}\ndata: {json.dumps({'type': name, **fields}, separators=(',', ':'))}\n\n".encode()
    return b"%x\r\n%s\r\n" % (len(data), data)


def answer() -> list[bytes]:
    """The head, 200 chunks, and the last chunk together with the 200th: a whole Messages stream."""
    usage = {"input_tokens": 500, "output_tokens": 1}
    message = {"id": "msg_bench", "type": "message", "role": "assistant", "model": "claude-sonnet-5-5", "content": []}
    first = [
        event("message_start", message={**message, "stop_reason": None, "usage": usage}),
        event("content_block_start", index=0, content_block={"type": "text", "text": ""}),
    ]
    last = [
        event("content_block_stop", index=0),
        event("message_delta", delta={"stop_reason": "end_turn"}, usage={"output_tokens": CHUNKS}),
        event("message_stop") + b"0\r\n\r\n",
    ]
    delta = event("content_block_delta", index=0, delta={"type": "text_delta", "text": "a few words more "})
    head = (
        b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\nCache-Control: no-cache\r\n"
        b"request-id: req_011CbenchBENCHbench\r\nanthropic-organization-id: 00000000-0000-0000-0000-000000000000\r\n"
        b"anthropic-ratelimit-unified-status: allowed\r\nTransfer-Encoding: chunked\r\n\r\n"
    )
    return [head, *first, *[delta] * (CHUNKS - len(first) - len(last)), *last]


PIECES = answer()


class Streaming(asyncio.Protocol):
    """Reads a request to its end, then streams."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._transport: asyncio.Transport | None = None
        self._head = b""
        self._missing = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """A client is there."""
        self._transport = cast("asyncio.Transport", transport)

    def connection_lost(self, exc: Exception | None) -> None:
        """It has gone."""
        self._transport = None

    def data_received(self, data: bytes) -> None:
        """Part of a request; there is no pipelining."""
        if self._missing:
            self._missing -= len(data)
        else:
            self._head += data
            head, end, body = self._head.partition(_HEAD_END)
            if not end:
                return
            length = _LENGTH.search(head)
            self._missing = (int(length[1]) if length else 0) - len(body)
            self._head = b""
        if self._missing == 0:
            self._write(0)

    def _write(self, number: int) -> None:
        if self._transport is None:
            return
        self._transport.write(PIECES[number])
        if number + 1 < len(PIECES):
            self._loop.call_soon(self._write, number + 1)


async def serve(port: int, certificate: Path | None) -> None:
    """Until told to stop."""
    context = None
    if certificate is not None:
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(certificate)
        context.set_alpn_protocols(["http/1.1"])
    server = await asyncio.get_running_loop().create_server(Streaming, "127.0.0.1", port, ssl=context)
    await server.serve_forever()


if __name__ == "__main__":
    uvloop.run(serve(int(sys.argv[1]), Path(sys.argv[2]) if len(sys.argv) > 2 else None))
