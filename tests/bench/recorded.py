"""What our relay and observer say of themselves: is every exchange in the journal, and read."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from proxy.observer.tally import observer_snapshot
from proxy.page.memory import PageReader, Sample
from proxy.page.table import EXCHANGES_LOST, EXCHANGES_RECORDED, REQUESTS, Metric

SETTLE_S = 5.0
CATCH_UP_S = 600.0


class Recorded(NamedTuple):
    """Since the relay started."""

    requests: int
    exchanges: int
    """In the journal to their end."""
    lost: dict[str, int]
    """By reason; only reasons that occurred."""


class Records:
    """Reads the relay's page and the observer's snapshot of one data folder."""

    def __init__(self, data: Path, observer: int) -> None:
        self._page = PageReader(data / "relay.page")
        self._snapshot = data / "observer.json"
        self.observer = observer
        """Process id."""

    def read(self) -> Recorded:
        """What the page says now; the relay copies the journal's figures there ten times a second."""
        samples = [value for value in self._page.read() if isinstance(value, Sample)]

        def total(metric: Metric) -> int:
            return sum(int(sample.value) for sample in samples if sample.metric is metric)

        lost = {dict(each.labels)["reason"]: int(each.value) for each in samples if each.metric is EXCHANGES_LOST}
        occurred = {reason: count for reason, count in lost.items() if count}
        return Recorded(total(REQUESTS), total(EXCHANGES_RECORDED), occurred)

    def settle(self) -> Recorded:
        """What the page says once every request is recorded or lost, or after some seconds without that."""
        _wait(lambda: self.read().requests == self.read().exchanges + sum(self.read().lost.values()), SETTLE_S)
        return self.read()

    def behind(self) -> int:
        """Recorded exchanges that the observer has not committed."""
        said = observer_snapshot(self._snapshot) or {}
        return self.read().exchanges - int(said.get("commits", 0)) - int(said.get("known", 0))

    def catch_up(self) -> int:
        """Wait for the observer; how many exchanges it is still behind after minutes."""
        _wait(lambda: self.behind() <= 0, CATCH_UP_S)
        return max(self.behind(), 0)


def _wait(is_so: Callable[[], bool], patience_s: float) -> None:
    until = time.monotonic() + patience_s
    while not is_so() and time.monotonic() < until:
        time.sleep(0.05)
