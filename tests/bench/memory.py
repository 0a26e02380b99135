"""Memory of the relay: over many exchanges, and with readers that are much slower than the upstream."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tests.bench.cpu import rss_bytes
from tests.bench.findings import Finding, Limit, judged, told
from tests.bench.load import LOADS, drive
from tests.bench.targets import Target, ours
from tests.bench.upstreams import upstream

PART = "memory"
MIB = 1 << 20
READERS = 200
LARGE_BYTES = 64 * MIB
READ_BYTES, READ_EVERY_S = 16 * 1024, 0.25
"""64 KB/s for each reader; the upstream could give gigabytes."""
READ_FOR_S = 12.0
FLAT = Limit("at most 2 MiB more", most=2.0)
BOUNDED = Limit("at most 512 KiB for each reader", most=512.0)
FIRST, LAST, STEP = 5_000, 20_000, 1_000


class Growth(NamedTuple):
    """Resident memory of the relay, in bytes."""

    at: int
    relay: int
    observer: int


def measure(folder: Path, *, share: float = 1.0) -> Iterator[Finding]:
    """All figures of memory."""
    load = LOADS[0]
    with upstream(load, folder / "upstream") as provider:
        with (folder / "upstream" / "large.bin").open("wb") as large:
            large.truncate(LARGE_BYTES)
        (folder / "ours").mkdir()
        with ours(provider, folder / "ours") as target:
            yield from _exchanges(target, folder, share)
            yield from asyncio.run(_slow_readers(target, share))


def _exchanges(target: Target, folder: Path, share: float) -> Iterator[Finding]:
    assert target.pid is not None
    assert target.records is not None
    request = folder / "request.http"
    seen = []
    first, last, step = (int(count * share) for count in (FIRST, LAST, STEP))
    for at in range(step, last + 1, step):
        request.write_bytes(LOADS[0].request(f"memory-{at}"))
        drive(target.url, request, connections=16, exchanges=step, log=folder / "wrk.txt")
        seen.append(Growth(at, rss_bytes(target.pid), rss_bytes(target.records.observer)))
    target.records.catch_up()
    early = next(each for each in seen if each.at >= first)
    late = seen[-1]
    peak = max(each.relay for each in seen)
    why = f"{early.relay / MIB:.1f} MiB, then {late.relay / MIB:.1f} MiB; peak {peak / MIB:.1f} MiB"
    name = f"relay, from exchange {first:,} to {last:,}"
    yield judged(PART, name, FLAT, (late.relay - early.relay) / MIB, unit="MiB", why=why)
    grown = rss_bytes(target.records.observer)
    yield told(PART, "observer, the same", (grown - early.observer) / MIB, "MiB", f"{grown / MIB:.1f} MiB when idle")


async def _slow_readers(target: Target, share: float) -> list[Finding]:
    """Many clients ask for a large response and read little of it."""
    assert target.pid is not None
    before = rss_bytes(target.pid)
    stopped = asyncio.Event()
    count = max(int(READERS * share), 20)
    readers = [asyncio.create_task(_read_slowly(int(target.url.rpartition(":")[2]), stopped)) for _ in range(count)]
    seen = []
    until = time.monotonic() + READ_FOR_S
    while time.monotonic() < until:
        await asyncio.sleep(READ_FOR_S / 24)
        seen.append(rss_bytes(target.pid))
    stopped.set()
    got = sum(await asyncio.gather(*readers))
    steady, last = seen[len(seen) // 3], max(seen[len(seen) // 3 :])
    why = f"{count} readers got {got / MIB:.0f} MiB of {count * LARGE_BYTES / MIB:,.0f} MiB in {READ_FOR_S:.0f} s"
    each = (max(seen) - before) / 1024 / count
    peak = f"{before / MIB:.1f} MiB before, peak {max(seen) / MIB:.1f} MiB"
    name = f"relay, {count} slow readers"
    return [
        judged(PART, f"{name}, after all had begun", FLAT, (last - steady) / MIB, unit="MiB", why=why),
        judged(PART, f"{name}, peak for each", BOUNDED, each, unit="KiB", why=peak),
    ]


async def _read_slowly(port: int, stopped: asyncio.Event) -> int:
    """Read a little from time to time; bytes that came."""
    with socket.socket() as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, READ_BYTES)
        client.setblocking(False)
        loop = asyncio.get_running_loop()
        await loop.sock_connect(client, ("127.0.0.1", port))
        await loop.sock_sendall(client, b"GET /large.bin HTTP/1.1\r\nHost: api.anthropic.com\r\n\r\n")
        got = 0
        while not stopped.is_set():
            got += len(await loop.sock_recv(client, READ_BYTES))
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(stopped.wait(), READ_EVERY_S)
        return got
