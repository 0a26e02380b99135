"""Results as a printed table, as JSON, and as the Markdown table of the documentation."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import TypedDict

from tests.conformance.cases import CASES
from tests.conformance.harness.findings import REFUSED
from tests.conformance.harness.registry import Outcome, Probe, Result

BEGIN, END = "<!-- table: begin -->", "<!-- table: end -->"


class Row(TypedDict):
    """One result in the JSON file."""

    id: str
    profile: str
    sentence: str
    reference: str
    outcome: str
    detail: str


class Run(TypedDict):
    """The JSON file: one target, its results in order."""

    schema: str
    target: str
    took_s: float
    totals: dict[str, int]
    results: list[Row]


def run_of(target: str, results: Sequence[Result], took_s: float) -> Run:
    """The JSON form of a run."""
    return Run(
        schema="compaction-gate/conformance/1",
        target=target,
        took_s=round(took_s, 1),
        totals=totals(results),
        results=[
            Row(
                id=result.probe.id,
                profile=result.probe.profile,
                sentence=result.probe.sentence,
                reference=result.probe.reference,
                outcome=result.outcome.value,
                detail=result.detail,
            )
            for result in results
        ],
    )


def totals(results: Sequence[Result]) -> dict[str, int]:
    """How many probes ended in each way; every way is named."""
    counted = Counter(result.outcome for result in results)
    return {outcome.value: counted[outcome] for outcome in Outcome}


def line(result: Result) -> str:
    """One line of the printed table, and the finding below it."""
    shown = f"{result.outcome.value:<11} {result.probe.id:<34} {result.probe.sentence} [{result.probe.reference}]"
    if result.outcome is Outcome.PASS:
        return shown
    return f"{shown}\n{'':<12}↳ {result.detail}"


def summary(target: str, results: Sequence[Result], took_s: float) -> str:
    """The last line."""
    return f"{target}: {counts(totals(results))} of {len(results)} probes in {took_s:.0f} s"


def counts(numbers: Mapping[str, int]) -> str:
    """`3 pass, 1 fail`."""
    return ", ".join(f"{numbers[outcome]} {outcome}" for outcome in Outcome if numbers.get(outcome))


def listing(probes: Sequence[Probe]) -> str:
    """What `--list` prints."""
    marks = {(True, False): " (ours only)", (False, True): " (--long)", (True, True): " (ours only, --long)"}
    return "\n".join(
        f"{probe.profile:<15} {probe.id:<34} {probe.sentence} [{probe.reference}]"
        + marks.get((probe.is_ours, probe.is_long), "")
        for probe in probes
    )


def by_target(runs: Sequence[Run]) -> dict[str, dict[str, str]]:
    """Target to probe to outcome; of several runs on one target the last that did not skip it counts."""
    outcomes: dict[str, dict[str, str]] = {}
    for run in runs:
        told = outcomes.setdefault(run["target"], {})
        for row in run["results"]:
            if row["outcome"] != Outcome.SKIPPED or row["id"] not in told:
                told[row["id"]] = row["outcome"]
    return outcomes


def markdown(runs: Sequence[Run]) -> str:
    """One table per profile, one column per target. Cells are the outcomes; findings stay in the JSON."""
    outcomes = by_target(runs)
    names = " | ".join(outcomes)
    parts = ["\n".join(f"- {target}: {counts(Counter(told.values()))}" for target, told in outcomes.items())]
    for profile, rows in groupby(runs[0]["results"], key=lambda row: row["profile"]):
        table = [f"| {profile} | promise | reference | {names} |", "|---|---|---|" + "---|" * len(outcomes)]
        for row in rows:
            cells = " | ".join(shown(told.get(row["id"], "")) for told in outcomes.values())
            table.append(f"| `{row['id']}` | {escaped(row['sentence'])} | {row['reference']} | {cells} |")
        parts.append("\n".join(table))
    return "\n\n".join((*parts, *reason_table(runs), case_table(runs[0]["results"])))


def reason_table(runs: Sequence[Run]) -> Iterator[str]:
    """Why a door of ours does not support what it does not: a reason that was declared, not an answer that was seen."""
    found: dict[str, dict[str, None]] = {}
    for run in runs:
        for row in run["results"]:
            if row["outcome"] == Outcome.UNSUPPORTED and not row["detail"].startswith(REFUSED):
                found.setdefault(row["detail"], {})[f"`{row['id']}`"] = None
    if found:
        rows = (f"| {escaped(reason)} | {', '.join(probes)} |" for reason, probes in found.items())
        yield "\n".join(("| unsupported by the intercept door, because | probes |", "|---|---|", *rows))


def case_table(rows: Sequence[Row]) -> str:
    """Failure cases with the probes that hold a target to what is right."""
    table = ["| case | reported in | what is right | probes |", "|---|---|---|---|"]
    for case in CASES:
        probes = ", ".join(f"`{row['id']}`" for row in rows if case.number in row["reference"].split(", "))
        table.append(f"| {case.number} | {case.thread} | {case.right} | {probes} |")
    return "\n".join(table)


def shown(outcome: str) -> str:
    """An outcome as a cell: what is not a pass stands out; what does not apply stays out of the way."""
    return {"pass": "pass", "skipped": "-", "": "-"}.get(outcome, f"**{outcome}**")


def escaped(text: str) -> str:
    """Text inside a table cell."""
    return text.replace("|", "\\|").replace("<", "&lt;")


def read_run(path: Path) -> Run:
    """A JSON file that `--json` wrote."""
    run: Run = json.loads(path.read_text())
    return run


def write_into(page: Path, table: str) -> None:
    """Put the table between the page's two marks."""
    before, _, rest = page.read_text().partition(BEGIN)
    after = rest.partition(END)[2]
    page.write_text(f"{before}{BEGIN}\n{table}\n{END}{after}")
