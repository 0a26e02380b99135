"""What tool calls access, by the shipped rules: Claude Code, the protocol's own and common names, Anthropic's tools."""

from __future__ import annotations

import json
import os
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from config.tool_rules import load
from proxy.ledger.keys.arguments import Target
from proxy.ledger.tools import Access, ToolRules
from proxy.model.facts import ToolClass

RULES = ToolRules(load())
CLAUDE = "claude-code"
TRACES = Path(os.environ.get("COMPACTION_GATE_TRACES", Path(__file__).parents[4] / "shared" / "traces"))


def access(tool: str, client: str = CLAUDE, cwd: str = "/w", **arguments: Any) -> Access:
    return RULES.access(client, tool, arguments, cwd=cwd)


@pytest.mark.parametrize(
    ("tool", "arguments", "key"),
    [
        ("Read", {"file_path": "/a/b.py"}, "read:/a/b.py:"),
        ("Read", {"file_path": "/a/./b.py", "offset": 0}, "read:/a/b.py:"),
        ("Read", {"file_path": "/a/b.py", "offset": 1}, "read:/a/b.py:"),
        ("Read", {"file_path": "/a/b.py", "offset": 10, "limit": 11}, "read:/a/b.py:10-20"),
        ("Read", {"file_path": "/a/b.py", "offset": "10"}, "read:/a/b.py:10-"),
        ("Read", {"file_path": "/a/b.py", "limit": 50}, "read:/a/b.py:1-50"),
        ("Read", {"file_path": "/a.pdf", "pages": "1-5"}, "read:/a.pdf:pages=1-5"),
        ("Bash", {"command": "cat /a/b.py"}, "read:/a/b.py:"),
        ("Bash", {"command": "sed -n '10,20p' /a/b.py"}, "read:/a/b.py:10-20"),
        ("Bash", {"command": "head -50 /a/b.py"}, "read:/a/b.py:1-50"),
        ("Bash", {"command": "cat a b"}, "read:/w/a:|read:/w/b:"),
        ("Grep", {"pattern": "x", "path": "src", "-n": True}, "search:/w/src:-n=true&pattern=x"),
        ("Grep", {"pattern": "x", "-n": False, "glob": ""}, "search:/w:pattern=x"),
        ("Glob", {"pattern": "**/*.py"}, "list:/w:pattern=**/*.py"),
        ("LS", {"path": "/a/"}, "list:/a:"),
        ("WebFetch", {"url": "HTTPS://A.b/#x", "prompt": "p"}, "fetch:https://a.b/:prompt=p"),
        ("WebSearch", {"query": " a  b "}, "search:a b:"),
        ("ToolSearch", {"query": "select:WebFetch", "max_results": 5}, "search:select:WebFetch:max_results=5"),
        ("Skill", {"skill": "review", "args": "x"}, "load:review:args=x"),
        ("TaskOutput", {"task_id": "t1"}, "poll:t1:"),
        ("read_file", {"path": "a.py"}, "read:/w/a.py:"),
        ("read_file", {"path": "a.py", "start_line": 3, "end_line": 9}, "read:/w/a.py:3-9"),
        ("search_files", {"query": "x"}, "search:/w:query=x"),
        ("mcp__filesystem__read_text_file", {"path": "/a", "head": 5}, "read:/a:head=5"),
        ("mcp__filesystem__read_multiple_files", {"paths": ["/a", "b"]}, "read:/a:|read:/w/b:"),
        ("mcp__filesystem__list_directory", {"path": "/a"}, "list:/a:"),
        (
            "read_files",
            {"files": [{"path": "/a", "start_line": 1, "end_line": 5}, {"path": "/b"}]},
            "read:/a:1-5|read:/b:",
        ),
        ("read_files", {"files": ["/a", "b"]}, "read:/a:|read:/w/b:"),
        ("run_commands", {"commands": ["cat a", "cat b"]}, "read:/w/a:|read:/w/b:"),
        ("exec_command", {"cmd": "cat a", "workdir": "/x"}, "read:/x/a:"),
        ("str_replace_based_edit_tool", {"command": "view", "path": "/a", "view_range": [3, 9]}, "read:/a:3-9"),
        ("str_replace_based_edit_tool", {"command": "view", "path": "/a", "view_range": [3, -1]}, "read:/a:3-"),
        ("str_replace_editor", {"command": "view", "path": "/a", "view_range": None}, "read:/a:"),
        ("bash", {"command": "cat a"}, "read:/w/a:"),
        ("fetch_url", {"url": "http://a.b:80/c"}, "fetch:http://a.b/c:"),
        ("open", {"path": "https://a.b"}, "read:https://a.b/:"),
    ],
)
def test_a_retrieval_has_one_key_whichever_tool_asks(tool: str, arguments: dict[str, Any], key: str) -> None:
    found = access(tool, **arguments)
    assert (found.tool_class, found.key) == (ToolClass.RETRIEVAL, key)


@pytest.mark.parametrize(
    ("tool", "arguments", "mutates"),
    [
        ("Write", {"file_path": "/a", "content": "x"}, ("/a",)),
        ("Edit", {"file_path": "a"}, ("/w/a",)),
        ("NotebookEdit", {"notebook_path": "/n.ipynb"}, ("/n.ipynb",)),
        ("Bash", {"command": "echo x > a"}, ("/w/a",)),
        ("Bash", {"command": "sed -i s/a/b/ a && cat a"}, ("/w/a",)),
        ("Bash", {"command": "python x.py"}, ("",)),
        ("Bash", {"command": "cd /x"}, ()),
        ("Agent", {"prompt": "x"}, ("",)),
        ("TodoWrite", {"todos": []}, ()),
        ("write_file", {"path": "/a"}, ("/a",)),
        ("run_check", {"name": "test"}, ("",)),
        ("str_replace_based_edit_tool", {"command": "create", "path": "/a"}, ("/a",)),
        ("str_replace_based_edit_tool", {"command": "insert", "path": "/a"}, ("/a",)),
        ("bash", {"restart": True}, ()),
        ("mcp__filesystem__write_file", {"path": "/a"}, ("/a",)),
        ("mcp__filesystem__move_file", {"source": "/a", "destination": "/b"}, ("",)),
        ("AskUserQuestion", {}, ()),
    ],
)
def test_an_execution_tells_what_it_may_have_written(
    tool: str, arguments: dict[str, Any], mutates: tuple[str, ...]
) -> None:
    found = access(tool, **arguments)
    assert (found.tool_class, found.mutates) == (ToolClass.EXECUTION, mutates)


@pytest.mark.parametrize("tool", ["", "frobnicate", "mcp__jira__get_issue", "READ", "Read2"])
def test_a_tool_no_rule_knows_is_unknown_and_may_change_anything(tool: str) -> None:
    found = access(tool, file_path="/a")
    assert (found.tool_class, found.action, found.resource, found.mutates) == (ToolClass.UNKNOWN, "", "", ("",))
    assert found.rule == "no rule for file_path"
    assert access(tool).rule == "no rule"


def test_unknown_programs_make_a_shell_call_unknown() -> None:
    assert access("Bash", command="mytool --list").tool_class is ToolClass.UNKNOWN
    assert access("Bash", command="cat 'unterminated").tool_class is ToolClass.UNKNOWN


def test_the_deciding_rule_is_named() -> None:
    assert access("Bash", command="cat a | sort").rule.endswith("shell: cat, sort")
    assert access("Read", file_path="/a").rule.startswith("tools.yaml:")


def test_further_resources_of_one_call_are_kept() -> None:
    assert access("Bash", command="cat a b").more == (Target("/w/b", ""),)


def test_polling_is_told_by_rule() -> None:
    assert access("Bash", command="git status").polling
    assert access("Bash", command="sleep 5 && cat log").polling
    assert access("Bash", command="tail -f log").polling
    assert access("TaskOutput", task_id="t").polling
    assert not access("Bash", command="git log -5 && cat a").polling
    assert not access("Read", file_path="/a").polling


def test_a_shell_s_new_directory_is_told() -> None:
    assert access("Bash", command="cd sub && ls").leaves_in == "/w/sub"
    assert access("Bash", command="ls").leaves_in == ""
    assert access("Bash", command="cd $X").leaves_in is None


def test_arguments_that_are_no_json_leave_the_class_and_no_resource() -> None:
    found = RULES.access(CLAUDE, "Read", None, cwd="/w", raw='{"file_path": ')
    assert (found.tool_class, found.resource) == (ToolClass.RETRIEVAL, "")
    assert found.key != RULES.access(CLAUDE, "Read", None, cwd="/w", raw='{"x').key
    assert RULES.access(CLAUDE, "Bash", None, cwd="/w", raw="{").tool_class is ToolClass.UNKNOWN
    assert RULES.access(CLAUDE, "Bash", {"command": 5}, cwd="/w").tool_class is ToolClass.UNKNOWN
    assert RULES.access(CLAUDE, "Write", None, cwd="/w", raw="{").mutates == ("",)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
NAMES = [
    "path",
    "file_path",
    "command",
    "offset",
    "limit",
    "view_range",
    "files",
    "paths",
    "url",
    "query",
    "pages",
    "cmd",
]
TOOLS = ["Read", "Bash", "Grep", "WebFetch", "read_files", "read_file", "str_replace_based_edit_tool", "fetch", "x"]


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(TOOLS), st.dictionaries(st.sampled_from(NAMES), JSON, max_size=4), st.text(max_size=5))
def test_any_arguments_are_read_and_read_alike_twice(tool: str, arguments: dict[str, Any], cwd: str) -> None:
    assert RULES.access(CLAUDE, tool, arguments, cwd=cwd) == RULES.access(CLAUDE, tool, arguments, cwd=cwd)


@pytest.mark.parametrize(
    ("client", "text", "cwd"),
    [
        (CLAUDE, "# Environment\n - Primary working directory: /home/a b\n - Is a git repository: true", "/home/a b"),
        (CLAUDE, "<env>\nWorking directory: /home/a/\nIs directory", "/home/a"),
        (CLAUDE, "nothing here", ""),
        ("", "You are in <cwd>/x</cwd>", "/x"),
        ("", "The current working directory is: /x", ""),
        ("", "Current working directory: /x", "/x"),
    ],
)
def test_a_client_s_working_directory_is_read_from_what_it_tells_the_model(client: str, text: str, cwd: str) -> None:
    assert RULES.cwd(client, text) == cwd


def test_the_digest_names_the_rules_not_their_place(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text("version: 1\ntools:\n  - {tool: frob, class: retrieval, action: read, resource: path}\n")
    mine = ToolRules(load([file])).digest
    assert mine != RULES.digest == ToolRules(load()).digest
    file.write_text(
        "# moved\n\nversion: 1\ntools:\n\n  - {tool: [frob], class: retrieval, action: read, resource: path}\n"
    )
    assert ToolRules(load([file])).digest == mine


def test_a_user_s_rule_comes_before_the_shipped_one(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text("version: 1\ntools:\n  - {tool: Read, class: execution, action: run}\n")
    found = ToolRules(load([file])).access(CLAUDE, "Read", {"file_path": "/a"}, cwd="")
    assert (found.tool_class, found.rule) == (ToolClass.EXECUTION, "mine.yaml:3")


def trace(name: str) -> Path:
    file = TRACES / name
    if not file.exists():
        pytest.skip("the recorded traces are not here")
    return file


def test_recorded_shell_calls_have_the_classes_found_by_hand() -> None:
    """S0-109: of 192 shell calls of a real session, none of the 94 executions is counted as retrieval."""
    classes: Counter[ToolClass] = Counter()
    for line in trace("pi-mono__large-session.jsonl").read_text().splitlines():
        content = json.loads(line).get("message", {}).get("content")
        for block in content if isinstance(content, list) else ():
            if block.get("type") == "toolCall" and block["name"] == "bash":
                classes[RULES.access("", "bash", block["arguments"], cwd="/repo").tool_class] += 1
    assert classes == {ToolClass.RETRIEVAL: 98, ToolClass.EXECUTION: 94}


def test_recorded_views_of_one_file_are_one_content() -> None:
    """The header and numbers of `cat -n` go; equal files are equal, and no number is left."""
    records = map(json.loads, trace("openhands__multi_swe_bench_examples_output.jsonl").read_text().splitlines())
    texts = [
        RULES.result("", "str_replace_editor", event["content"], is_error=False)
        for record in records
        for event in record["history"]
        if event.get("observation") == "read"
    ]
    numbered = [text for text in texts if text.first_line is not None]
    assert len(numbered) > 15
    assert not any(text.text.startswith("Here's the result") for text in texts)
    assert not any(line[:8].strip().isdigit() and "\t" in line[:8] for text in numbered for line in text.lines)


def test_of_a_tool_without_a_rule_only_plain_names_of_arguments_are_told() -> None:
    arguments = {"path": "/secret", "x" * 80: 1, "a b": 2, "\n": 3, **{f"n{place:02}": 0 for place in range(40)}}
    rule = ToolRules(load()).access("", "frobnicate", arguments, cwd="").rule
    assert rule == "no rule for n00, n01, n02, n03, n04, n05, n06, n07, n08, n09, n10, n11"
    assert "secret" not in rule


def test_programs_of_the_users_own_rules_are_known(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    own = "{program: mytool, class: retrieval}", "{program: [cat, deployit], class: execution}"
    file.write_text(f"version: 1\nprograms: [{', '.join(own)}]\n")
    rules = ToolRules(load([file]))

    def shell(command: str) -> tuple[str, str]:
        found = rules.access("", "bash", {"command": command}, cwd="/w")
        return found.tool_class, found.key

    assert shell("mytool -x a.txt") == ("retrieval", "read:/w/a.txt:via=mytool -x")
    assert shell("deployit now")[0] == "execution"
    assert shell("cat a.txt")[0] == "execution", "the user's word counts"
    assert rules.digest != ToolRules(load()).digest
