from __future__ import annotations

from pathlib import Path

import pytest

from proxy.journal.reader import JournalReader
from tests.support.typed import type_command


@pytest.fixture(autouse=True)
def _quiet_logging(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("proxy.cli.live.observe.start_logging", lambda form, component: None)


def test_until_idle_reads_what_is_there_and_ends(tmp_path: Path) -> None:
    assert type_command("--data", tmp_path, "observe", "--until-idle").code == 0
    assert (tmp_path / "store.db").exists()


def test_a_journal_has_one_observer_at_a_time(tmp_path: Path) -> None:
    other = JournalReader(tmp_path / "journal", exclusive=True)
    typed = type_command("--data", tmp_path, "observe", "--until-idle")
    other.close()
    assert typed.code == 73
    assert "another observer reads this journal" in typed.err
