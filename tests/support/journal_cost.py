"""`python -m tests.support.journal_cost`: CPU of the journal per exchange, and of a bare `os.pwrite` of its bytes."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable
from itertools import cycle
from pathlib import Path

from proxy.journal.limits import JournalLimits
from proxy.journal.payloads import OpenHead
from proxy.journal.reader import JournalReader
from proxy.journal.writer import JournalWriter
from proxy.model.exchange import Outcome

ROUNDS = 25
REQUEST_HEADERS = (
    ("Host", "api.anthropic.com"),
    ("x-api-key", "<redacted>"),
    ("Content-Type", "application/json"),
    ("User-Agent", "claude-cli/2.1.332 (external, cli)"),
    ("Accept", "application/json"),
    ("anthropic-version", "2023-06-01"),
    ("anthropic-beta", "interleaved-thinking-2025-05-14,context-management-2025-06-27"),
    ("Accept-Encoding", "br, gzip, deflate"),
)
RESPONSE_HEADERS = (
    ("Date", "Mon, 30 Nov 2026 19:28:46 GMT"),
    ("Content-Type", "application/json"),
    ("request-id", "req_011CVd7AbCdEfGhIjKlMnOpQ"),
    ("Content-Length", "2048"),
)


def exchange(writer: JournalWriter, request: bytes, pieces: list[bytes]) -> None:
    """One exchange as the relay records it; the relay reads the clock for itself, so that is not counted here."""
    now = 1_000_000_000
    head = OpenHead(
        wall_us=1_750_000_000_000_000, mono_ns=now, upstream="anthropic", door="base_url", tag="", method="POST",
        target="/v1/messages?beta=true", headers=REQUEST_HEADERS,
    )  # fmt: skip
    recorder = writer.begin(head)
    recorder.request_piece(request, now)
    recorder.request_done()
    recorder.response_head(200, RESPONSE_HEADERS, now)
    for piece in pieces:
        recorder.response_piece(piece, now)
    recorder.close(Outcome.COMPLETE, now, response_complete=True)


def best_us(action: Callable[[], object], times: int, after: Callable[[], object]) -> float:
    """Least CPU of one action over some rounds: what the machine's other work does not add to."""
    least = float("inf")
    for _ in range(ROUNDS):
        began = time.process_time_ns()
        for _ in range(times):
            action()
        least = min(least, (time.process_time_ns() - began) / times / 1000)
        after()
    return least


def main() -> None:
    """Print one line per shape of exchange."""
    shapes = {
        "2 KB": (os.urandom(300), [os.urandom(2048)], 500),
        "400 KB": (os.urandom(300), [os.urandom(65536)] * 6 + [os.urandom(6784)], 20),
        "200 pieces of 120 B": (os.urandom(300), [os.urandom(120) for _ in range(200)], 100),
    }
    print(f"{'exchange':<22}{'journal µs':>12}{'bare µs':>10}{'ratio':>8}{'bytes':>10}")
    for name, (request, pieces, times) in shapes.items():
        with tempfile.TemporaryDirectory() as folder:
            writer = JournalWriter(Path(folder) / "journal", settings=JournalLimits(free_floor_bytes=0), clock=time)
            reader = JournalReader(Path(folder) / "journal")

            def consume(reader: JournalReader = reader) -> None:
                for found in reader.poll():
                    reader.release(found.id.writer, reader.mark(found.id.writer))

            exchange(writer, request, pieces)
            size = writer.counters.bytes_written
            ours = best_us(lambda: exchange(writer, request, pieces), times, consume)  # noqa: B023
            fd = os.open(Path(folder) / "bare", os.O_RDWR | os.O_CREAT)
            room = JournalLimits().segment_bytes
            os.posix_fallocate(fd, 0, room)
            blob = os.urandom(size)
            places = cycle(range(0, room - size, size))
            bare = best_us(lambda: os.pwrite(fd, blob, next(places)), times, lambda: None)  # noqa: B023
            os.close(fd)
            writer.close()
            reader.close()
        print(f"{name:<22}{ours:>12.1f}{bare:>10.1f}{ours / bare:>8.1f}{size:>10}")


if __name__ == "__main__":
    main()
