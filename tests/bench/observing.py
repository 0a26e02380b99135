"""`python -m tests.bench.observing SETTINGS CPU`: the real observer on one core, read to the end, with its times told.

Prints one JSON object. What is wrapped is the station that takes single exchanges; journal, journey, store, loop and
limits are as `observe --until-idle` has them.
"""

from __future__ import annotations

import json
import os
import sys
import time
from hashlib import sha256
from pathlib import Path

import orjson

from config.load import load
from proxy.journal.layout import Mark
from proxy.model.exchange import Exchange
from proxy.observer.loop import Station
from proxy.wiring.observer import standing_observer


class Timed:
    """Takes exchanges like the station it wraps, and notes what each cost."""

    def __init__(self, station: Station) -> None:
        self._station = station
        self._before_s = time.process_time()
        self.began_s: float | None = None
        """When the first exchange was done: what is loaded once is behind us then."""
        self.ended_s = 0.0
        self.floors_s = 0.0
        """Taken by our own parsing and hashing since then."""
        self.turns: list[tuple[int, float, float]] = []
        """Bytes of the request, CPU seconds of its turn, CPU seconds to parse and hash that body alone."""

    def take(self, exchange: Exchange, mark: Mark) -> None:
        """Take it; the turn's CPU is all that was used since the turn before: reading, releasing and storing too."""
        self._station.take(exchange, mark)
        after_s = time.process_time()
        orjson.loads(exchange.request_body)
        sha256(exchange.request_body).digest()
        floor_s = time.process_time()
        if self.began_s is not None:
            self.floors_s += floor_s - after_s
        self.turns.append((len(exchange.request_body), after_s - self._before_s, floor_s - after_s))
        self._before_s = floor_s
        self.ended_s = own_time_s()
        if self.began_s is None:
            self.began_s = self.ended_s


def own_time_s() -> float:
    """A clock that stands while other processes keep this one from its core, and runs while it waits for a disk."""
    waited_ns = int(Path("/proc/self/schedstat").read_text("ascii").split()[1])
    return time.perf_counter() - waited_ns / 1e9


def main(settings: Path, cpu: int) -> None:
    """Observe everything that the journal holds."""
    os.sched_setaffinity(0, {cpu})
    with standing_observer(load(settings).settings) as observers:
        observer = observers.make()
        timed = Timed(observer._station)
        observer._station = timed
        observer.run(until_idle=True)
        report = observer._tally.report(0)
    took_s = timed.ended_s - (timed.began_s or timed.ended_s) - timed.floors_s
    told = {name: report[name] for name in ("commits", "internal_errors", "parse_faults", "exchanges")}
    print(json.dumps({"turns": timed.turns, "took_s": took_s, **told}))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
