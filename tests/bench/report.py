"""The report: a line for each cell and each target, the same as JSON, and the table of the documentation."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from tests.bench.findings import Finding
from tests.bench.live import Cell

MIB = 1 << 20
BEGIN, END = "<!-- measured: begin -->", "<!-- measured: end -->"
Run = dict[str, Any]

HEAD = (
    f"{'load':<8}{'conns':>6}  {'target':<16}{'req/s':>9}{'p50 ms':>9}{'CPU ms':>9}{'x nginx':>9}{'RSS MiB':>9}"
    f"{'exchanges':>11}  "
)


def number(value: float | None, digits: int = 2, factor: float = 1.0) -> str:
    """A figure; a dash where there is none."""
    return "-" if value is None else f"{value * factor:,.{digits}f}"


def cell_line(cell: Cell, floor: Cell | None) -> str:
    """One cell, with its CPU in multiples of nginx's."""
    start = f"{cell.load:<8}{cell.connections:>6}  {cell.target:<16}"
    if not cell.is_measured:
        return f"{start}not measured ({cell.why or 'no round ended'})"
    rss = None if cell.rss_bytes is None else cell.rss_bytes / MIB
    observer = f"observer {number(cell.observer_cpu_s, 2, 1e3)} ms" if cell.observer_cpu_s else ""
    return (
        f"{start}{number(cell.median('per_second'), 0):>9}{number(cell.median('p50_s'), 3, 1e3):>9}"
        f"{number(cell.median('cpu_s'), 3, 1e3):>9}{number(times_nginx(cell, floor)):>9}{number(rss, 0):>9}"
        f"{cell.exchanges:>11,}  {observer}"
    ).rstrip()


def times_nginx(cell: Cell, floor: Cell | None) -> float | None:
    """CPU of one exchange, medians, nginx = 1."""
    mine = cell.median("cpu_s")
    its = floor.median("cpu_s") if floor else None
    return mine / its if mine is not None and its else None


def cell_lines(cells: Sequence[Cell]) -> list[str]:
    """All cells of one load."""
    floors = {cell.connections: cell for cell in cells if cell.target == "nginx"}
    title = f"\nlive path, {'TLS' if cells[0].tls else 'plain'} upstream"
    return [title, HEAD.rstrip(), *(cell_line(cell, floors.get(cell.connections)) for cell in cells)]


def finding_line(finding: Finding) -> str:
    """One figure against its target."""
    figure = f"{number(finding.figure)} {finding.unit}" if finding.figure is not None else ""
    why = f"({finding.why})" if finding.why else ""
    words = f"{finding.outcome:<13}{finding.part:<10} {finding.name:<54} {figure:<26} {finding.target:<40} {why}"
    return words.rstrip()


def summary(findings: Iterable[Finding]) -> list[str]:
    """All targets, the missed ones counted."""
    listed = list(findings)
    counts = {outcome: sum(each.outcome == outcome for each in listed) for outcome in ("met", "missed", "not measured")}
    told = ", ".join(f"{count} {outcome}" for outcome, count in counts.items())
    return ["\ntargets", *map(finding_line, listed), f"\n{told}"]


def run_of(cells: Iterable[Cell], findings: Iterable[Finding], **about: object) -> Run:
    """Everything, as JSON values."""
    return {
        "about": {"python": platform.python_version(), "cpus": os.cpu_count(), "machine": platform.machine(), **about},
        "cells": [_cell(cell) for cell in cells],
        "findings": [
            {
                "part": each.part,
                "name": each.name,
                "target": each.target,
                "figure": each.figure,
                "unit": each.unit,
                "outcome": each.outcome.value,
                "why": each.why,
            }
            for each in findings
        ],
    }


def _cell(cell: Cell) -> dict[str, Any]:
    return {
        "target": cell.target,
        "load": cell.load,
        "connections": cell.connections,
        "tls": cell.tls,
        "measured": cell.is_measured,
        "why": cell.why,
        "exchanges": cell.exchanges,
        "requests_per_second": cell.median("per_second"),
        "p50_ms": _ms(cell.median("p50_s")),
        "cpu_ms_per_exchange": _ms(cell.median("cpu_s")),
        "rss_bytes": cell.rss_bytes,
        "observer_cpu_ms_per_exchange": _ms(cell.observer_cpu_s),
        "rounds": [sample._asdict() for sample in cell.samples],
    }


def _ms(value: float | None) -> float | None:
    return None if value is None else value * 1e3


def markdown(run: Run) -> str:
    """One run as ratios: what another machine may compare itself with."""
    lines = ["| upstream | load | connections | target | CPU, nginx = 1 | p50, nginx = 1 | req/s, nginx = 1 |"]
    lines.append("|---|---|---|---|---|---|---|")
    floors = {_place(cell): cell for cell in run["cells"] if cell["target"] == "nginx"}
    for cell in run["cells"]:
        floor = floors.get(_place(cell))
        fields = ("cpu_ms_per_exchange", "p50_ms", "requests_per_second")
        if cell["measured"]:
            ratios = [_ratio(cell[field], floor[field] if floor else None) for field in fields]
        else:
            ratios = ["not measured", "", ""]
        door = "TLS" if cell["tls"] else "plain"
        lines.append(f"| {door} | {cell['load']} | {cell['connections']} | {cell['target']} | {' | '.join(ratios)} |")
    lines += ["", "| target | asked | found | outcome |", "|---|---|---|---|"]
    lines += [
        f"| {each['part']}: {each['name']} | {each['target'] or '-'} | {_figure(each)} | {each['outcome']} |"
        for each in run["findings"]
    ]
    return "\n".join(lines)


def _place(cell: dict[str, Any]) -> tuple[bool, str, int]:
    return (cell["tls"], cell["load"], cell["connections"])


def _ratio(mine: float | None, its: float | None) -> str:
    return "-" if mine is None or not its else number(mine / its)


def _figure(finding: dict[str, Any]) -> str:
    return "-" if finding["figure"] is None else f"{number(finding['figure'])} {finding['unit']}"


def write_into(page: Path, table: str) -> None:
    """Put the table between the page's two marks."""
    before, _, rest = page.read_text("utf-8").partition(BEGIN)
    after = rest.partition(END)[2]
    page.write_text(f"{before}{BEGIN}\n{table}\n{END}{after}", "utf-8")


def read_run(path: Path) -> Run:
    """A file that `--json` wrote."""
    run: Run = json.loads(path.read_text("utf-8"))
    return run
