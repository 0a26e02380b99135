"""Counters that never fall, although the store they are summed from forgets.

Prometheus takes a falling counter for a restarted one and counts it again from 0. What pruning took away is therefore
kept as an offset, which outlives this process in a small file.
"""

from __future__ import annotations

import json
from pathlib import Path

from proxy.metrics.readings import Labels, Numbers

_Series = tuple[str, Labels]


class Ratchet:
    """Last value and offset of each counter."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._last: dict[_Series, float] = {}
        self._offsets: dict[_Series, float] = {}
        self._load()

    def lift(self, name: str, numbers: Numbers) -> Numbers:
        """The numbers, none lower than it was."""
        known = {labels for metric, labels in self._last if metric == name}
        return {labels: self._lifted((name, labels), numbers.get(labels, 0)) for labels in known | set(numbers)}

    def save(self) -> None:
        """Remember for the next process. A file that cannot be written costs one wrong step of the counters."""
        rows = [
            [name, labels, value, self._offsets.get((name, labels), 0)] for (name, labels), value in self._last.items()
        ]
        draft = self._file.with_suffix(".draft")
        draft.touch(mode=0o600)
        draft.write_text(json.dumps(sorted(rows)), "utf-8")
        draft.replace(self._file)

    def _lifted(self, series: _Series, value: float) -> float:
        fell = self._last.get(series, 0) - value
        if fell > 0:
            self._offsets[series] = self._offsets.get(series, 0) + fell
        self._last[series] = value
        return value + self._offsets.get(series, 0)

    def _load(self) -> None:
        try:
            rows = json.loads(self._file.read_text("utf-8"))
        except (OSError, ValueError):
            return  # a new folder, or a file of a process that died while writing
        for name, labels, value, offset in rows:
            series = (name, tuple(labels))
            self._last[series] = value
            if offset:
                self._offsets[series] = offset
