from __future__ import annotations

import json
from pathlib import Path

import pytest

from config import tool_rules
from proxy.model.facts import Label, ToolClass
from proxy.store import open_database
from tests.support.stories import Telling, keep, reads
from tests.support.typed import Typed, type_command


@pytest.fixture
def data(tmp_path: Path) -> Path:
    told = Telling()
    unknown = {"tool_class": ToolClass.UNKNOWN, "action": "", "label": Label.NOT_RETRIEVAL}
    told.turn(
        1_000,
        {**reads("a.py"), "because": '{"rule": "tools.yaml:6"}'},
        {"tool": "kb_get", "because": '{"rule": "no rule for id"}', **unknown},
        {"tool": "mystery", "because": '{"rule": "no rule"}', **unknown},
        {"tool": "Bash", "because": '{"rule": "tools.yaml:33 shell: cat, log-view"}', **unknown},
    )
    with open_database(f"sqlite:///{tmp_path}/store.db") as database:
        keep(told, database)
    return tmp_path


def tools(data: Path, *words: str, files: str = "") -> Typed:
    config = data / "settings.toml"
    config.write_text(f"[tools]\nfiles = [{files}]\n")
    return type_command("--data", data, "--config", config, "tools", *words)


def test_list_shows_rules_with_their_place_and_tools_with_their_share(data: Path) -> None:
    typed = tools(data, "list")
    assert typed.code == 0
    assert any("shipped:" in line and "claude-code" in line for line in typed.lines)
    assert "4 tools seen in 4 calls; unknown: 75 % of the calls" in typed.out
    told = json.loads(tools(data, "list", "--format", "json").out)
    assert told["rules"][0]["origin"].startswith("shipped:")
    assert {one["tool"] for one in told["seen"]} == {"Read", "kb_get", "mystery", "Bash"}


def test_a_rule_that_cannot_be_used_is_named_and_the_others_are_listed(data: Path) -> None:
    (data / "mine.yaml").write_text("version: 1\ntools:\n  - tool: good\n  - {tool: bad, class: reading}\n")
    typed = tools(data, "list", files='"mine.yaml"')
    assert typed.code == 78
    assert "1 of yours" in typed.out
    assert f"{data}/mine.yaml:3" in typed.out
    assert "left out: tools.1.class" in typed.err
    assert f"{data}/mine.yaml:4" in typed.err


def test_sessions_without_a_call_are_not_said_to_be_none(tmp_path: Path) -> None:
    assert "no session yet" in type_command("--data", tmp_path, "tools", "list").out
    told = Telling()
    told.turn(1_000)
    with open_database(f"sqlite:///{tmp_path}/store.db") as database:
        keep(told, database)
    typed = type_command("--data", tmp_path, "tools", "list")
    assert typed.lines[-1] == "no tool call in any session so far"


def test_suggest_prints_rules_that_could_be_pasted_and_what_it_cannot_guess(data: Path, tmp_path: Path) -> None:
    typed = tools(data, "suggest")
    assert typed.code == 0
    assert "# 'mystery': 1 call by claude-code; no argument names kept; neither name" in typed.out
    file = tmp_path / "pasted.yaml"
    file.write_text(f"version: 1\n{typed.out}")
    (mine, _) = tool_rules.load([file])
    assert [rule["tool"] for rule in mine["tools"]] == [["kb_get"]]
    assert mine["programs"] == [{"program": ["log-view"], "class": "retrieval"}]
    assert "next: compaction-gate tools suggest --write" in typed.err


def test_suggest_writes_beside_the_settings_and_says_how_to_use_it(data: Path) -> None:
    typed = tools(data, "suggest", "--write")
    assert f"written: {data}/tools.yaml" in typed.err
    assert f'set tools.files = ["{data}/tools.yaml"]' in typed.err
    again = tools(data, "list", files='"tools.yaml"')
    assert "1 of yours" in again.out


def test_suggest_leaves_a_file_alone_that_it_cannot_read(data: Path) -> None:
    (data / "tools.yaml").write_text("version: 1\ntools: {")
    typed = tools(data, "suggest", "--write")
    assert typed.code == 78
    assert (data / "tools.yaml").read_text() == "version: 1\ntools: {"


def test_test_shows_how_one_call_is_understood(data: Path, tmp_path: Path) -> None:
    answer = tmp_path / "answer"
    answer.write_text("one\ntwo\n")
    typed = tools(data, "test", "claude-code", "Bash", '{"command": "sed -n 1,80p a.py"}', "--cwd", "/w",
                  "--result", str(answer))  # fmt: skip
    assert typed.code == 0
    shown = dict(line.split(maxsplit=1) for line in typed.lines)
    assert (shown["class"], shown["resource"], shown["span"], shown["key"]) == (
        "retrieval", "/w/a.py", "1-80", "read:/w/a.py:1-80",
    )  # fmt: skip
    assert shown["mutates"] == "nothing"
    assert "shell: sed" in shown["rule"]
    assert shown["compared"].startswith("2 lines, sha256 ")


def test_test_goes_over_a_stored_session(data: Path) -> None:
    typed = tools(data, "test", "--session", "last")
    assert typed.code == 0
    assert any("Bash" in line and "arguments not kept" in line for line in typed.lines)


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (("a", "b"), 64, "tools test needs CLIENT TOOL JSON, or --session ID"),
        (("a", "b", "{"), 65, "arguments: character"),
        (("a", "b", "[]"), 65, "found list, expected a JSON object"),
        (("--session", "nope"), 64, "no session is 'nope'"),
        (("a", "b", "{}", "--result", "/nowhere/x"), 65, "/nowhere/x: found no such file"),
    ],
)
def test_what_cannot_be_tested_is_refused_with_the_reason(
    data: Path, words: tuple[str, ...], code: int, says: str
) -> None:
    typed = tools(data, "test", *words)
    assert typed.code == code
    assert says in typed.err


def test_without_a_store_the_next_command_is_told(tmp_path: Path) -> None:
    for verb in ("list", "suggest"):
        assert "next: compaction-gate wrap -- claude" in tools(tmp_path, verb).out
