from __future__ import annotations

from collections import Counter
from pathlib import Path
from tempfile import NamedTemporaryFile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from config import tool_rules
from proxy.cli.rules.seen import SeenTool
from proxy.cli.rules.suggest import Suggestion, as_yaml, suggestions
from proxy.ledger.tools import ToolRules


def a_tool(name: str, *arguments: str, programs: tuple[str, ...] = ()) -> SeenTool:
    rule = "tools.yaml:33" if programs else "no rule"
    return SeenTool("codex", name, 3, Counter(), Counter({rule: 3}), Counter(arguments), Counter(programs))


def suggest(*seen: SeenTool) -> list[Suggestion]:
    return suggestions(seen, is_known=ToolRules(tool_rules.load()).knows_program)


@pytest.mark.parametrize(
    ("tool", "arguments", "rule"),
    [
        ("mcp__kb__get_article", ("id", "lang"),
         {"class": "retrieval", "action": "read", "resource": "id", "kind": "name", "narrow": "[lang]"}),
        ("blob", ("path", "offset", "limit"),
         {"class": "retrieval", "action": "read", "resource": "path", "span": "{offset: offset, limit: limit}"}),
        ("searchDocs", ("query",), {"class": "retrieval", "action": "search", "resource": "query", "kind": "query"}),
        ("page", ("url",), {"class": "retrieval", "action": "fetch", "resource": "url", "kind": "url"}),
        ("jira_update_issue", ("issue_id", "text"),
         {"class": "execution", "action": "write", "resource": "issue_id", "kind": "name", "mutates": "anything"}),
        ("save_note", ("file",), {"class": "execution", "action": "write", "resource": "file", "mutates": "resource"}),
        ("runJob", (), {"class": "execution", "action": "run", "mutates": "anything"}),
        ("get_and_delete", ("path",),
         {"class": "execution", "action": "write", "resource": "path", "mutates": "resource"}),
    ],
)  # fmt: skip
def test_a_rule_is_guessed_from_names(tool: str, arguments: tuple[str, ...], rule: dict[str, str]) -> None:
    (found,) = suggest(a_tool(tool, *arguments))
    assert found.rule == {"tool": tool} | rule
    assert found.reason.startswith("3 calls by codex")


def test_a_guess_from_an_argument_alone_says_so() -> None:
    (found,) = suggest(a_tool("blob", "path"))
    assert "guessed from the argument `path` alone: check that it changes nothing" in found.reason


def test_what_names_do_not_tell_is_left_to_a_person() -> None:
    (found,) = suggest(a_tool("frobnicate", "a", "b"))
    assert found.rule == {}
    assert "say class and resource yourself" in found.reason


def test_a_tool_with_a_rule_is_left_alone_and_only_unknown_programs_are_suggested() -> None:
    found = suggest(a_tool("bash", programs=("cat", "log-view", "deployit", "/opt/x")))
    assert [(one.section, one.subject, one.rule["class"]) for one in found] == [
        ("programs", "deployit", "execution"),
        ("programs", "log-view", "retrieval"),
    ]


def test_a_client_that_calls_itself_something_odd_stays_in_the_comment() -> None:
    odd = a_tool("blob", "path")
    odd.client = "x\n- tool: evil"
    (line, *_) = as_yaml(suggest(odd))
    assert line.startswith("  # 3 calls by x - tool: evil")


def test_calls_of_several_clients_make_one_suggestion() -> None:
    other = a_tool("blob", "path")
    other.client = "opencode"
    (found,) = suggest(a_tool("blob", "path"), other)
    assert found.reason.startswith("6 calls by codex, opencode")


@given(st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1, max_size=30))
def test_any_name_makes_a_file_that_is_read_back_and_fits_that_tool_alone(name: str) -> None:
    tool = f"read{name}"
    (found,) = suggest(a_tool(tool, "path"))
    assert found.rule
    text = "version: 1\ntools:\n" + "\n".join(as_yaml([found])) + "\n"
    with NamedTemporaryFile("w", encoding="utf-8", suffix=".yaml") as file:
        file.write(text)
        file.flush()
        documents = tool_rules.load([Path(file.name)])
    access = ToolRules(documents).access("", tool, {"path": "/a"}, cwd="")
    assert access.key == "read:/a:"
    assert ToolRules(documents).access("", tool + "x", {"path": "/a"}, cwd="").rule != access.rule
