from __future__ import annotations

from pathlib import Path

from proxy.metrics.exposition import Exposition
from proxy.metrics.readings import Distribution
from proxy.metrics.sources import of_page
from proxy.page.memory import Page, PageReader
from proxy.page.table import CONNECTIONS, OVERHEAD_SECONDS, REQUESTS
from proxy.relay.counters import vocabulary


def test_the_pages_values_become_readings_with_single_buckets(tmp_path: Path) -> None:
    page = Page(tmp_path / "page", vocabulary(["a", "b"]))
    page.add(page.slot(REQUESTS, upstream="a"), 2)
    for seconds in (0.00002, 0.0002, 5.0):
        page.observe(page.histogram(OVERHEAD_SECONDS), seconds)
    readings = of_page(PageReader(tmp_path / "page").read())
    page.close()
    assert readings[REQUESTS.name] == {("a",): 2, ("b",): 0}
    overhead = readings[OVERHEAD_SECONDS.name][()]
    assert isinstance(overhead, Distribution)
    assert (overhead.counts[0], overhead.counts[2], overhead.counts[-1], sum(overhead.counts)) == (1, 1, 1, 3)
    assert CONNECTIONS.name not in readings
    assert b"compaction_relay_overhead_seconds_count" in Exposition("e").render(readings).body
