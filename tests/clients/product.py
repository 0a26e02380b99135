"""The product as a user runs it: `compaction-gate serve` in front of one provider, and the facts in its store."""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from proxy.model.facts import (
    BoundaryFact,
    CallFact,
    ExchangeFact,
    ExchangeKind,
    IterationFact,
    SessionFact,
    ThreadFact,
    TurnFact,
)
from proxy.store import Database, Reader, open_database, snapshot
from tests.clients.check import Facts

COMMAND = (sys.executable, "-c", "from gate.cli import main; main()")
START_S, OBSERVE_S, STOP_S = 30.0, 30.0, 30.0
MODEL_CALLS = frozenset(ExchangeKind) - {ExchangeKind.OTHER, ExchangeKind.OUT_OF_SCOPE}


class ProductError(Exception):
    """The product did not start, or did not observe what went through it."""


@dataclass(slots=True)
class Product:
    """A running relay and its store."""

    relay_url: str
    database: Database
    _told: set[tuple[str, int]] = field(default_factory=set)
    """Exchanges of former cases."""

    async def facts(self, *, calls: int) -> Facts:
        """Everything found since the last time, once that many model calls were observed.

        Raises:
            ProductError: they are not there in time.
        """
        deadline = time.monotonic() + OBSERVE_S
        while True:
            with snapshot(self.database) as reader:
                exchanges = [e for e in reader.facts(ExchangeFact) if (e.writer, e.number) not in self._told]
                seen = sum(exchange.kind in MODEL_CALLS for exchange in exchanges)
                if seen >= calls:
                    self._told |= {(exchange.writer, exchange.number) for exchange in exchanges}
                    return _facts(reader, exchanges)
            if time.monotonic() > deadline:
                raise ProductError(f"{seen} of {calls} model calls were observed within {OBSERVE_S:.0f} s")
            await asyncio.sleep(0.1)


def _facts(reader: Reader, exchanges: list[ExchangeFact]) -> Facts:
    sessions = sorted({exchange.session for exchange in exchanges if exchange.session is not None})
    return Facts(
        sessions=[fact for own in sessions for fact in reader.facts(SessionFact, session=own)],
        threads=[fact for own in sessions for fact in reader.facts(ThreadFact, session=own)],
        exchanges=exchanges,
        turns=[fact for own in sessions for fact in reader.facts(TurnFact, session=own)],
        iterations=[fact for own in sessions for fact in reader.facts(IterationFact, session=own)],
        calls=[fact for own in sessions for fact in reader.facts(CallFact, session=own)],
        boundaries=[fact for own in sessions for fact in reader.facts(BoundaryFact, session=own)],
    )


@asynccontextmanager
async def serving(upstream: str, folder: Path) -> AsyncIterator[Product]:
    """`serve` inside the block, in front of that address.

    Raises:
        ProductError: it did not start.
    """
    config, ready, log = folder / "gate.toml", folder / "ready.json", folder / "serve.log"
    config.write_text(_config(upstream, folder / "data"), encoding="utf-8")
    with log.open("wb") as output:
        command = (*COMMAND, "--config", str(config), "serve", "--ready-file", str(ready))
        process = await asyncio.create_subprocess_exec(*command, stdout=output, stderr=output)
        try:
            relay_url = await _ready(process, ready, log)
            with open_database(f"sqlite:///{folder}/data/store.db", create=False) as database:
                yield Product(relay_url, database)
        finally:
            await _stop(process)


def _config(upstream: str, data: Path) -> str:
    tables = {
        "relay": ('listen = "127.0.0.1:0"', 'default_upstream = "scripted"', "drain_s = 5"),
        "upstreams.scripted": (f'url = "{upstream}"',),
        "admin": ('listen = "127.0.0.1:0"',),
        "store": (f'data = "{data}"',),
        "capture": ("free_disk_floor_gib = 0",),
    }
    return "".join("\n".join((f"[{name}]", *rows, "", "")) for name, rows in tables.items())


async def _ready(process: asyncio.subprocess.Process, ready: Path, log: Path) -> str:
    deadline = time.monotonic() + START_S
    store = ready.parent / "data" / "store.db"
    while not (_exists(ready) and _exists(store)):
        if process.returncode is not None or time.monotonic() > deadline:
            raise ProductError(f"serve did not start: {_tail(log)}")
        await asyncio.sleep(0.05)
    return str(json.loads(_text(ready))["relay"])


def _exists(path: Path) -> bool:
    return path.exists()


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def _tail(log: Path) -> str:
    return " / ".join(_text(log).splitlines()[-3:])


async def _stop(process: asyncio.subprocess.Process) -> None:
    if process.returncode is not None:
        return
    process.terminate()
    try:
        await asyncio.wait_for(process.wait(), STOP_S)
    except TimeoutError:
        process.kill()
        await process.wait()
