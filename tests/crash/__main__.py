"""`python -m tests.crash`: kill -9 under load; every exchange that ended is in the store once, and nothing twice."""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import secrets
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from tests.crash.load import Load
from tests.crash.provider import Provider
from tests.crash.system import System, Victim
from tests.crash.verdict import stored, table, violations

EXIT_VIOLATED = 1


@dataclass(kw_only=True)
class Result:
    """What a run found; the JSON file."""

    seed: int
    rounds: int
    seconds: float = 0.0
    kills: dict[str, int] = field(default_factory=dict)
    missed: int = 0
    """Rounds whose process was not running at that moment."""
    exchanges: list[tuple[str, int, dict[str, int]]] = field(default_factory=list)
    refused_connections: int = 0
    segments_recycled: int = 0
    journal_left: list[str] = field(default_factory=list)
    ended_by_itself: bool = True
    left_behind: int = 0
    violations: list[str] = field(default_factory=list)


class Recycling:
    """Counts segment files that came back under another number, from outside."""

    def __init__(self, journal: Path) -> None:
        self._journal = journal
        self._names: dict[int, str] = {}
        self.count = 0

    def look(self) -> None:
        """Compare with the last look."""
        for path in self._journal.glob("*/*.seg"):
            try:
                inode = path.stat().st_ino
            except FileNotFoundError:
                continue
            before = self._names.get(inode)
            self.count += before is not None and before != path.name
            self._names[inode] = path.name


async def torment(system: System, result: Result, rng: random.Random, recycling: Recycling) -> None:
    """Kill at random moments; the load never waits for anything to come back."""
    kills: Counter[str] = Counter()
    for number in range(1, result.rounds + 1):
        until = time.monotonic() + rng.uniform(0.0, 1.5)
        while time.monotonic() < until:
            recycling.look()
            await asyncio.sleep(min(0.05, max(0.0, until - time.monotonic())))
        victim = rng.choice(list(Victim))
        if victim is Victim.RELAY and not await system.is_accepting():
            victim = Victim.SUPERVISOR
        if await system.kill(victim):
            kills[victim] += 1
        else:
            result.missed += 1
        if sys.stderr.isatty():
            print(f"\r{number}/{result.rounds} {victim:<12}", end="", file=sys.stderr, flush=True)
    result.kills = dict(sorted(kills.items()))


async def run(result: Result, folder: Path) -> None:
    """One run from a fresh data folder to the verdict."""
    began = time.monotonic()
    provider = Provider()
    await provider.start()
    system = System(folder, provider.port)
    await system.start()
    recycling = Recycling(system.data / "journal")
    load = Load(provider, system.port, seed=result.seed)
    load.start(streams=10, documents=4)
    try:
        await torment(system, result, random.Random(result.seed), recycling)
    finally:
        await load.stop()
        await system.stop()
        await provider.stop()
    if fault := await system.observe_the_rest():
        result.violations.append(f"observe --until-idle failed: {fault}")
    rows = stored(system.data / "store.db")
    result.violations += violations(load.views, rows)
    result.exchanges = table(load.views, rows)
    result.refused_connections = load.refused
    result.segments_recycled = recycling.count
    result.ended_by_itself = system.ended_by_itself
    result.left_behind = system.left_behind
    result.violations += system.faults
    result.journal_left = sorted(path.name for path in (system.data / "journal").glob("*/"))
    if result.journal_left:
        result.violations.append(f"{len(result.journal_left)} writers left in the journal after the observer was done")
    result.seconds = round(time.monotonic() - began, 1)


def report(result: Result) -> str:
    """The printed table."""
    lines = [f"{'the client saw':<36}{'exchanges':>10}   in the store"]
    for seen, count, marks in result.exchanges:
        told = ", ".join(f"{many} {mark}" for mark, many in marks.items())
        lines.append(f"{seen:<36}{count:>10}   {told}")
    kills = ", ".join(f"{count} {victim}" for victim, count in result.kills.items())
    lines += [
        "",
        f"killed: {kills}; not running when chosen: {result.missed}; seed {result.seed}; {result.seconds} s",
        f"connections refused while no relay was up: {result.refused_connections}",
        f"segments recycled: {result.segments_recycled}",
    ]
    if not result.ended_by_itself:
        lines.append("note: serve did not end on SIGTERM in time and was killed")
    if result.left_behind:
        lines.append(f"note: {result.left_behind} processes outlived the serve that was told to end, and were killed")
    verdict = "no violation" if not result.violations else f"{len(result.violations)} VIOLATIONS"
    return "\n".join([*lines, verdict, *result.violations[:50]])


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit code 0 only when no promise was broken."""
    made = argparse.ArgumentParser(prog="python -m tests.crash", description=__doc__)
    made.add_argument("--rounds", type=int, default=100, metavar="N", help="kills")
    made.add_argument("--seed", type=int, default=None, metavar="N", help="of the moments, victims and answers")
    made.add_argument("--json", type=Path, metavar="FILE", help="write the result there")
    made.add_argument("--keep", type=Path, metavar="DIR", help="use that empty folder and leave it")
    options = made.parse_args(arguments)
    seed = secrets.randbits(32) if options.seed is None else options.seed
    result = Result(seed=seed, rounds=options.rounds)
    print(f"seed {seed}", flush=True)
    if options.keep:
        options.keep.mkdir(parents=True)
        asyncio.run(run(result, options.keep.resolve()))
    else:
        with tempfile.TemporaryDirectory(prefix="crash-", ignore_cleanup_errors=True) as folder:
            asyncio.run(run(result, Path(folder)))
    print(report(result))
    if options.json:
        options.json.parent.mkdir(parents=True, exist_ok=True)
        options.json.write_text(json.dumps(asdict(result), indent=2) + "\n")
    return EXIT_VIOLATED if result.violations else 0


if __name__ == "__main__":
    sys.exit(main())
