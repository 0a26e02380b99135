"""The printed table, and the same as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from proxy.scripted.provider import Served
from tests.clients.check import Finding

FAILED, NOT_RUN = 1, 69


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """One scenario with one client through one door."""

    client: str
    scenario: str
    why: str = ""
    door: str = ""
    findings: Sequence[Finding] = ()
    not_run: str = ""
    """Why it was not run; empty when it was."""
    seconds: float = 0.0
    served: Sequence[Served] = ()
    """What the provider knows."""
    transcript: Sequence[str] = ()
    """Where the client's own transcript shows something else than the wire."""

    @property
    def verdict(self) -> str:
        """`ok`, `FAILED` or `not run`."""
        if self.not_run:
            return "not run"
        return "ok" if all(finding.holds for finding in self.findings) else "FAILED"


def exit_status(outcomes: Sequence[Outcome]) -> int:
    """`FAILED` when anything did not hold, `NOT_RUN` when something could not be run, else 0."""
    verdicts = {outcome.verdict for outcome in outcomes}
    return FAILED if "FAILED" in verdicts else NOT_RUN if "not run" in verdicts or not verdicts else 0


def lines_of(outcome: Outcome) -> list[str]:
    """A row, and under it what did not hold."""
    checks = f"{sum(f.holds for f in outcome.findings)}/{len(outcome.findings)}" if outcome.findings else ""
    case = f"{outcome.client:38}{outcome.door:11}{outcome.scenario:19}"
    row = f"{outcome.verdict:8}{case}{checks:>7}{outcome.seconds:8.1f} s"
    wrong = [f"          {f.what}: expected {f.expected!r}, found {f.found!r}" for f in outcome.findings if not f.holds]
    other = [f"          transcript differs: {one}" for one in outcome.transcript]
    return [row, *other, *([f"          {outcome.not_run}"] if outcome.not_run else []), *wrong]


def write_json(outcomes: Sequence[Outcome], path: Path) -> None:
    """All outcomes, also of checks that held."""
    rows = [
        {
            "client": outcome.client,
            "scenario": outcome.scenario,
            "door": outcome.door,
            "why": outcome.why,
            "verdict": outcome.verdict,
            "not_run": outcome.not_run,
            "transcript_differs": list(outcome.transcript),
            "seconds": round(outcome.seconds, 2),
            "findings": [{**finding._asdict(), "holds": finding.holds} for finding in outcome.findings],
        }
        for outcome in outcomes
    ]
    path.write_text(json.dumps({"outcomes": rows}, indent=1, default=str) + "\n", encoding="utf-8")
