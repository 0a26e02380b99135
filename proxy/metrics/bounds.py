"""Free text to a bounded label (F109): what traffic says can never make more series than the definition allows."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path

from proxy.metrics.definitions import CLIENT, COMBINATIONS, OTHER, UNKNOWN, Dimension, Metric
from proxy.metrics.readings import Labels, Value, plus

_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:/@+ -]{0,63}")


class Bounds:
    """Which open values have a name of their own: the first ones seen, for as long as their file lives."""

    def __init__(self, file: Path | None = None) -> None:
        """Takes the file that keeps the names over restarts; None keeps them for this process."""
        self._file = file
        self._named: dict[str, dict[str, None]] = {}
        """By dimension. The combinations of client and user's labels stand under the names of all of them."""
        self._said: set[str] = set()
        """Those that outlive this process."""
        self._is_saved = True
        self._load()

    def labels(self, metric: Metric, values: Labels) -> Labels:
        """The values as they may be shown."""
        shown = tuple(self._bounded(dimension, value) for dimension, value in zip(metric.labels, values, strict=True))
        users = [index for index, dimension in enumerate(metric.labels) if dimension.is_users]
        if not users or self._is_told_apart(metric, shown):
            return shown
        return tuple(OTHER if index in users else value for index, value in enumerate(shown))

    def merged(self, metric: Metric, values: Mapping[Labels, Value]) -> dict[Labels, Value]:
        """Values by labels as they may be shown, those that fall together added up."""
        sums: dict[Labels, Value] = {}
        for labels, value in sorted(values.items()):
            shown = self.labels(metric, labels)
            sums[shown] = plus(sums[shown], value) if shown in sums else value
        return sums

    def save(self) -> None:
        """Keep the names for the next process. Raises OSError."""
        if self._file is None or self._is_saved:
            return
        draft = self._file.with_suffix(".draft")
        draft.touch(mode=0o600)
        draft.write_text(json.dumps({name: list(self._named[name]) for name in sorted(self._said)}), "utf-8")
        draft.replace(self._file)
        self._is_saved = True

    def _bounded(self, dimension: Dimension, value: str) -> str:
        if dimension.values:
            return value if value in dimension.values else _stray(dimension, value)
        if not value:
            return UNKNOWN
        if value in (OTHER, UNKNOWN):
            return value
        if dimension.is_said:
            self._said.add(dimension.name)
        is_named = _PLAIN.fullmatch(value) and self._is_named(dimension.name, value, most=dimension.most)
        return value if is_named else OTHER

    def _is_told_apart(self, metric: Metric, shown: Labels) -> bool:
        dimensions = [dimension for dimension in metric.labels if dimension.is_users or dimension == CLIENT]
        pairs = zip(metric.labels, shown, strict=True)
        combination = "\n".join(value for dimension, value in pairs if dimension in dimensions)
        name = " ".join(dimension.name for dimension in dimensions)
        self._said.add(name)
        return self._is_named(name, combination, most=COMBINATIONS)

    def _is_named(self, name: str, value: str, *, most: int) -> bool:
        """Whether a value has a name; gives it one while there is room."""
        named = self._named.setdefault(name, {})
        if value not in named and len(named) < most:
            named[value] = None
            self._is_saved = False
        return value in named

    def _load(self) -> None:
        if self._file is None:
            return
        try:
            found = json.loads(self._file.read_text("utf-8"))
        except (OSError, ValueError):
            return  # a new folder, or a file of a process that died while writing
        self._named = {name: dict.fromkeys(values) for name, values in found.items()}
        self._said = set(self._named)


def _stray(dimension: Dimension, value: str) -> str:
    """A closed set is closed; only an empty value of a set that knows `unknown` may still be shown."""
    if not value and UNKNOWN in dimension.values:
        return UNKNOWN
    raise ValueError(f"label {dimension.name} has no value {value!r}")
