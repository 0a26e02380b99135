"""What may be in the way: each check with what was found and what to do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from proxy.cli.views.columns import aligned, for_terminal


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One thing looked at."""

    name: str
    is_well: bool
    said: str
    advice: str = ""
    """What to do when it is not well."""
    exit_code: int = 0
    """Of the command when it is not well; 0 = only told."""


@for_terminal
def doctor_lines(checks: Sequence[Check]) -> list[str]:
    """One line for each check, advice under those that need it."""
    rows = aligned([("ok" if check.is_well else "LOOK", check.name, check.said) for check in checks])
    lines: list[str] = []
    for row, check in zip(rows, checks, strict=True):
        lines.append(row)
        if not check.is_well and check.advice:
            lines.append(f"      → {check.advice}")
    return lines


def worst(checks: Sequence[Check]) -> int:
    """The command's exit code: that of the first check that is not well and has one."""
    return next((check.exit_code for check in checks if not check.is_well and check.exit_code), 0)
