from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from proxy.journal.layout import Mark
from proxy.store import Commit, Content, StateChange, Writer, open_database
from tests.support.stories import Telling, a_compacted_session, keep, reads
from tests.support.typed import type_command

DOCS = Path(__file__).parents[4] / "docs"


@pytest.fixture
def data(tmp_path: Path) -> Path:
    other = Telling("7f3b" + "0" * 28)
    other.turn(1_000)
    with open_database(f"sqlite:///{tmp_path}/store.db") as database:
        keep(a_compacted_session(), database)
        keep(other, database)
    return tmp_path


@pytest.mark.parametrize("reference", ["last", "7f3a", "7f3a91c2" + "0" * 24])
def test_a_session_is_named_by_last_by_a_unique_prefix_or_whole(data: Path, reference: str) -> None:
    typed = type_command("--data", data, "session", reference)
    assert typed.code == 0
    assert typed.lines[0].startswith("session 7f3a91c2 · claude-code 2.1.332")
    assert any("▼b1 auto" in line for line in typed.lines)


def test_a_prefix_of_several_is_refused_with_their_names(data: Path) -> None:
    typed = type_command("--data", data, "session", "7f3")
    assert typed.code == 64
    assert "2 sessions are '7f3' or begin so" in typed.err


def test_without_any_session_the_next_command_is_told(tmp_path: Path) -> None:
    typed = type_command("--data", tmp_path, "session", "last")
    assert typed.code == 64
    assert "next: compaction-gate wrap -- claude" in typed.err


def test_a_file_that_is_no_store_is_refused_as_bad_input(tmp_path: Path) -> None:
    (tmp_path / "store.db").write_text("not a database, but long enough to be looked at as one" * 20)
    typed = type_command("--data", tmp_path, "session", "last")
    assert typed.code == 65


def test_the_json_is_the_documented_form(data: Path) -> None:
    """Every key of the object stands in docs/session-json.md."""
    found = json.loads(type_command("--data", data, "session", "last", "--format", "json").out)
    assert (found["format"], found["version"]) == ("compaction-gate session", 1)
    document = (DOCS / "session-json.md").read_text()
    for key in _keys(found):
        assert f"`{key}`" in document, key


def _keys(value: object) -> set[str]:
    if isinstance(value, dict):
        return set(value).union(
            *(_keys(inner) for key, inner in value.items() if key not in ("because", "calls_by_class"))
        )
    if isinstance(value, list):
        return set().union(*map(_keys, value))
    return set()


def test_the_bill_stands_beside_its_boundary_in_the_json(data: Path) -> None:
    found = json.loads(type_command("--data", data, "session", "last", "--format", "json").out)
    (boundary,) = found["boundaries"]
    assert (boundary["name"], boundary["dropped_observations"]) == ("b1", 3)
    bill = boundary["bill"]
    parts = [bill[name]["pico_usd"] for name in ("summary", "rewrite", "exact", "partial", "attempted")]
    assert sum(parts) == bill["measured_pico_usd"]
    assert found["totals"]["exact_rereads"] == 3


def test_the_page_and_the_picture_are_the_same_each_time(data: Path) -> None:
    for form, start in (("html", "<!DOCTYPE html>"), ("svg", "<svg ")):
        first = type_command("--data", data, "session", "last", "--format", form)
        assert first.code == 0
        assert first.out.startswith(start)
        assert first.out == type_command("--data", data, "session", "last", "--format", form).out


def test_contents_are_asked_for_and_said_to_be_missing_where_none_are_kept(data: Path) -> None:
    refused = type_command("--data", data, "session", "last", "--contents")
    assert (refused.code, "--contents goes with --format html" in refused.err) == (64, True)
    without = type_command("--data", data, "session", "last", "--format", "html", "--contents")
    assert without.code == 0
    assert "no contents are kept of this session" in without.err


def test_contents_of_a_full_capture_are_embedded_when_asked_for_and_only_then(data: Path) -> None:
    answer = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "", "content": "the <very> answer"}]}
    with open_database(f"sqlite:///{data}/store.db") as database:
        told = Telling("aaaa" + "0" * 28)
        told.turn(9_000, reads("a"))
        told.boundary(("a", 100))
        keep(told, database)
        exchange = replace(told.exchanges[0], number=99)
        piece = Content("f" * 64, json.dumps(answer).encode(), redacted=False)
        state = StateChange(told.session, 1, {"main": b"more"})
        Writer(database).commit(Commit(exchange=exchange, state=state, contents=[piece], mark=Mark(99, 1, 99_000)))
    page = type_command("--data", data, "session", "aaaa", "--format", "html", "--contents").out
    assert "the &lt;very&gt; answer" in page
    assert "very" not in type_command("--data", data, "session", "aaaa", "--format", "html").out
