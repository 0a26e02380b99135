"""The live path: every target under every load, in rounds that take turns, so that all share the machine's moods."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import NamedTuple

from tests.bench.cpu import cpu_s, rss_bytes
from tests.bench.load import CONNECTIONS, LOADS, Load, LoadError, Round, drive
from tests.bench.processes import CannotStartError
from tests.bench.targets import TARGETS, Target
from tests.bench.upstreams import Upstream, upstream

WARM_UP = 40


class Plan(NamedTuple):
    """How much is run."""

    rounds: int
    share: float
    """Of each cell's exchanges: 1 in full."""
    doors: tuple[bool, ...]
    """Upstreams without and with TLS."""


FULL = Plan(10, 1.0, (False, True))
QUICK = Plan(2, 0.1, (False,))


class Sample(NamedTuple):
    """One round of one cell."""

    per_second: float
    p50_s: float
    cpu_s: float | None
    """Of the proxy process, for one exchange; None = there is no proxy."""


@dataclass(slots=True)
class Cell:
    """One target under one load over so many connections."""

    target: str
    load: str
    connections: int
    tls: bool
    samples: list[Sample] = field(default_factory=list)
    exchanges: int = 0
    rss_bytes: int | None = None
    observer_cpu_s: float | None = None
    """Of our observer, for one exchange, over all cells of the load."""
    why: str = ""
    """Why it is not measured."""

    @property
    def key(self) -> tuple[bool, str, int, str]:
        """Names it."""
        return (self.tls, self.load, self.connections, self.target)

    @property
    def is_measured(self) -> bool:
        """Whether its figures count."""
        return bool(self.samples) and not self.why

    def median(self, name: str) -> float | None:
        """Over the rounds, of one field of `Sample`; None when not measured."""
        found = [getattr(sample, name) for sample in self.samples]
        return median(found) if self.is_measured and None not in found else None


Cells = Mapping[tuple[bool, str, int, str], Cell]


def measure(plan: Plan, folder: Path) -> Iterator[list[Cell]]:
    """All cells of one load after the other."""
    for tls in plan.doors:
        for load in LOADS:
            place = folder / f"{'tls-' if tls else ''}{load.name.replace(' ', '')}"
            bench = _Bench(plan, load, tls=tls, place=place)
            try:
                with upstream(load, place / "upstream", tls=tls) as provider:
                    bench.run(provider)
            except CannotStartError as fault:
                bench.give_up(str(fault))
            yield list(bench.cells.values())


class _Bench:
    """One load against one upstream."""

    def __init__(self, plan: Plan, load: Load, *, tls: bool, place: Path) -> None:
        self._plan = plan
        self._load = load
        self._place = place
        self._log = place / "wrk.txt"
        self.cells = {
            (name, connections): Cell(name, load.name, connections, tls)
            for connections in CONNECTIONS
            for name in TARGETS
        }

    def run(self, provider: Upstream) -> None:
        """Start every target, measure in turns, stop them."""
        with ExitStack() as stack:
            targets = list(self._start(stack, provider))
            observed = [(each, cpu_s(each.records.observer)) for each in targets if each.records]
            for number in range(self._plan.rounds):
                self._round(targets[number % len(targets) :] + targets[: number % len(targets)], number)
            for target, before in observed:
                self._account(target, before)

    def give_up(self, why: str) -> None:
        """No cell can be measured."""
        for cell in self.cells.values():
            cell.why = cell.why or why

    def _start(self, stack: ExitStack, provider: Upstream) -> Iterator[Target]:
        for name, start in TARGETS.items():
            folder = self._place / name
            folder.mkdir()
            try:
                target = stack.enter_context(start(provider, folder))
                self._drive(target, self._request("warm-up"), 1, WARM_UP)
            except (CannotStartError, LoadError) as fault:
                for connections in CONNECTIONS:
                    self.cells[name, connections].why = str(fault)
            else:
                yield target

    def _request(self, name: str) -> Path:
        file = self._place / f"{name}.http"
        file.write_bytes(self._load.request(name))
        return file

    def _round(self, targets: Sequence[Target], number: int) -> None:
        exchanges = max(int(self._load.exchanges * self._plan.share) // self._plan.rounds, 1)
        for connections in CONNECTIONS:
            request = self._request(f"round-{number}-{connections}")
            for target in targets:
                cell = self.cells[target.name, connections]
                if not cell.why:
                    self._measure(target, cell, request, exchanges)

    def _measure(self, target: Target, cell: Cell, request: Path, exchanges: int) -> None:
        before = cpu_s(target.pid) if target.pid else None
        recorded = target.records.read() if target.records else None
        try:
            done = self._drive(target, request, cell.connections, exchanges)
        except LoadError as fault:
            cell.why = str(fault)
            return
        used = (cpu_s(target.pid) - before) / done.exchanges if target.pid and before is not None else None
        cell.samples.append(Sample(done.per_second, done.p50_s, used))
        cell.exchanges += done.exchanges
        cell.rss_bytes = rss_bytes(target.pid) if target.pid else None
        if target.records and recorded:
            after = target.records.settle()
            missing = after.requests - recorded.requests - (after.exchanges - recorded.exchanges)
            if missing or after.requests - recorded.requests < done.exchanges:
                cell.why = f"{missing} exchanges not journalled {after.lost or ''}"
            target.records.catch_up()  # or the observer would go on into somebody else's round

    def _drive(self, target: Target, request: Path, connections: int, exchanges: int) -> Round:
        return drive(target.url, request, connections=connections, exchanges=exchanges, log=self._log)

    def _account(self, target: Target, before: float) -> None:
        """What the observer took for each exchange, and whether it has read all of them."""
        assert target.records is not None
        behind = target.records.catch_up()
        read = target.records.settle().exchanges
        used = (cpu_s(target.records.observer) - before) / read if read else None
        for connections in CONNECTIONS:
            cell = self.cells[target.name, connections]
            cell.observer_cpu_s = used
            if behind and not cell.why:
                cell.why = f"the observer is {behind} exchanges behind"
