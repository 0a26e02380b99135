from __future__ import annotations

from pathlib import Path

from config.load import load
from proxy.store import open_database, snapshot
from proxy.wiring.observer import DAY_US, SteadyClock, observe_until_idle, retention


def test_what_figures_depend_on_is_noted_in_the_store(tmp_path: Path) -> None:
    settings = load(environment={"COMPACTION_GATE_STORE_DATA": str(tmp_path)}).settings
    observe_until_idle(settings)
    with open_database(settings.store.database) as database, snapshot(database) as reader:
        assert {"product_version", "tools_digest", "normaliser", "price_table"} <= set(reader.meta())


def test_retention_is_told_in_moments_and_bytes() -> None:
    keep = retention(load(environment={}).settings, at_us=1_000 * DAY_US)
    assert keep.contents_since_us == 993 * DAY_US
    assert keep.figures_since_us == 635 * DAY_US
    assert (keep.max_bytes, keep.free_floor_bytes) == (20 << 30, 5 << 30)


def test_a_clock_that_is_put_forward_ages_nothing_and_one_put_back_keeps_more() -> None:
    wall, passed = 1_000, 0
    clock = SteadyClock(wall=lambda: wall, passed=lambda: passed)
    wall, passed = 1_500, 500
    assert clock.now_us() == 1_500
    wall = 1_500 + 400 * DAY_US
    assert clock.now_us() == 1_500
    wall = 200
    assert clock.now_us() == 200
