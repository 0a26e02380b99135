"""The observer's one loop: poll, take, release, wait; back off while the store cannot be used."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from proxy.journal.layout import Mark
from proxy.model.exchange import Exchange
from proxy.observer.ports import Journal
from proxy.observer.tally import Tally, ended_us
from proxy.store.errors import StoreUnavailableError


@dataclass(frozen=True, slots=True, kw_only=True)
class ObserverLimits:
    """Times of the loop, in seconds."""

    poll_s: float = 0.1
    """Between looks at a journal that had nothing new."""
    report_s: float = 1.0
    """Between snapshots, and between releases of the journal during a long pass."""
    upkeep_s: float = 600.0
    """Between runs of the store's retention."""
    first_backoff_s: float = 0.1
    last_backoff_s: float = 10.0


def now_us() -> int:
    """UTC microseconds."""
    return time.time_ns() // 1000


class Station(Protocol):
    """Takes single exchanges: `ExchangeObserver`."""

    def take(self, exchange: Exchange, mark: Mark) -> None:
        """Commit it, exactly once. Raises StoreUnavailableError when it must be tried again."""
        ...


class Observer:
    """Follows one journal until told to stop. Marks move only after commits, so that a restart loses nothing."""

    def __init__(
        self,
        journal: Journal,
        station: Station,
        tally: Tally,
        *,
        snapshot: Path,
        upkeep: Callable[[], object] = lambda: None,
        limits: ObserverLimits | None = None,
    ) -> None:
        """Takes what it drives.

        Args:
            journal: Read exclusively by this observer.
            station: Takes single exchanges.
            tally: The one that `station` counts in.
            snapshot: File for `observer_snapshot`.
            upkeep: Retention of the store; runs between passes.
            limits: Times of the loop.
        """
        self._journal = journal
        self._station = station
        self._tally = tally
        self._snapshot = snapshot
        self._upkeep = upkeep
        self._limits = limits or ObserverLimits()
        self._stop = threading.Event()
        self._report_due = self._upkeep_due = 0.0

    def stop(self, *_: object) -> None:
        """End after the exchange that is being committed. Fit for a signal handler."""
        self._stop.set()

    def run(self, *, until_idle: bool = False) -> None:
        """Observe until stopped, or until a pass over the journal finds nothing new.

        Raises:
            NewerVersionError: the journal was written by a newer version.
            GateError: the store is no store any more.
        """
        while not self._stop.is_set():
            taken = self._pass()
            self._house_keeping()
            if taken == 0:
                if until_idle:
                    break
                self._stop.wait(self._limits.poll_s)
        self._report()

    def _pass(self) -> int:
        """Take everything that has ended; how many exchanges that were."""
        taken = 0
        for exchange in self._journal.poll():
            self._tally.behind_since_us = ended_us(exchange)
            writer = exchange.id.writer
            if not self._take(exchange, self._journal.mark(writer)):
                return taken
            taken += 1
            if self._is_report_due():
                self._release({writer: self._journal.mark(writer)})
            if self._stop.is_set():
                return taken
        self._release(self._journal.marks())
        self._tally.behind_since_us = None
        return taken

    def _take(self, exchange: Exchange, mark: Mark) -> bool:
        """Try until the store takes it; False when stopped before."""
        wait_s = self._limits.first_backoff_s
        while True:
            try:
                self._station.take(exchange, mark)
            except StoreUnavailableError as error:
                self._note(error)
                self._report()
            else:
                self._tally.store_error = ""
                return True
            if self._stop.wait(wait_s):
                return False
            wait_s = min(2 * wait_s, self._limits.last_backoff_s)

    def _release(self, marks: Mapping[str, Mark]) -> None:
        """Say that what is committed can be recycled; on a full disk the next pass says it again."""
        try:
            for writer, mark in marks.items():
                self._journal.release(writer, mark, wipe=True)
        except OSError as error:
            self._note(error)

    def _is_report_due(self) -> bool:
        """Write the snapshot when it is time, and say so."""
        now_s = time.monotonic()
        if now_s < self._report_due:
            return False
        self._report_due = now_s + self._limits.report_s
        self._report()
        return True

    def _report(self) -> None:
        with suppress(OSError):  # a full disk: the snapshot's age tells
            self._tally.write(self._snapshot, now_us())

    def _house_keeping(self) -> None:
        self._is_report_due()
        now_s = time.monotonic()
        if now_s >= self._upkeep_due:
            self._upkeep_due = now_s + self._limits.upkeep_s
            try:
                self._upkeep()
            except StoreUnavailableError as error:
                self._note(error)

    def _note(self, error: OSError | StoreUnavailableError) -> None:
        self._tally.store_errors += 1
        self._tally.store_error = str(error)
