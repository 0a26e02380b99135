"""Lines for a terminal: rows to aligned text, and what every page passes before it is printed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import wraps

from proxy.story.showable import clean_line


def for_terminal[**P](lines: Callable[P, Iterable[str]]) -> Callable[P, list[str]]:
    """Mark a function as a page: names out of traffic neither steer the terminal nor forge a line in it."""

    @wraps(lines)
    def cleaned(*args: P.args, **extra: P.kwargs) -> list[str]:
        return [clean_line(line) for line in lines(*args, **extra)]

    return cleaned


@for_terminal
def aligned(rows: Sequence[Sequence[str]], *, right: Sequence[int] = (), gap: int = 2, indent: int = 0) -> list[str]:
    """Pad each column to its widest cell; columns whose index is in `right` end at the same place."""
    if not rows:
        return []
    widths = [max(len(row[index]) for row in rows) for index in range(len(rows[0]))]
    return [(" " * indent + (" " * gap).join(_cells(row, widths, right))).rstrip() for row in rows]


def _cells(row: Sequence[str], widths: Sequence[int], right: Sequence[int]) -> list[str]:
    return [
        cell.rjust(width) if index in right else cell.ljust(width)
        for index, (cell, width) in enumerate(zip(row, widths, strict=True))
    ]
