from __future__ import annotations

import json
from pathlib import Path

import pytest

from proxy.store import open_database
from tests.support.stories import Telling, a_compacted_session, keep, reads
from tests.support.typed import type_command


@pytest.fixture
def data(tmp_path: Path) -> Path:
    with open_database(f"sqlite:///{tmp_path}/store.db") as database:
        keep(a_compacted_session(), database)
        for name, source in (("91c0", "live"), ("5a5a", "simulated")):
            told = Telling(name + "0" * 28, door="intercept", source=source)
            told.turn(4_100, reads("a.py"), cached=0)
            told.turn(21_700, reads("b.py"), reads("z.py"), cached=4_000)
            keep(told, database)
    return tmp_path


def test_two_sessions_stand_side_by_side(data: Path) -> None:
    typed = type_command("--data", data, "compare", "7f3a", "91c0")
    assert typed.code == 0
    assert typed.lines[0].startswith("A  session 7f3a91c2 · claude-code 2.1.332")
    assert "1 main turn alike; then the model asked for something else:" in typed.out
    assert "  B  turn 2  Read b.py, Read z.py   (91c00000:t2)" in typed.lines
    assert any(line.split() == ["turns", "11", "2", "-9"] for line in typed.lines)
    assert any(line.split()[:2] == ["door:", "A"] for line in typed.lines)
    assert "lower bounds" in typed.out


def test_programs_get_the_same(data: Path) -> None:
    found = json.loads(type_command("--data", data, "compare", "7f3a", "91c0", "--format", "json").out)
    assert (found["format"], found["version"], found["source"]) == ("compaction-gate compare", 1, "live")
    assert (found["divergence"]["place"], found["divergence"]["why"]) == (2, "actions")
    turns = next(one for one in found["figures"] if one["name"] == "turns")
    assert (turns["a"], turns["b"], turns["difference"]) == (11, 2, -9)


def test_sessions_of_different_sources_are_refused(data: Path) -> None:
    typed = type_command("--data", data, "compare", "7f3a", "5a5a")
    assert (typed.code, typed.out) == (64, "")
    assert "figures of different sources are never subtracted" in typed.err


def test_without_a_store_the_next_command_is_told(tmp_path: Path) -> None:
    typed = type_command("--data", tmp_path, "compare", "a", "b")
    assert typed.code == 64
    assert "next: compaction-gate wrap" in typed.err
