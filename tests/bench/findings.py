"""One figure against one target: met, missed, or not measured and why."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Outcome(StrEnum):
    """What became of a target."""

    MET = "met"
    MISSED = "missed"
    NOT_MEASURED = "not measured"
    TOLD = "told"
    """A figure without a target."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A line of the report."""

    part: str
    name: str
    target: str
    """In words; empty when there is none."""
    figure: float | None
    """None = not measured."""
    unit: str
    outcome: Outcome
    why: str = ""
    """Why not measured, or what else belongs to the figure."""


@dataclass(frozen=True, slots=True)
class Limit:
    """A target as a number."""

    words: str
    most: float | None = None
    least: float | None = None

    def judge(self, figure: float) -> Outcome:
        """Met or missed."""
        too_much = self.most is not None and figure > self.most
        too_little = self.least is not None and figure < self.least
        return Outcome.MISSED if too_much or too_little else Outcome.MET


def judged(part: str, name: str, limit: Limit, figure: float | None, *, unit: str = "x", why: str = "") -> Finding:
    """Hold a figure against its limit; without a figure it is not measured."""
    outcome = Outcome.NOT_MEASURED if figure is None else limit.judge(figure)
    return Finding(part, name, limit.words, figure, unit, outcome, why)


def told(part: str, name: str, figure: float | None, unit: str, why: str = "") -> Finding:
    """A figure without a target."""
    return Finding(part, name, "", figure, unit, Outcome.NOT_MEASURED if figure is None else Outcome.TOLD, why)
