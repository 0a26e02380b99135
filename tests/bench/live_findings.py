"""The live path's figures against their targets. Ratios are medians of ratios within a round."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from statistics import median

from tests.bench.findings import Finding, Limit, judged
from tests.bench.live import Cell, Cells
from tests.bench.load import CONNECTIONS

PART = "live path"
Figure = Callable[[Cell, Cell], float | None]


def cpu_ratio(ours: Cell, other: Cell) -> float | None:
    """Our CPU for one exchange, in multiples of the other's."""
    pairs = zip(ours.samples, other.samples, strict=False)
    ratios = [mine.cpu_s / its.cpu_s for mine, its in pairs if mine.cpu_s is not None and its.cpu_s]
    return median(ratios) if ratios else None


def cpu_saving(ours: Cell, other: Cell) -> float | None:
    """The other's CPU for one exchange, in multiples of ours."""
    ratio = cpu_ratio(ours, other)
    return 1 / ratio if ratio else None


def added_ms(ours: Cell, other: Cell) -> float | None:
    """By how many milliseconds our p50 is above the other's."""
    pairs = zip(ours.samples, other.samples, strict=False)
    return median([(mine.p50_s - its.p50_s) * 1e3 for mine, its in pairs])


TARGETS: tuple[tuple[str, str, tuple[int, ...], Figure, Limit, str], ...] = (
    ("2 KB", "nginx", CONNECTIONS, cpu_ratio, Limit("at most 3 x nginx", most=3.0), "x"),
    ("400 KB", "nginx", CONNECTIONS, cpu_ratio, Limit("at most 4 x nginx", most=4.0), "x"),
    ("stream", "nginx", CONNECTIONS, cpu_ratio, Limit("at most 1.5 x nginx", most=1.5), "x"),
    ("2 KB", "aiohttp+uvloop", CONNECTIONS, cpu_saving, Limit("at least 3 x less than aiohttp", least=3.0), "x"),
    ("2 KB", "nginx", (1,), added_ms, Limit("at most nginx + 0.15 ms", most=0.15), "ms"),
)
"""Load, whom ours is compared with, over how many connections, how, and what is promised."""
NAMES: dict[Figure, str] = {cpu_ratio: "CPU", cpu_saving: "CPU saved", added_ms: "p50"}


def findings(cells: Cells) -> Iterator[Finding]:
    """Every target, for each number of connections."""
    for load, other, connections, figure, limit, unit in TARGETS:
        for count in connections:
            name = f"{NAMES[figure]} at {load}, {count} connection{'s' if count > 1 else ''}"
            mine, its = cells.get((False, load, count, "ours")), cells.get((False, load, count, other))
            why = _why_not(mine) or _why_not(its)
            value = figure(mine, its) if mine and its and not why else None
            yield judged(PART, name, limit, value, unit=unit, why=why)


def _why_not(cell: Cell | None) -> str:
    if cell is None:
        return "not run"
    return cell.why or ("" if cell.samples else "no round ended")
