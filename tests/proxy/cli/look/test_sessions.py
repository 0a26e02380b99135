from __future__ import annotations

import json
from pathlib import Path

import pytest

from proxy.cli.reading import now_us
from proxy.store import open_database
from tests.support.stories import Telling, a_compacted_session, keep, reads, rereads
from tests.support.typed import type_command


@pytest.fixture
def data(tmp_path: Path) -> Path:
    quiet = Telling("91c0" + "0" * 28)
    quiet.turn(1_000, reads("a"))
    with open_database(f"sqlite:///{tmp_path}/store.db") as database:
        keep(a_compacted_session(), database)
        keep(quiet, database)
    return tmp_path


def test_the_worst_comes_first(data: Path) -> None:
    typed = type_command("--data", data, "sessions")
    assert typed.code == 0
    assert [line.split()[0] for line in typed.lines[:-1]] == ["session", "7f3a91c2", "91c00000"]
    assert typed.lines[-1].startswith("labels not audited")
    assert "3 + 1 partial" in typed.lines[1]


def test_programs_get_every_figure(data: Path) -> None:
    rows = json.loads(type_command("--data", data, "sessions", "--format", "json").out)
    worst = next(row for row in rows if row["session"].startswith("7f3a"))
    assert (worst["turns"], worst["exact"], worst["partial"]) == (11, 3, 1)
    assert worst["exact_tokens_ref"] + worst["partial_tokens_ref"] == 6_664
    assert 0 < worst["partial_tokens_ref"] < worst["exact_tokens_ref"]
    assert (worst["boundaries"], worst["unknown_calls"], worst["looping"]) == (1, 1, False)


def test_an_empty_answer_says_what_is_missing_and_what_to_type(data: Path, tmp_path: Path) -> None:
    assert type_command("--data", data, "sessions", "--looping").out == (
        "no session loops now; 2 seen\nnext: compaction-gate sessions\n"
    )
    assert (
        type_command("--data", data, "sessions", "--since", "1h").out
        == "no session in that time\nnext: compaction-gate sessions\n"
    )
    empty = tmp_path / "empty"
    assert type_command("--data", empty, "sessions").out == (
        f"no session yet in {empty}\nnext: compaction-gate wrap -- claude     (one agent through a relay)\n"
    )
    assert not empty.exists()


def test_a_loop_that_is_over_is_found_in_the_time_it_was_in(tmp_path: Path) -> None:
    """What the alert says to type: by then the session may have gone on, or ended."""
    told = Telling()
    told.now_us = now_us() - 40 * 60 * 1_000_000
    told.turn(60_000, reads("a"))
    told.boundary(("a", 100))
    for _ in range(3):
        told.turn(9_000, rereads("a") | {"repeats": "main/1.0"})
    with open_database(f"sqlite:///{tmp_path}/store.db") as database:
        keep(told, database)
    assert "no session loops now" in type_command("--data", tmp_path, "sessions", "--looping").out
    found = type_command("--data", tmp_path, "sessions", "--looping", "--since", "1h")
    assert found.lines[1].startswith("7f3a91c2")
    assert "looped until" in found.lines[1]
    assert "no session in that time" in type_command("--data", tmp_path, "sessions", "--looping", "--since", "30m").out


def test_a_span_that_is_none_is_wrong_use() -> None:
    typed = type_command("sessions", "--since", "yesterday")
    assert typed.code == 64
    assert "'yesterday' is no span of time: expected 90s, 30m, 24h or 7d" in typed.err
