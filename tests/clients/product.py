"""The product as a user runs it, by either door, in front of one provider; and the facts in its store."""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import AsyncIterator, Mapping, Sequence
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
from proxy.model.ids import ExchangeId
from proxy.store import Database, Reader, open_database, snapshot
from tests.clients.check import Facts

COMMAND = (sys.executable, "-c", "from gate.cli import main; main()")
START_S, OBSERVE_S, STOP_S = 30.0, 30.0, 30.0
MODEL_CALLS = frozenset(ExchangeKind) - {ExchangeKind.OTHER, ExchangeKind.OUT_OF_SCOPE, ExchangeKind.SOCKET}


Settings = Mapping[str, Mapping[str, str | int]]
"""Tables of the settings file."""


class ProductError(Exception):
    """The product did not start, or did not observe what went through it."""


@dataclass(slots=True)
class Product:
    """A running door and its store."""

    door_url: str
    database: Database
    _told: set[ExchangeId] = field(default_factory=set)
    """Exchanges of former cases."""

    async def facts(self, *, calls: int) -> Facts:
        """Everything found since the last time, once that many model calls were observed.

        Raises:
            ProductError: they are not there in time.
        """
        deadline = time.monotonic() + OBSERVE_S
        while True:
            with snapshot(self.database) as reader:
                exchanges = [e for e in reader.facts(ExchangeFact) if e.exchange not in self._told]
                seen = sum(exchange.kind in MODEL_CALLS for exchange in exchanges)
                if seen >= calls:
                    self._told |= {exchange.exchange for exchange in exchanges}
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
async def serving(command: Sequence[str], settings: Settings, folder: Path) -> AsyncIterator[Product]:
    """`serve` or `intercept` inside the block.

    Raises:
        ProductError: it did not start.
    """
    config, ready, log = folder / "gate.toml", folder / "ready.json", folder / "door.log"
    config.write_text(_toml({**settings, "store": {"data": str(folder / "data")}}), encoding="utf-8")
    with log.open("wb") as output:
        line = (*COMMAND, "--config", str(config), *command, "--ready-file", str(ready))
        process = await asyncio.create_subprocess_exec(*line, stdout=output, stderr=output)
        try:
            door_url = await _ready(process, ready, log)
            with open_database(f"sqlite:///{folder}/data/store.db", create=False) as database:
                yield Product(door_url, database)
        finally:
            await _stop(process)


def _toml(settings: Settings) -> str:
    return "".join(
        f"[{name}]\n" + "".join(f"{key} = {json.dumps(value)}\n" for key, value in table.items())
        for name, table in settings.items()
    )


async def _ready(process: asyncio.subprocess.Process, ready: Path, log: Path) -> str:
    deadline = time.monotonic() + START_S
    store = ready.parent / "data" / "store.db"
    while not (_exists(ready) and _exists(store)):
        if process.returncode is not None or time.monotonic() > deadline:
            raise ProductError(f"{ready.parent.name} did not start: {_tail(log)}")
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
