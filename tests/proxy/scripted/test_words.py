from __future__ import annotations

import pytest

from proxy.scripted.actions import Delegate, Edit, Read, Run, Search, Tool, ToolAction, Write
from proxy.scripted.words import in_words

CLAUDE = frozenset({"Read", "Edit", "Write", "Bash", "Agent"})
PLAIN = frozenset({"search_files", "read_file", "write_file", "run_check"})


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
    ],
)
def test_an_action_is_said_in_the_words_of_the_tools_offered(
    action: ToolAction, offered: frozenset[str], name: str, arguments: dict[str, object]
) -> None:
    assert in_words(action, offered) == (name, arguments)


def test_a_sub_agent_gets_its_prompt() -> None:
    call = in_words(Delegate("look"), CLAUDE)
    assert call is not None
    assert (call.name, call.arguments["prompt"]) == ("Agent", "look")


@pytest.mark.parametrize("action", [Read("a"), Edit("a", "x", "y"), Tool("Nope", {})])
def test_an_action_without_a_tool_for_it_is_none(action: ToolAction) -> None:
    assert in_words(action, frozenset({"write_file"})) is None
