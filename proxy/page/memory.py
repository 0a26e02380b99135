"""The page itself: a file mapped into memory, cells of eight aligned bytes.

One process writes; any number read while it does, without locks: a cell is stored and loaded whole. Cells of one
histogram may be some observations apart, so its count is the sum of its buckets. Counters and histograms go on from
where the last relay left them, also when the vocabulary changed; gauges start unset.
"""

from __future__ import annotations

import fcntl
import json
import mmap
import os
import struct
from array import array
from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import NamedTuple
from zlib import crc32

from proxy.model.errors import CannotWriteError, InputError, NewerVersionError
from proxy.page.table import (
    METRICS,
    STARTS,
    TABLE,
    Labels,
    Metric,
    MetricKind,
    Place,
    Slot,
    Vocabulary,
    cell_count,
    places,
)

VERSION = 1
MAGIC = b"CGATEPAG"
_HEAD = struct.Struct("<8sIIII")
"""Magic, version, CRC-32 of the table, cells, bytes of the vocabulary as JSON that follow."""
_CELL = 8
_NS = 1_000_000_000
_UNSET = -(1 << 63)
"""A gauge nobody has set, or what this writer does not measure: absent from what is read, never 0."""


@dataclass(frozen=True, slots=True)
class Sample:
    """Value of a counter or gauge, in the unit of its name."""

    metric: Metric
    labels: Labels
    value: int | float


@dataclass(frozen=True, slots=True)
class Distribution:
    """Observations of a histogram."""

    metric: Metric
    labels: Labels
    counts: tuple[int, ...]
    """Cumulative, one per bucket of the metric and one for `+Inf`."""
    sum_s: float


class _Loaded(NamedTuple):
    vocabulary: dict[str, tuple[str, ...]]
    cells: tuple[int, ...]


class Histogram(NamedTuple):
    """Place of a histogram on the page."""

    slot: Slot
    buckets: tuple[float, ...]


class Page:
    """The page in the hands of its one writer."""

    def __init__(self, path: Path, vocabulary: Vocabulary) -> None:
        """Make the page, going on from the one that stands there. Raises CannotWriteError, also when it is in use."""
        self._places = places(vocabulary)
        try:
            self._lock = _lock(path)
            kept = _cells_to_keep(path)
            draft = path.with_name(f".{path.name}")
            self._map = _make(draft, vocabulary)
            self._cells = memoryview(self._map)[-_CELL * cell_count(vocabulary) :].cast("q")
            _fill(self._cells, vocabulary, kept)
            draft.rename(path)
        except OSError as error:
            raise CannotWriteError(f"{path}: cannot write the relay's page: {error.strerror}") from error
        self._base = self._cells.tolist()
        self.add(self.slot(STARTS), 1)

    def slot(self, metric: Metric, **labels: str) -> Slot:
        """Place of one value; resolve it once. Raises KeyError for labels the page does not have."""
        return Slot(self._places[metric.name, tuple((name, labels[name]) for name, _ in metric.labels)])

    def histogram(self, metric: Metric, **labels: str) -> Histogram:
        """Place of one histogram; resolve it once. Raises KeyError for labels the page does not have."""
        return Histogram(self.slot(metric, **labels), metric.buckets)

    def add(self, slot: Slot, n: int) -> None:
        """Count up; a gauge that was set may also go down."""
        self._cells[slot] += n

    def set(self, slot: Slot, value: int) -> None:
        """Set a gauge, in the integers of the page (see `Metric.per_unit`)."""
        self._cells[slot] = value

    def withhold(self, metric: Metric, **labels: str) -> None:
        """Leave a value out of what is read: this writer does not measure it, and 0 would be a lie."""
        slot = self.slot(metric, **labels)
        self._cells[slot : slot + metric.cells] = array("q", [_UNSET] * metric.cells)

    def mirror(self, slot: Slot, since_start: int) -> None:
        """Bring a counter up to date that is kept elsewhere and starts from 0 with this process."""
        self._cells[slot] = self._base[slot] + since_start

    def observe(self, histogram: Histogram, seconds: float) -> None:
        """Count one observation."""
        slot, buckets = histogram
        cells = self._cells
        cells[slot + bisect_left(buckets, seconds)] += 1
        cells[slot + len(buckets) + 1] += int(seconds * _NS)

    def close(self) -> None:
        """Let the page go; what was counted stays."""
        self._cells.release()
        self._map.close()
        os.close(self._lock)


class PageReader:
    """Reads the page at `path` whenever asked, whoever writes it and however often it is made anew."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def read(self) -> list[Sample | Distribution]:
        """All values, in the order of the table; empty when no relay has run yet. What nobody measured is absent.

        Raises InputError when the file is no page, NewerVersionError when a newer version wrote it.
        """
        try:
            vocabulary, cells = _load(self._path)
        except FileNotFoundError:
            return []
        samples: list[Sample | Distribution] = []
        at = 0
        for metric in TABLE:
            for labels in metric.combinations(vocabulary):
                samples += _sample(metric, labels, cells[at : at + metric.cells])
                at += metric.cells
        return samples


def _sample(metric: Metric, labels: Labels, cells: tuple[int, ...]) -> list[Sample | Distribution]:
    if metric.buckets:
        *counts, total = cells
        if total == _UNSET:
            return []
        return [Distribution(metric, labels, tuple(accumulate(counts)), total / metric.per_unit)]
    (value,) = cells
    if value == _UNSET:
        return []
    return [Sample(metric, labels, value if metric.per_unit == 1 else value / metric.per_unit)]


def _table_check() -> int:
    return crc32(repr([(metric.name, metric.kind.value, metric.labels, metric.buckets) for metric in TABLE]).encode())


def _lock(path: Path) -> int:
    """Take the page for this process. Raises OSError, also when another one has it."""
    lock = os.open(path.with_name(f"{path.name}.lock"), os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(lock)
        raise
    return lock


def _make(path: Path, vocabulary: Vocabulary) -> mmap.mmap:
    words = json.dumps({name: list(values) for name, values in vocabulary.items()}, sort_keys=True).encode()
    words += b" " * (-(_HEAD.size + len(words)) % _CELL)
    count = cell_count(vocabulary)
    head = _HEAD.pack(MAGIC, VERSION, _table_check(), count, len(words)) + words
    fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        # Storing into a mapped page that has no block would kill the relay on a full disk.
        os.posix_fallocate(fd, 0, len(head) + _CELL * count)
        os.pwrite(fd, head, 0)
        return mmap.mmap(fd, len(head) + _CELL * count)
    finally:
        os.close(fd)


def _fill(cells: memoryview[int], vocabulary: Vocabulary, kept: Mapping[Place, tuple[int, ...]]) -> None:
    for (name, labels), at in places(vocabulary).items():
        metric = METRICS[name]
        unset = (_UNSET if metric.kind is MetricKind.GAUGE else 0,) * metric.cells
        for offset, value in enumerate(kept.get((name, labels), unset)):
            cells[at + offset] = value


def _cells_to_keep(path: Path) -> dict[Place, tuple[int, ...]]:
    """Counters and histograms of the page that stands there; none when it is of another version, or none at all."""
    try:
        vocabulary, cells = _load(path)
    except (FileNotFoundError, InputError):
        return {}
    found = {place: cells[at : at + METRICS[place[0]].cells] for place, at in places(vocabulary).items()}
    return {
        place: values
        for place, values in found.items()
        if METRICS[place[0]].kind is not MetricKind.GAUGE and _UNSET not in values
    }


def _load(path: Path) -> _Loaded:
    """Vocabulary and cells of the page at `path`. Raises FileNotFoundError, InputError."""
    with path.open("rb") as file:
        if os.fstat(file.fileno()).st_size < _HEAD.size:
            raise InputError(str(path), "", "a shorter file", "the relay's page")
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as raw:
            return _decode(path, raw)


def _decode(path: Path, raw: mmap.mmap) -> _Loaded:
    if raw[: len(MAGIC)] != MAGIC:
        raise InputError(str(path), "", "something else", "the relay's page")
    _, version, check, count, words = _HEAD.unpack_from(raw)
    if version > VERSION:
        raise NewerVersionError(str(path), "", f"version {version}", f"version {VERSION} or older")
    if check != _table_check():
        raise InputError(str(path), "", "a page with other metrics", "the metrics of this version")
    vocabulary = {name: tuple(values) for name, values in json.loads(raw[_HEAD.size : _HEAD.size + words]).items()}
    if len(raw) != _HEAD.size + words + _CELL * count:
        raise InputError(str(path), "", f"{len(raw)} bytes", f"{_HEAD.size + words + _CELL * count} bytes")
    with memoryview(raw) as whole, whole[_HEAD.size + words :] as tail, tail.cast("q") as cells:
        return _Loaded(vocabulary, tuple(cells))  # each cell is loaded whole, which a copy of the bytes may not do
