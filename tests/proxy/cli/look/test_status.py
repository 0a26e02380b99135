from __future__ import annotations

import json
from pathlib import Path

from proxy.page.memory import Page
from proxy.page.table import JOURNAL_OFF, REQUESTS
from proxy.relay.counters import vocabulary
from proxy.store import open_database
from tests.support.stories import a_compacted_session, keep
from tests.support.typed import type_command


def test_an_empty_folder_is_not_made_and_says_what_to_type(tmp_path: Path) -> None:
    typed = type_command("--data", tmp_path / "none", "status")
    assert typed.code == 0
    assert typed.lines[-1] == "next: compaction-gate wrap -- claude     (one agent through a relay)"
    assert not (tmp_path / "none").exists()


def test_programs_get_every_figure(tmp_path: Path) -> None:
    told = a_compacted_session()
    with open_database(f"sqlite:///{tmp_path}/store.db") as database:
        keep(told, database)
    page = Page(tmp_path / "relay.page", vocabulary(["anthropic"]))
    page.add(page.slot(REQUESTS, upstream="anthropic"), 12)
    page.set(page.slot(JOURNAL_OFF), 0)
    found = json.loads(type_command("--data", tmp_path, "status", "--format", "json").out)
    page.close()
    assert found["requests"] == 12
    assert found["exchanges"] == [{"kind": "turn", "reason": "", "count": 11}]
    assert found["sessions"] == 1
    assert found["last_by_upstream"] == {"anthropic": told.now_us}
    assert (found["by"], found["recording"], found["lag_s"]) == ("", None, None)
    assert found["lost"]["slow_disk"] == 0


def test_a_store_that_cannot_be_read_hides_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "store.db").write_bytes(b"garbage")
    typed = type_command("--data", tmp_path, "status")
    assert typed.code == 65
    assert "nothing runs on this data folder" in typed.lines
    assert "seen: not measured" in typed.lines
    assert "store.db: found file is not a database" in typed.out
