from __future__ import annotations

from pathlib import Path

from config.load import load
from proxy.wiring.scan import scanning_journey


def test_a_journey_for_a_scan_leaves_nothing_behind(tmp_path: Path) -> None:
    data = tmp_path / "data"
    settings = load(None, options={"store.data": ("--data", data)}).settings
    assert scanning_journey(settings) is not None
    assert not data.exists()
