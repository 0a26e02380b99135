from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from proxy.store import open_database
from tests.support.service import environment_of, typed
from tests.support.stories import a_compacted_session, keep
from tests.support.typed import type_command


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("COMPACTION_GATE_CAPTURE_KEEP_FIGURES_DAYS", "36500")
    monkeypatch.setenv("COMPACTION_GATE_CAPTURE_FREE_DISK_FLOOR_GIB", "0")
    with open_database(f"sqlite:///{tmp_path}/store.db") as database:
        keep(a_compacted_session(), database)
    return tmp_path


def test_size_counts_bytes_and_rows(data: Path) -> None:
    (data / "journal").mkdir()
    (data / "journal/segment").write_bytes(b"x" * 8192)
    lines = type_command("--data", data, "store", "size").lines
    told = {line.rsplit("  ", 1)[0].strip(): line.rsplit("  ", 1)[1].strip() for line in lines}
    assert told["rows of turns"] == "11"
    assert told["journal"] == "8.0 KiB"


def test_verify_finds_nothing_in_a_whole_store_and_leaves_with_65_when_it_does(data: Path) -> None:
    with closing(sqlite3.connect(data / "store.db")) as connection, connection:
        connection.execute("UPDATE iterations SET output = -1 WHERE number = 1")
    broken = type_command("--data", data, "store", "verify")
    assert broken.code == 65
    assert "broken: no count of tokens is negative" in broken.out


def test_prune_removes_what_is_too_old(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "removed: 0 contents, 0 sessions, 0 exchanges" in type_command("--data", data, "store", "prune").out
    monkeypatch.setenv("COMPACTION_GATE_CAPTURE_KEEP_FIGURES_DAYS", "30")
    typed = type_command("--data", data, "store", "prune")
    assert typed.code == 0
    assert "removed: 0 contents, 1 session, 11 exchanges" in typed.out


def test_forget_removes_a_session_once_asked_for(data: Path) -> None:
    typed = type_command("--data", data, "store", "forget", "--session", "7f3a", "--yes")
    assert (typed.code, typed.out) == (0, "removed: 0 contents, 1 session, 11 exchanges\n")
    assert type_command("--data", data, "store", "forget", "--session", "7f3a", "--yes").code == 64


def test_dump_prints_every_fact_the_same_way_each_time(data: Path, tmp_path: Path) -> None:
    file = tmp_path / "facts.jsonl"
    assert type_command("--data", data, "store", "dump", "--output", file).code == 0
    printed = typed(data, environment_of("http://h"), "store", "dump", "--canonical")
    assert printed.stdout == file.read_text()
    facts = [json.loads(line) for line in printed.stdout.splitlines()]
    assert facts[0]["format"] == "compaction-gate facts"
    assert sum(fact.get("fact") == "turns" for fact in facts) == 11


def test_a_dump_that_cannot_be_written_is_refused_by_name(data: Path) -> None:
    refused = type_command("--data", data, "store", "dump", "--output", data / "none" / "facts")
    assert refused.code == 73
    assert "none/facts: no such file or directory" in refused.err


@pytest.mark.parametrize("command", [["size"], ["verify"], ["prune"], ["forget", "--session", "last"], ["dump"]])
def test_without_a_store_nothing_is_made(tmp_path: Path, command: list[str]) -> None:
    refused = type_command("--data", tmp_path / "none", "store", *command)
    assert refused.code == 65
    assert "found no file, expected a store" in refused.err
    assert not (tmp_path / "none").exists()
