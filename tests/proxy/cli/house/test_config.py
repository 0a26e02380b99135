from __future__ import annotations

from pathlib import Path

import pytest

from config.layers import defaults_text
from tests.support.typed import type_command


@pytest.fixture(autouse=True)
def _own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "home"))


def test_init_writes_every_default_to_the_file_that_is_read_by_itself(tmp_path: Path) -> None:
    path = tmp_path / "home/compaction-gate/compaction-gate.toml"
    typed = type_command("config", "init")
    assert (typed.code, typed.out) == (0, f"written: {path}\n")
    assert path.read_text() == defaults_text()
    assert f"file: {path}" in type_command("config", "check").out


def test_init_never_replaces_a_file(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text("# mine")
    typed = type_command("config", "init", path)
    assert typed.code == 73
    assert typed.err == f"compaction-gate: {path}: there is a file already, and it may hold your changes\n"
    assert path.read_text() == "# mine"


def test_init_prints_to_a_dash() -> None:
    assert type_command("config", "init", "-").out == defaults_text()


def test_show_prints_value_and_origin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COMPACTION_GATE_ENVIRONMENT", "staging")
    lines = type_command("--data", tmp_path, "config", "show").lines
    told = {line.split(" = ")[0]: line for line in lines}
    assert told["environment"].split() == [
        "environment",
        "=",
        '"staging"',
        "#",
        "environment",
        "COMPACTION_GATE_ENVIRONMENT",
    ]
    assert told["store.data"].endswith("# command line --data")
    assert told["relay.drain_s"].endswith("# default")


def test_check_reads_the_files_that_settings_name_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COMPACTION_GATE_EGRESS_CA_BUNDLE", str(tmp_path / "none.pem"))
    typed = type_command("--data", tmp_path / "data", "config", "check")
    assert typed.code == 65
    assert "none.pem: found no such file or directory, expected a PEM file of certificates" in typed.err
    assert not (tmp_path / "data").exists()


def test_check_says_what_is_wrong_and_leaves_with_78(tmp_path: Path) -> None:
    file = tmp_path / "gate.toml"
    file.write_text("[relay]\ndrian_s = 5\n")
    typed = type_command("--config", file, "config", "check")
    assert typed.code == 78
    assert typed.err == (
        f"compaction-gate: settings: relay.drian_s = 5 (from {file}): unknown key; nearest known key: relay.drain_s\n"
    )
