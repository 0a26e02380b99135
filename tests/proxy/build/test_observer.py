from __future__ import annotations

from pathlib import Path

from config.load import load
from proxy.build.observer import DAY_US, observe_until_idle, retention
from proxy.store import open_database, snapshot


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
