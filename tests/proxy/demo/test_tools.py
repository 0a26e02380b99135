from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from proxy.demo.tools import DEFINITIONS, CheckFailedError, Toolbox


def _holds(_folder: Path) -> str:
    return "holds"


def _fails(_folder: Path) -> str:
    raise CheckFailedError("expected 2, found 1")


@pytest.fixture
def tools(tmp_path: Path) -> Toolbox:
    (tmp_path / "a.txt").write_text("one\ntwo\nthree\n", encoding="utf-8")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/b.txt").write_text("two\n" * 20, encoding="utf-8")
    return Toolbox(tmp_path, {"holds": _holds, "fails": _fails})


@pytest.mark.parametrize(
    ("name", "arguments", "answer"),
    [
        ("read_file", {"path": "a.txt"}, "one\ntwo\nthree\n"),
        ("read_file", {"path": "a.txt", "start_line": 2, "end_line": 2}, "two\n"),
        ("read_file", {"path": "a.txt", "start_line": 3}, "three\n"),
        ("search_files", {"query": "three"}, "a.txt:3:three"),
        ("search_files", {"query": "four"}, "no hits"),
        ("run_check", {"name": "holds"}, "holds"),
    ],
)
def test_calls_have_real_answers(tools: Toolbox, name: str, arguments: dict[str, Any], answer: str) -> None:
    assert tools.run(name, arguments) == (answer, False)


def test_a_search_stops_after_some_hits(tools: Toolbox) -> None:
    text, _ = tools.run("search_files", {"query": "two"})
    assert text.splitlines()[0] == "a.txt:2:two"
    assert text.splitlines()[-1] == "… and 9 more"


def test_what_is_written_can_be_read(tools: Toolbox) -> None:
    assert tools.run("write_file", {"path": "a.txt", "content": "é"}) == ("wrote 2 bytes to a.txt", False)
    assert tools.run("read_file", {"path": "a.txt"}) == ("é", False)


@pytest.mark.parametrize(
    ("name", "arguments", "reason"),
    [
        ("run_check", {"name": "fails"}, "run_check fails failed: expected 2, found 1"),
        ("run_check", {"name": "other"}, "KeyError"),
        ("no_tool", {}, "KeyError"),
        ("read_file", {}, "TypeError"),
        ("read_file", {"path": "none.txt"}, "FileNotFoundError"),
        ("read_file", {"path": "../outside"}, "outside the project"),
        ("write_file", {"path": "/tmp/outside", "content": ""}, "outside the project"),
    ],
)
def test_what_cannot_be_done_is_answered_as_an_error(
    tools: Toolbox, name: str, arguments: dict[str, Any], reason: str
) -> None:
    text, is_error = tools.run(name, arguments)
    assert is_error
    assert reason in text


def test_every_tool_offered_can_be_run(tools: Toolbox) -> None:
    assert {tool["name"] for tool in DEFINITIONS} == {"search_files", "read_file", "write_file", "run_check"}
