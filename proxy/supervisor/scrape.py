"""All sources to one page of metrics. Blocking: runs in a thread, one scrape at a time."""

from __future__ import annotations

import logging
import threading
from collections import Counter, deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from proxy.export.progress import read_progress
from proxy.metrics.bounds import Bounds
from proxy.metrics.definitions import CLIENT, Kind, Metric, labelled
from proxy.metrics.exposition import Exposition, Page, nothing
from proxy.metrics.loops import LoopLimits, is_looping
from proxy.metrics.ratchet import Ratchet
from proxy.metrics.readings import Distribution, Labels, Numbers, Readings, Value
from proxy.metrics.sources import of_page
from proxy.model.errors import GateError
from proxy.model.facts import CallFact, ExchangeFact, ExchangeKind
from proxy.observer.tally import observer_snapshot
from proxy.page.memory import PageReader
from proxy.store import Database, Reader, open_database, snapshot
from proxy.supervisor.bills import Bills
from proxy.supervisor.lag import lag_s
from proxy.supervisor.totals import Totals
from proxy.wiring.folder import DataFolder

LOG = logging.getLogger("supervisor")
HOUR_US = 3_600_000_000
_UNREAD = (ExchangeKind.UNPARSED, ExchangeKind.UNOBSERVABLE)
_CALLS = (ExchangeKind.TURN, ExchangeKind.ATTEMPT, ExchangeKind.UNOBSERVABLE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sources:
    """Where a scrape reads."""

    folder: DataFolder
    database: str
    """The store's address."""
    loops: LoopLimits
    environment: str
    version: str
    settings_digest: str
    """Tells one set of settings from another."""
    labels: tuple[str, ...]
    """Names of the user's labels."""
    processes: Callable[[], Readings]
    """What the supervisor knows of its processes."""
    now_us: Callable[[], int]


class _Seen(NamedTuple):
    """Model calls counted at one scrape."""

    at_us: int
    calls: int
    unobservable: int


class Scrape:
    """Reads every source for each scrape; one that cannot be read leaves its series out and is counted."""

    def __init__(self, sources: Sources) -> None:
        self._sources = sources
        metrics = labelled(sources.labels)
        self._metrics = {metric.name: metric for metric in metrics}
        self._bounds = Bounds(sources.folder.label_values)
        self._exposition = Exposition(sources.environment, metrics, self._bounds)
        self._ratchet = Ratchet(sources.folder.counters, metrics)
        self._totals = Totals(sources.labels)
        self._bills = Bills()
        self._failures: Counter[str] = Counter()
        self._window: deque[_Seen] = deque()
        self._database: Database | None = None
        self._one_at_a_time = threading.Lock()

    def page(self, accept: str = "") -> Page:
        """The text of one scrape."""
        with self._one_at_a_time:
            readings: dict[str, Any] = {}
            for name, read in self._readers():
                try:
                    readings |= read()
                except (GateError, OSError) as error:
                    self._failures[name] += 1
                    LOG.warning(
                        "%(source)s could not be read for a scrape: %(reason)s", {"source": name, "reason": error}
                    )
            readings |= self._sources.processes()
            readings["compaction_build_info"] = {(self._sources.version,): 1}
            readings["compaction_settings_info"] = {(self._sources.settings_digest,): 1}
            readings["compaction_scrape_failures_total"] = {(name,): count for name, count in self._failures.items()}
            page = self._exposition.render(readings, accept)
            self._keep(self._bounds.save, "names of label values")
            return page

    def close(self) -> None:
        """Keep what counters must remember."""
        with self._one_at_a_time:
            self._keep(self._ratchet.save, "counters")
            if self._database is not None:
                self._database.close()

    def _readers(self) -> tuple[tuple[str, Callable[[], Readings]], ...]:
        return (
            ("page", self._page),
            ("observer", self._observer),
            ("store", self._store),
            ("export", self._export),
        )

    @staticmethod
    def _keep(save: Callable[[], None], what: str) -> None:
        try:
            save()
        except OSError as error:
            LOG.warning("%(what)s could not be kept: %(reason)s", {"what": what, "reason": error.strerror})

    def _page(self) -> Readings:
        return of_page(PageReader(self._sources.folder.page).read())

    def _observer(self) -> Readings:
        told = observer_snapshot(self._sources.folder.observer)
        if told is None:
            return {}
        return {"compaction_observer_lag_seconds": {(): lag_s(told, self._sources.now_us())}}

    def _store(self) -> Readings:
        if self._database is None:
            self._database = open_database(self._sources.database)
        with snapshot(self._database) as reader:
            self._totals.refresh(reader)
            self._bills.refresh(reader, self._totals.exchanges, self._totals.whose)
            found = {
                **self._totals.readings(),
                **_exchanges(reader),
                **self._bills.readings(self._sources.now_us()),
                **self._looping(reader),
            }
            lifted = {name: self._lifted(name, values) for name, values in found.items()}
            share = self._unobservable(lifted["compaction_exchanges_total"])
            return {**self._begun(lifted), **share, "compaction_store_bytes": _bytes_of(self._database)}

    def _lifted(self, name: str, values: Mapping[Labels, Value]) -> Mapping[Labels, Value]:
        """Bounded first: what is kept of a counter is bounded, too."""
        metric = self._metrics[name]
        bounded = self._bounds.merged(metric, values)
        return bounded if metric.kind is Kind.GAUGE else self._ratchet.lift(name, bounded)

    def _begun(self, found: Readings) -> Readings:
        """With every counter of a client at 0 from its first session on: what appears at 5 did not rise by 5."""
        sessions = found["compaction_sessions_total"]
        return {name: {**self._zeros(self._metrics[name], sessions), **values} for name, values in found.items()}

    def _zeros(self, metric: Metric, sessions: Mapping[Labels, Value]) -> dict[Labels, Value]:
        rest = metric.labels[1 + len(self._sources.labels) :]
        is_told = metric.labels[:1] == (CLIENT,) and all(dimension.values for dimension in rest)
        if metric.kind is Kind.GAUGE or not is_told:
            return {}
        return {(*who, *(dimension.values[0] for dimension in rest)): nothing(metric) for who in sessions}

    def _export(self) -> Readings:
        told = read_progress(self._sources.folder.export)
        if told is None:
            return {}
        return {"compaction_export_spans_total": {("sent",): told.sent, ("dropped",): told.dropped}}

    def _unobservable(self, exchanges: Mapping[Labels, Value]) -> Readings:
        """Of the model calls since the oldest scrape of the last hour."""
        now = _Seen(
            self._sources.now_us(),
            sum(_number(exchanges.get((kind,), 0)) for kind in _CALLS),
            _number(exchanges.get((ExchangeKind.UNOBSERVABLE,), 0)),
        )
        self._window.append(now)
        while len(self._window) > 1 and self._window[1].at_us <= now.at_us - HOUR_US:
            self._window.popleft()
        calls = now.calls - self._window[0].calls
        if calls == 0:
            return {}
        share = (now.unobservable - self._window[0].unobservable) / calls
        return {"compaction_unobservable_sessions_ratio": {(): share}}

    def _looping(self, reader: Reader) -> Readings:
        limits, now_us = self._sources.loops, self._sources.now_us()
        rereading = self._totals.rereading()
        found: dict[Labels, float] = {}
        for session in reader.sessions(since_us=now_us - limits.idle_us):
            labels = self._totals.whose(session.session)
            calls = reader.facts(CallFact, session=session.session) if session.session in rereading else []
            loops = is_looping(calls, last_us=session.last_us, now_us=now_us, limits=limits)
            found[labels] = found.get(labels, 0) + loops
        return {"compaction_looping_sessions": found}


def _number(value: Value) -> int:
    assert not isinstance(value, Distribution)
    return int(value)


def _bytes_of(database: Database) -> Numbers:
    """The files of a SQLite store; a database elsewhere is not measured."""
    if database.file is None:
        return {}
    files = [database.file.with_name(f"{database.file.name}{suffix}") for suffix in ("", "-wal")]
    return {(): sum(file.stat().st_size for file in files if file.exists())}


def _exchanges(reader: Reader) -> Mapping[str, Numbers]:
    kinds: dict[Labels, float] = {}
    reasons: dict[Labels, float] = {}
    for (kind, reason), count in reader.counts(ExchangeFact, "kind", "reason").items():
        kinds[str(kind),] = kinds.get((str(kind),), 0) + count
        if kind in _UNREAD:
            reasons[str(kind), str(reason)] = count
    return {"compaction_exchanges_total": kinds, "compaction_exchanges_unread_total": reasons}
