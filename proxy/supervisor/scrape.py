"""All sources to one page of metrics. Blocking: runs in a thread, one scrape at a time."""

from __future__ import annotations

import logging
import threading
from collections import Counter, deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from proxy.metrics.exposition import Exposition, Page
from proxy.metrics.loops import LoopLimits, is_looping
from proxy.metrics.ratchet import Ratchet
from proxy.metrics.readings import Labels, Numbers, Readings
from proxy.metrics.sources import of_page
from proxy.model.errors import GateError
from proxy.model.facts import CallFact, ExchangeFact, ExchangeKind
from proxy.observer.tally import observer_snapshot
from proxy.page.memory import PageReader
from proxy.store import Database, Reader, open_database, snapshot
from proxy.supervisor.lag import lag_s
from proxy.supervisor.totals import Totals, contexts
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
        self._exposition = Exposition(sources.environment)
        self._ratchet = Ratchet(sources.folder.counters)
        self._totals = Totals()
        self._failures: Counter[str] = Counter()
        self._window: deque[_Seen] = deque()
        self._database: Database | None = None
        self._one_at_a_time = threading.Lock()

    def page(self, accept: str = "") -> Page:
        """The text of one scrape."""
        with self._one_at_a_time:
            readings: dict[str, Any] = {}
            for name, read in (("page", self._page), ("observer", self._observer), ("store", self._store)):
                try:
                    readings |= read()
                except (GateError, OSError) as error:
                    self._failures[name] += 1
                    LOG.warning("%s could not be read for a scrape: %s", name, error)
            readings |= self._sources.processes()
            readings["compaction_build_info"] = {(self._sources.version,): 1}
            readings["compaction_scrape_failures_total"] = {(name,): count for name, count in self._failures.items()}
            return self._exposition.render(readings, accept)

    def close(self) -> None:
        """Keep what counters must remember."""
        with self._one_at_a_time:
            try:
                self._ratchet.save()
            except OSError as error:
                LOG.warning("counters could not be kept: %s", error.strerror)
            if self._database is not None:
                self._database.close()

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
            counters: dict[str, Numbers] = {**self._totals.readings(), **_exchanges(reader)}
            lifted = {name: self._ratchet.lift(name, numbers) for name, numbers in counters.items()}
            gauges = {**self._unobservable(lifted["compaction_exchanges_total"]), **self._looping(reader)}
            gauges = {**gauges, "compaction_store_bytes": _bytes_of(self._database)}
            return {**lifted, **contexts(reader, self._totals.client), **gauges}

    def _unobservable(self, exchanges: Numbers) -> Readings:
        """Of the model calls since the oldest scrape of the last hour."""
        now = _Seen(
            self._sources.now_us(),
            int(sum(exchanges.get((kind,), 0) for kind in _CALLS)),
            int(exchanges.get((ExchangeKind.UNOBSERVABLE,), 0)),
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
            labels = (self._totals.client(session.session),)
            calls = reader.facts(CallFact, session=session.session) if session.session in rereading else []
            loops = is_looping(calls, last_us=session.last_us, now_us=now_us, limits=limits)
            found[labels] = found.get(labels, 0) + loops
        return {"compaction_looping_sessions": found}


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
