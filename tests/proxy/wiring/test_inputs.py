from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path

import pytest

from config.errors import SettingsError
from config.load import load
from proxy.model.errors import GateError, InputError, NewerVersionError
from proxy.wiring.inputs import check_files, check_inputs, rules_in_force


@pytest.mark.parametrize(
    ("setting", "content", "message"),
    [
        ("RELAY_TOKEN_FILE", "short", "found less or more, expected one line with a token of at least 16 characters"),
        ("RELAY_TOKEN_FILE", "a token of several words", "expected one line with a token of at least 16 characters"),
        ("ADMIN_TOKEN_FILE", None, "found no such file or directory"),
        ("EGRESS_CA_BUNDLE", "no certificate", "expected a PEM file of certificates"),
        ("EGRESS_CA_BUNDLE", None, "found no such file or directory"),
        ("PRICES_OVERRIDE", "[[price", "expected TOML"),
        ("TOOLS_FILES", "rules: 5", "rules"),
    ],
)
def test_a_file_that_is_not_what_it_should_be_is_named(
    tmp_path: Path, setting: str, content: str | None, message: str
) -> None:
    file = tmp_path / "canary"
    if content is not None:
        file.write_text(content)
    environment = {f"COMPACTION_GATE_{setting}": str(file), "COMPACTION_GATE_STORE_DATA": str(tmp_path / "data")}
    with pytest.raises((GateError, SettingsError)) as caught:
        check_inputs(load(environment=environment).settings)
    assert str(file) in str(caught.value)
    assert message in str(caught.value)
    assert "short" not in str(caught.value)
    assert "several words" not in str(caught.value)


def test_good_files_pass(tmp_path: Path) -> None:
    token = tmp_path / "token"
    token.write_text("0123456789abcdef\n")
    environment = {"COMPACTION_GATE_RELAY_TOKEN_FILE": str(token), "COMPACTION_GATE_STORE_DATA": str(tmp_path / "data")}
    check_inputs(load(environment=environment).settings)


def test_a_store_of_a_newer_version_is_left_alone(tmp_path: Path) -> None:
    settings = load(environment={"COMPACTION_GATE_STORE_DATA": str(tmp_path)}).settings
    with contextlib.closing(sqlite3.connect(tmp_path / "store.db")) as connection, connection:
        connection.execute("CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL)")
        connection.execute("INSERT INTO alembic_version VALUES ('9999')")
    with pytest.raises(NewerVersionError, match="found revision 9999, expected revision 0001 or older"):
        check_inputs(settings)
    with contextlib.closing(sqlite3.connect(tmp_path / "store.db")) as connection:
        assert connection.execute("SELECT name FROM sqlite_master").fetchall() == [("alembic_version",)]


def test_rules_that_are_wrong_in_parts_start_all_the_same_and_are_named(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    file = tmp_path / "tools.yaml"
    file.write_text("version: 1\ntools:\n  - tool: good\n  - {tool: bad, class: reading}\n")
    environment = {"COMPACTION_GATE_TOOLS_FILES": str(file), "COMPACTION_GATE_STORE_DATA": str(tmp_path / "data")}
    settings = load(environment=environment).settings
    check_inputs(settings)
    assert f"{file}:4" in caplog.text
    assert "tools.1.class" in caplog.text
    assert [rule["tool"] for rule in rules_in_force(settings)[0]["tools"]] == [["good"]]
    with pytest.raises(SettingsError):
        check_files(settings)


def test_spans_without_the_library_to_send_them_are_refused_with_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("proxy.wiring.inputs.EXPORTER", "a-distribution-that-nobody-has")
    environment = {"COMPACTION_GATE_STORE_DATA": str(tmp_path)}
    settings = load(
        environment=environment, options={"export.otlp.endpoint": ("--x", "http://127.0.0.1:4318")}
    ).settings
    with pytest.raises(InputError, match=r"export\.otlp\.endpoint.*compaction-gate\[otlp\]"):
        check_files(settings)
