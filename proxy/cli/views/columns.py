"""Rows to aligned text."""

from __future__ import annotations

from collections.abc import Sequence

from proxy.cli.views.terminal import for_terminal


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
