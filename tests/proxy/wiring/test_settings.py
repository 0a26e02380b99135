from __future__ import annotations

from pathlib import Path

from config.load import load
from proxy.wiring.settings import data_folder, loop_limits, relay_spec
from proxy.wiring.spec import GIB, MIB


def test_settings_become_limits_in_the_units_of_processes(tmp_path: Path) -> None:
    environment = {
        "COMPACTION_GATE_STORE_DATA": str(tmp_path),
        "COMPACTION_GATE_RELAY_RECORD_BODY_CAP_MIB": "3",
        "COMPACTION_GATE_CAPTURE_FREE_DISK_FLOOR_GIB": "0.5",
        "COMPACTION_GATE_UPSTREAMS_CORP_URL": "https://gate.corp/x/",
    }
    settings = load(environment=environment).settings
    spec = relay_spec(settings)
    assert (spec.body_cap_bytes, spec.free_floor_bytes) == (3 * MIB, GIB // 2)
    assert spec.upstreams["corp"] == "https://gate.corp/x"
    assert spec.upstreams["chatgpt"] == "https://chatgpt.com/backend-api/codex"
    assert spec.listen_fd is None
    assert data_folder(settings).journal == tmp_path / "journal"
    assert loop_limits(settings).idle_us == 900_000_000
