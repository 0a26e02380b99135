"""Real clients against the scripted provider: `python -m tests.clients [--direct] [--only NAME] [--json FILE]`.

Each scenario's calls, usage, sessions, threads, boundaries and re-reads as the product found them are compared with
the provider's ledger. A run of everything writes what each client sends to docs/clients.md. Exit status 0 when all
hold, 1 when one does not, 69 when a client could not be had.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path

from tests.clients import page
from tests.clients.case import Case, cases_of
from tests.clients.lane import LANES, Lane, straight_lane
from tests.clients.programs.client import Client, Door
from tests.clients.programs.install import NotAvailableError, install_all
from tests.clients.programs.installed import OURS, clients_of
from tests.clients.report import Outcome, exit_status, lines_of, write_json

BESIDE = {Door.BASE_URL: 2, Door.INTERCEPT: 1}
"""Lanes per door that run at the same time."""


async def main(arguments: Sequence[str]) -> int:
    """Run, print, and say how it went."""
    options = _options(arguments)
    outcomes: list[Outcome] = []
    async for outcome in _outcomes(options):
        outcomes.append(outcome)
        print("\n".join(lines_of(outcome)), flush=True)
    if not (options.only or options.direct):
        page.write(outcomes)
    if options.json:
        write_json(outcomes, options.json)
    return exit_status(outcomes)


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.clients", description=__doc__)
    parser.add_argument("--direct", action="store_true", help="without the product: does the client follow the script?")
    parser.add_argument(
        "--only", action="append", default=[], metavar="NAME", help="part of a client, scenario or door name"
    )
    parser.add_argument("--json", type=Path, metavar="FILE")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="leave the cases' folders there")
    return parser.parse_args(arguments)


async def _outcomes(options: argparse.Namespace) -> AsyncIterator[Outcome]:
    clients: list[Client] = [*OURS]
    for package, program in (await install_all()).items():
        if isinstance(program, NotAvailableError):
            wanted = package.value
            yield Outcome(client=f"{wanted.name} {wanted.version}", scenario="all", not_run=str(program))
        else:
            clients += clients_of(package, program)
    with tempfile.TemporaryDirectory(prefix="clients-", ignore_cleanup_errors=True) as made:
        scratch = options.keep or Path(made)
        cases = cases_of(clients, options.only, scratch)
        if options.direct:
            cases = [case for case in cases if case.door is Door.BASE_URL]
        async for outcome in _in_lanes(cases, scratch, direct=options.direct):
            yield outcome


async def _in_lanes(cases: Sequence[Case], scratch: Path, *, direct: bool) -> AsyncIterator[Outcome]:
    """Cases of all doors, some beside each other, as they end."""
    done: asyncio.Queue[Outcome] = asyncio.Queue()
    async with asyncio.TaskGroup() as lanes:
        for door in LANES:
            waiting = [case for case in reversed(cases) if case.door is door]
            for number in range(min(BESIDE[door], len(waiting))):
                lane = straight_lane if direct else LANES[door]
                lanes.create_task(_drive(lane, scratch / f"{door.name}-{number}", waiting, done))
        for _ in cases:
            yield await done.get()


async def _drive(
    lane: Callable[[Path], AbstractAsyncContextManager[Lane]],
    folder: Path,
    waiting: list[Case],
    done: asyncio.Queue[Outcome],
) -> None:
    """Take the next case of this door until there is none."""
    async with lane(folder) as running:
        while waiting:
            await done.put(await waiting.pop().run(running))


if __name__ == "__main__":
    sys.exit(asyncio.run(main(sys.argv[1:])))
