"""Clients that never retry and remember how much of each answer they got."""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
import time
from dataclasses import dataclass
from enum import StrEnum

from tests.crash.provider import LAST_BYTES, TERMINAL_EVENT, Provider, make_answer

MOMENT_S = 1.0
"""What streams this long before it is cut must have left a trace: a batch's age and two ticks, generously."""


FILLINGS = tuple("a line of a file that was read\n" * lines for lines in (10, 1_000, 10_000))
"""Few and the same for all, so that the observer counts their tokens once: not the counter is under test."""


class Seen(StrEnum):
    """How far an answer got at its client."""

    WHOLE = "last framing byte"
    TERMINAL = "terminal event, not the last byte"
    LONG_PART = "cut after more than a second"
    PART = "cut early"
    NOTHING = "no answer"


@dataclass(slots=True)
class View:
    """One exchange as its client saw it."""

    name: str
    body_bytes: int
    """Of the whole answer."""
    seen: Seen = Seen.NOTHING


class Load:
    """Workers that send one request after the other through the relay until told to stop."""

    def __init__(self, provider: Provider, relay_port: int, *, seed: int) -> None:
        self.views: dict[str, View] = {}
        self.refused = 0
        """Connections not accepted: no relay was up."""
        self._provider = provider
        self._port = relay_port
        self._seed = seed
        self._stopping = asyncio.Event()
        self._workers: list[asyncio.Task[None]] = []

    def start(self, *, streams: int, documents: int) -> None:
        """Begin with so many workers of each kind."""
        kinds = [True] * streams + [False] * documents
        self._workers = [asyncio.create_task(self._work(f"w{n}", streamed=kind)) for n, kind in enumerate(kinds)]

    async def stop(self) -> None:
        """Let every worker end its exchange."""
        self._stopping.set()
        await asyncio.gather(*self._workers)

    async def _work(self, worker: str, *, streamed: bool) -> None:
        rng = random.Random(f"{self._seed}/{worker}")
        turn = 0
        while not self._stopping.is_set():
            turn += 1
            name = f"{worker}-{turn}"
            answer = make_answer(name, rng, streamed=streamed)
            self._provider.answers[name] = answer
            view = View(name, answer.size)
            try:
                reader, writer = await asyncio.open_connection("127.0.0.1", self._port)
            except OSError:
                self.refused += 1
                await asyncio.sleep(0.05)
                continue
            self.views[name] = view
            with contextlib.suppress(ConnectionError):
                writer.write(_request(name, rng.choice(FILLINGS)))
                await writer.drain()
                view.seen = await _read(reader, answer.size if not streamed else None)
            writer.close()
            del self._provider.answers[name]
            await asyncio.sleep(0 if streamed else 0.1)


def _request(name: str, filling: str) -> bytes:
    body = json.dumps(
        {
            "model": "claude-sonnet-4-5",
            "max_tokens": 1000,
            "stream": True,
            "messages": [{"role": "user", "content": [{"type": "text", "text": text} for text in (filling, name)]}],
        }
    ).encode()
    head = (
        f"POST /{name}/v1/messages HTTP/1.1\r\nHost: relay\r\nContent-Type: application/json\r\n"
        f"x-compaction-session: {name}\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    )
    return head.encode() + body


async def _read(reader: asyncio.StreamReader, length: int | None) -> Seen:
    """Read to the end of the answer, or of the connection."""
    began = None
    got = b""
    while True:
        try:
            piece = await reader.read(65536)
        except ConnectionError:
            piece = b""
        if not piece:
            return _how_far(got, began)
        began = began or time.monotonic()
        got += piece
        head, _, body = got.partition(b"\r\n\r\n")
        if not head.startswith(b"HTTP/1.1 200"):
            continue
        if body.endswith(LAST_BYTES) if length is None else len(body) == length:
            return Seen.WHOLE


def _how_far(got: bytes, began: float | None) -> Seen:
    if TERMINAL_EVENT in got:
        return Seen.TERMINAL
    if began is None:
        return Seen.NOTHING
    return Seen.LONG_PART if time.monotonic() - began > MOMENT_S else Seen.PART
