from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from proxy.scripted.actions import Delegate, Edit, Either, Finish, Read, Run, Search, Tool, ToolAction, Write
from proxy.scripted.words import in_prose, in_words

CLAUDE = frozenset({"Read", "Edit", "Write", "Bash", "Agent"})
PLAIN = frozenset({"search_files", "read_file", "write_file", "run_check"})
CODEX = frozenset({"exec_command", "write_stdin", "view_image"})
CODEX_PATCH = CODEX | {"apply_patch"}
CODE_MODE = frozenset({"exec", "wait", "request_user_input"})
OPENCODE = frozenset({"bash", "read", "edit", "write", "glob", "grep", "task"})
OPENCODE_PATCH = OPENCODE - {"edit", "write"} | {"apply_patch"}
GEMINI = frozenset({"read_file", "write_file", "replace", "run_shell_command", "grep_search"})
CLINE = frozenset({"read_files", "search_codebase", "run_commands", "editor", "submit_and_exit"})
OPENHANDS = frozenset({"terminal", "file_editor", "finish"})
MINI = frozenset({"bash"})
PATCH = "*** Begin Patch\n*** Update File: a\n@@\n-x\n+y\n*** End Patch"
ADDED = "*** Begin Patch\n*** Add File: a\n+x\n*** End Patch"


@pytest.mark.parametrize(
    ("action", "offered", "name", "arguments"),
    [
        (Read("/a"), CLAUDE, "Read", {"file_path": "/a"}),
        (Read("/a", 5, 9), CLAUDE, "Read", {"file_path": "/a", "offset": 5, "limit": 5}),
        (Read("/a", first=5), CLAUDE, "Read", {"file_path": "/a", "offset": 5}),
        (Read("a", 5, 9), PLAIN, "read_file", {"path": "a", "start_line": 5, "end_line": 9}),
        (Edit("/a", "x", "y"), CLAUDE, "Edit", {"file_path": "/a", "old_string": "x", "new_string": "y"}),
        (Write("/a", "x"), CLAUDE, "Write", {"file_path": "/a", "content": "x"}),
        (Write("a", "x"), PLAIN, "write_file", {"path": "a", "content": "x"}),
        (Search("it's", "/w"), CLAUDE, "Bash", {"command": "grep -rn 'it'\"'\"'s' /w", "description": "Search"}),
        (Search("x"), PLAIN, "search_files", {"query": "x"}),
        (Run("ls"), CLAUDE, "Bash", {"command": "ls", "description": "Run"}),
        (Run("unit"), PLAIN, "run_check", {"name": "unit"}),
        (Tool("WebFetch", {"url": "u"}), frozenset({"WebFetch"}), "WebFetch", {"url": "u"}),
        (Read("a b"), CODEX, "exec_command", {"cmd": "cat 'a b'"}),
        (Read("a", 5, 9), CODEX, "exec_command", {"cmd": "sed -n '5,9p' a"}),
        (Read("a", first=5), CODEX, "exec_command", {"cmd": "sed -n '5,$p' a"}),
        (Edit("a", "x", "y"), CODEX, "exec_command", {"cmd": "sed -i s/x/y/ a"}),
        (Edit("a", "x\n", "y\n"), CODEX_PATCH, "apply_patch", {"input": PATCH}),
        (Write("a", "x\n"), CODEX_PATCH, "apply_patch", {"input": ADDED}),
        (Read("a"), CODEX_PATCH, "exec_command", {"cmd": "cat a"}),
        (
            Read("a"),
            CODE_MODE,
            "exec",
            {"input": 'const r = await tools.exec_command({"cmd": "cat a"});\ntext(r.output);'},
        ),
        (Edit("a", "x", "y"), CODE_MODE, "exec", {"input": f"text(await tools.apply_patch({json.dumps(PATCH)}));"}),
        (Read("/a", 5, 9), OPENCODE, "read", {"filePath": "/a", "offset": 5, "limit": 5}),
        (Edit("/a", "x", "y"), OPENCODE, "edit", {"filePath": "/a", "oldString": "x", "newString": "y"}),
        (Edit("a", "x", "y"), OPENCODE_PATCH, "apply_patch", {"patchText": PATCH}),
        (Run("ls"), OPENCODE, "bash", {"command": "ls", "description": "Run"}),
        (Read("/a", 5, 9), GEMINI, "read_file", {"file_path": "/a", "start_line": 5, "end_line": 9}),
        (Write("/a", "x"), GEMINI, "write_file", {"file_path": "/a", "content": "x"}),
        (Run("ls"), GEMINI, "run_shell_command", {"command": "ls"}),
        (Read("/a"), CLINE, "read_files", {"files": [{"path": "/a"}]}),
        (Edit("/a", "x", "y"), CLINE, "editor", {"path": "/a", "old_text": "x", "new_text": "y"}),
        (Write("/a", "y"), CLINE, "editor", {"path": "/a", "new_text": "y"}),
        (Run("ls"), CLINE, "run_commands", {"commands": ["ls"]}),
        (Read("/a"), OPENHANDS, "file_editor", {"command": "view", "path": "/a"}),
        (Read("/a", 2), OPENHANDS, "file_editor", {"command": "view", "path": "/a", "view_range": [2, -1]}),
        (Run("ls"), OPENHANDS, "terminal", {"command": "ls"}),
        (Finish("done"), OPENHANDS, "finish", {"message": "done"}),
        (Read("a"), MINI, "bash", {"command": "cat a"}),
        (Finish("ok"), MINI, "bash", {"command": "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT && echo ok"}),
        (Read("a"), frozenset({"shell"}), "shell", {"command": ["bash", "-lc", "cat a"]}),
    ],
)
def test_an_action_is_said_in_the_words_of_the_tools_offered(
    action: ToolAction, offered: frozenset[str], name: str, arguments: dict[str, object]
) -> None:
    assert in_words(action, offered) == (name, arguments)


@pytest.mark.parametrize(
    ("offered", "name", "argument"),
    [
        (CLAUDE, "Agent", "prompt"),
        (OPENCODE, "task", "prompt"),
        (CODEX | {"spawn_agent", "send_input"}, "spawn_agent", "message"),
        (CODE_MODE | {"spawn_agent", "followup_task"}, "spawn_agent", "message"),
    ],
)
def test_a_sub_agent_gets_its_prompt(offered: frozenset[str], name: str, argument: str) -> None:
    call = in_words(Delegate("look"), offered)
    assert call is not None
    assert (call.name, call.arguments[argument]) == (name, "look")


@pytest.mark.parametrize("action", [Read("a"), Edit("a", "x", "y"), Tool("Nope", {}), Either((Tool("Nope", {}),))])
def test_an_action_without_a_tool_for_it_is_none(action: ToolAction) -> None:
    assert in_words(action, frozenset({"write_file"})) is None


def test_a_finish_is_no_call_where_nobody_waits_for_one() -> None:
    assert in_words(Finish("done"), CLAUDE) is None
    assert in_prose(Finish("done")) == "done"


def test_a_scenario_may_name_each_clients_own_tool() -> None:
    choice = Either((Tool("view_image", {"path": "a.png"}), Read("a.png")))
    assert in_words(choice, CODEX) == ("view_image", {"path": "a.png"})
    assert in_words(choice, OPENCODE) == ("read", {"filePath": "a.png"})


@pytest.mark.parametrize(
    ("old", "new"),
    [("a.b/c[1]", "x&y\\z"), ("two\nlines\n", "one line\n"), ("  .*$", ""), ("it's", "it is"), ("line\n", "line 2\n")],
)
def test_an_edit_through_a_shell_does_what_it_says(tmp_path: Path, old: str, new: str) -> None:
    file = tmp_path / "a file"
    file.write_text(f"head\n{old}\ntail\n")
    done(Edit(str(file), old, new))
    assert file.read_text() == f"head\n{new}\ntail\n"


@pytest.mark.parametrize("content", ["", "one", "one\n", "it's $HOME\n\\n\n"])
def test_a_write_through_a_shell_does_what_it_says(tmp_path: Path, content: str) -> None:
    file = tmp_path / "a file"
    done(Write(str(file), content))
    assert file.read_text() == content


def done(action: ToolAction) -> None:
    call: Any = in_words(action, CODEX)
    subprocess.run(["bash", "-c", call.arguments["cmd"]], check=True)


def test_without_any_tool_an_edit_is_a_block_and_a_read_a_wish() -> None:
    assert in_prose(Edit("a.py", "x\n", "y")) == "a.py\n```\n<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n```"
    assert in_prose(Write("a.py", "y\n")) == "a.py\n```\n<<<<<<< SEARCH\n=======\ny\n>>>>>>> REPLACE\n```"
    assert in_prose(Read("a.py")) == "I need to see `a.py`."
    assert in_prose(Run("ls")) == "No tool is offered for Run."
