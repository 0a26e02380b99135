"""What the oracle is told, and what it says."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

Lines = tuple[str, ...]


def words(text: str) -> int:
    """The tokenizer of these tests."""
    return len(text.split())


def telling(lines: Iterable[str]) -> Lines:
    """The lines that say enough to be compared."""
    return tuple(line for line in lines if len(re.findall(r"\w", line)) >= 4)


def stands_in(part: Lines, whole: Lines) -> bool:
    """All lines of a part, one after the other."""
    return bool(part) and any(whole[at : at + len(part)] == part for at in range(len(whole) - len(part) + 1))


class Question(NamedTuple):
    """A call as the model made it."""

    call: str
    path: str
    span: tuple[int, int] | None
    """First and last line; None for the whole, or of a call that reads nothing."""
    reads: bool
    arguments: str


@dataclass(slots=True)
class Answer:
    """A result as the client showed it; `lines` is what it really holds."""

    call: str
    lines: Lines
    shown: str
    kind: str = "content"
    """`content`, `stub`, `demand` (read it first), `error`."""


@dataclass(slots=True, eq=False)
class Observed:
    """Something the model has seen."""

    asked: Question
    lines: Lines
    told: Lines
    tokens: int
    dropped_by: int = 0
    dropped_turn: int = 0
    missing: set[str] = field(default_factory=set)
    """While dropped: telling lines that were not brought back."""
    left: bool = False
    """On a branch that was left."""

    def holds(self, lines: Lines) -> bool:
        return self.lines == lines or stands_in(telling(lines), self.told)


class Verdict(NamedTuple):
    """What a call was."""

    label: str
    boundary: int | None
    tokens: int | None


@dataclass(slots=True)
class Boundary:
    """What left the view at once."""

    turn: int
    dropped: dict[str, str]
    """Call id to how much of it stood in the texts: `none` or `partly`."""
    rolling: bool = False
    rolled_to: int = 0
    by_window: bool = False
    restored: set[tuple[int, str, str]] = field(default_factory=set)


class Context(NamedTuple):
    """What one request shows."""

    answers: Sequence[Answer]
    """The results in it that are as they were first shown."""
    texts: Sequence[Lines]
    """User, system and reminder texts, summaries: the lines of each."""
    hidden: frozenset[str] = frozenset()
    """Calls whose results the provider cleared before it sampled."""
    always: Lines = ()
    """The system text: no compaction removes it."""


class Change(NamedTuple):
    """What the client did to the history since the last request."""

    compacted: bool = False
    rewound: bool = False
    edited: bool = False
    """Something in the middle is gone or emptied."""
