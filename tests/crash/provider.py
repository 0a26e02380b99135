"""An upstream that answers `POST /<name>/v1/messages` so that whoever reads the answer knows how far it got."""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
from dataclasses import dataclass

LAST_BYTES = b"0\r\n\r\n"
TERMINAL_EVENT = b"event: message_stop"


@dataclass(frozen=True, slots=True)
class Answer:
    """What one request is answered with."""

    pieces: tuple[bytes, ...]
    """Body bytes, before chunk framing when streamed."""
    pauses_s: tuple[float, ...]
    """Before each piece, and before the last framing bytes."""
    streamed: bool

    @property
    def size(self) -> int:
        """Body bytes."""
        return sum(map(len, self.pieces))


def make_answer(name: str, rng: random.Random, *, streamed: bool) -> Answer:
    """A stream of 3 to 80 events over up to some seconds, or one document at once."""
    if not streamed:
        return Answer((_document(name, rng.randrange(1, 40)),), (0.0, 0.0), streamed=False)
    count = rng.randrange(3, 80)
    pieces = tuple(_events(name, count))
    gap = rng.choice((0.0, 0.005, 0.03))
    return Answer(pieces, (*[gap] * len(pieces), rng.choice((0.0, 0.1, 0.5))), streamed=True)


def _usage(written: int) -> dict[str, int]:
    return {"input_tokens": 1000, "output_tokens": written}


def _document(name: str, thousands: int) -> bytes:
    return json.dumps(
        {
            "id": f"msg_{name}",
            "type": "message",
            "role": "assistant",
            "model": "claude-sonnet-4-5",
            "content": [{"type": "text", "text": "word " * 200 * thousands}],
            "stop_reason": "end_turn",
            "usage": _usage(250 * thousands),
        }
    ).encode()


def _events(name: str, count: int) -> list[bytes]:
    start = {"id": f"msg_{name}", "type": "message", "role": "assistant", "model": "claude-sonnet-4-5", "content": []}
    events: list[tuple[str, dict[str, object]]] = [
        ("message_start", {"message": {**start, "usage": _usage(1)}}),
        ("content_block_start", {"index": 0, "content_block": {"type": "text", "text": ""}}),
        *[
            ("content_block_delta", {"index": 0, "delta": {"type": "text_delta", "text": f"{n} "}})
            for n in range(count)
        ],
        ("content_block_stop", {"index": 0}),
        ("message_delta", {"delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": count}}),
        ("message_stop", {}),
    ]
    return [f"event: {kind}\ndata: {json.dumps({'type': kind, **rest})}\n\n".encode() for kind, rest in events]


class Provider:
    """Listens on a free port of the loopback; answers by name."""

    def __init__(self) -> None:
        self.answers: dict[str, Answer] = {}
        self.port = 0
        self._server: asyncio.Server | None = None

    async def start(self) -> None:
        """Listen."""
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]

    async def stop(self) -> None:
        """Stop listening; running answers end with their connections."""
        if self._server is not None:
            self._server.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            head = await reader.readuntil(b"\r\n\r\n")
            fields = dict(line.lower().split(b": ", 1) for line in head.split(b"\r\n")[1:] if b": " in line)
            await reader.readexactly(int(fields[b"content-length"]))
            name = head.split(b" ", 2)[1].split(b"/")[1].decode()
            answer = self.answers.get(name)
            if answer is not None:  # its client may be gone with the relay
                await self._answer(writer, answer)
        writer.close()

    async def _answer(self, writer: asyncio.StreamWriter, answer: Answer) -> None:
        if answer.streamed:
            kind = b"text/event-stream\r\nTransfer-Encoding: chunked"
        else:
            kind = b"application/json\r\nContent-Length: %d" % answer.size
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: %b\r\n\r\n" % kind)
        for pause_s, piece in zip(answer.pauses_s, answer.pieces, strict=False):
            await asyncio.sleep(pause_s)
            writer.write(b"%x\r\n%b\r\n" % (len(piece), piece) if answer.streamed else piece)
            await writer.drain()
        if answer.streamed:
            await asyncio.sleep(answer.pauses_s[-1])
            writer.write(LAST_BYTES)
        await writer.drain()
        await asyncio.sleep(0.05)  # the relay ends the connection; a provider that closes first is another story
