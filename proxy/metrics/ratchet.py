"""Counters and histograms that never fall, although the store they are summed from forgets.

Prometheus takes a falling counter for a restarted one and counts it again from 0. What pruning took away is therefore
kept as an offset, which outlives this process in a small file.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from proxy.metrics.definitions import Metric
from proxy.metrics.readings import Labels, Value, parts_of, whole

_Parts = tuple[float, ...]


class Ratchet:
    """Last value and offset of each series."""

    def __init__(self, file: Path, metrics: Iterable[Metric]) -> None:
        """Takes its file, and how series look now: what was kept of a series with other labels is another series."""
        self._file = file
        self._shapes = {metric.name: [dimension.name for dimension in metric.labels] for metric in metrics}
        self._last: dict[str, dict[Labels, _Parts]] = {}
        self._offsets: dict[str, dict[Labels, _Parts]] = {}
        self._load()

    def lift(self, name: str, values: Mapping[Labels, Value]) -> dict[Labels, Value]:
        """The values, none lower than it was."""
        last = self._last.setdefault(name, {})
        missing = {labels: (0.0,) * len(parts) for labels, parts in last.items() if labels not in values}
        found = {labels: parts_of(value) for labels, value in values.items()}
        return {labels: whole(self._lifted(name, labels, parts)) for labels, parts in {**missing, **found}.items()}

    def save(self) -> None:
        """Remember for the next process. A file that cannot be written costs one wrong step of the counters."""
        kept = {
            name: {
                "labels": self._shapes[name],
                "series": [
                    [labels, parts, self._offsets.get(name, {}).get(labels)] for labels, parts in sorted(last.items())
                ],
            }
            for name, last in sorted(self._last.items())
        }
        draft = self._file.with_suffix(".draft")
        draft.touch(mode=0o600)
        draft.write_text(json.dumps(kept), "utf-8")
        draft.replace(self._file)

    def _lifted(self, name: str, labels: Labels, parts: _Parts) -> _Parts:
        nothing = (0.0,) * len(parts)
        last = _like(self._last[name].get(labels), nothing)
        offsets = self._offsets.setdefault(name, {})
        fell = tuple(max(before - now, 0) for before, now in zip(last, parts, strict=True))
        if any(fell):
            offsets[labels] = _added(fell, _like(offsets.get(labels), nothing))
        self._last[name][labels] = parts
        return _added(parts, _like(offsets.get(labels), nothing))

    def _load(self) -> None:
        try:
            kept = json.loads(self._file.read_text("utf-8"))
        except (OSError, ValueError):
            return  # a new folder, or a file of a process that died while writing
        if not isinstance(kept, dict):
            return  # a file of an earlier version
        for name, told in kept.items():
            if told["labels"] == self._shapes.get(name):
                self._take(name, told["series"])

    def _take(self, name: str, series: list[list[Any]]) -> None:
        for values, parts, offsets in series:
            labels = tuple(values)
            self._last.setdefault(name, {})[labels] = tuple(parts)
            if offsets:
                self._offsets.setdefault(name, {})[labels] = tuple(offsets)


def _like(parts: _Parts | None, nothing: _Parts) -> _Parts:
    """The parts, or nothing when there are none or the buckets have changed."""
    return parts if parts is not None and len(parts) == len(nothing) else nothing


def _added(one: _Parts, two: _Parts) -> _Parts:
    return tuple(mine + theirs for mine, theirs in zip(one, two, strict=True))
