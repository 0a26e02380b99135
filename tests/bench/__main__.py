"""What the product costs, beside others, in one run: `python -m tests.bench [--json FILE] [--only PART] [--quick]`.

Exit status 0 when something was measured: missed targets are printed, not turned into a status. 64 on a bad command
line, 69 when nothing could be measured, because wrk or nginx is missing.
"""

from __future__ import annotations

import argparse
import json
import signal
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.bench import live, live_findings, memory, observer, report, scan
from tests.bench.findings import Finding, Outcome
from tests.bench.load import LoadError
from tests.bench.processes import CannotStartError

PARTS = ("live", "memory", "observer", "scan")
EXIT_UNAVAILABLE = 69
SCRATCH = Path(__file__).parents[2] / "build" / "bench"
QUICK_SHARE = 0.2


class Bench:
    """One run, printed as it goes."""

    def __init__(self, folder: Path, *, quick: bool) -> None:
        self._folder = folder
        self._plan = live.QUICK if quick else live.FULL
        self._share = QUICK_SHARE if quick else 1.0
        self.cells: list[live.Cell] = []
        self.findings: list[Finding] = []

    def run(self, part: str) -> None:
        """Measure one part. A fault ends that part and is told."""
        parts = {"live": self._live, "memory": self._memory, "observer": self._observer, "scan": self._scan}
        measured = parts[part]()
        try:
            self.findings += measured
        except (CannotStartError, LoadError, RuntimeError) as fault:
            self.findings.append(Finding(part, "the rest of this part", "", None, "", Outcome.NOT_MEASURED, str(fault)))

    def _live(self) -> Iterator[Finding]:
        for cells in live.measure(self._plan, self._folder / "live"):
            self.cells += cells
            print("\n".join(report.cell_lines(cells)), flush=True)
        yield from live_findings.findings({cell.key: cell for cell in self.cells})

    def _memory(self) -> Iterator[Finding]:
        return memory.measure(self._folder / "memory", share=self._share)

    def _observer(self) -> Iterator[Finding]:
        return observer.measure(self._folder / "observer", share=self._share)

    def _scan(self) -> Iterator[Finding]:
        return scan.measure(self._folder / "scan", share=self._share)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run and print."""
    options = parser().parse_args(arguments)
    if options.markdown:
        report.write_into(options.into, report.markdown(report.read_run(options.markdown)))
        return 0
    SCRATCH.mkdir(parents=True, exist_ok=True)
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="run-", dir=SCRATCH, ignore_cleanup_errors=True) as name:
        bench = Bench(Path(name), quick=options.quick)
        for part in options.only or PARTS:
            bench.run(part)
    print("\n".join(report.summary(bench.findings)), flush=True)
    if options.json:
        about = {"quick": options.quick, "took_s": round(time.monotonic() - began)}
        options.json.parent.mkdir(parents=True, exist_ok=True)
        options.json.write_text(json.dumps(report.run_of(bench.cells, bench.findings, **about), indent=1) + "\n")
    has_run = any(finding.outcome is not Outcome.NOT_MEASURED for finding in bench.findings)
    return 0 if has_run else EXIT_UNAVAILABLE


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> None:  # type: ignore[override]  # it leaves, as the original does
        self.print_usage(sys.stderr)
        self.exit(64, f"{self.prog}: {message}\n")


def parser() -> argparse.ArgumentParser:
    """The command line."""
    made = _Parser(prog="python -m tests.bench", description=__doc__)
    made.add_argument("--json", type=Path, metavar="FILE", help="write the results there")
    made.add_argument("--only", action="append", choices=PARTS, help="one part; may be given several times")
    made.add_argument("--quick", action="store_true", help="a tenth of the exchanges, no TLS: to see that it runs")
    made.add_argument("--markdown", type=Path, metavar="JSON", help="measure nothing: put an earlier run's table ...")
    made.add_argument("--into", type=Path, metavar="PAGE", help="... into this page")
    return made


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))  # children are stopped on the way out
    sys.exit(main())
