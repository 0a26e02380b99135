from __future__ import annotations

from typing import Any

import pytest

from proxy.wire.faults import Faults
from proxy.wire.openai_responses.tools import offered, tool_of
from tests.support.responses import read_request

FUNCTION = {"type": "function", "name": "read", "parameters": {"type": "object"}, "strict": True}


@pytest.mark.parametrize(
    ("definition", "name", "kind"),
    [
        (FUNCTION, "read", "client"),
        ({"type": "custom", "name": "apply_patch", "format": {"type": "grammar"}}, "apply_patch", "client"),
        ({"type": "apply_patch"}, "apply_patch", "client"),
        ({"type": "local_shell"}, "local_shell", "client"),
        ({"type": "shell", "environment": {"type": "local"}}, "shell", "client"),
        ({"type": "shell", "environment": {"type": "container_auto"}}, "shell", "server"),
        ({"type": "computer_use_preview"}, "computer_use_preview", "client"),
        ({"type": "tool_search"}, "tool_search", "server"),
        ({"type": "tool_search", "execution": "client"}, "tool_search", "client"),
        ({"type": "web_search"}, "web_search", "server"),
        ({"type": "web_search_preview_2025_03_11"}, "web_search_preview_2025_03_11", "server"),
        ({"type": "file_search"}, "file_search", "server"),
        ({"type": "code_interpreter"}, "code_interpreter", "server"),
        ({"type": "image_generation"}, "image_generation", "server"),
        ({"type": "mcp", "server_label": "files"}, "files", "server"),
        ({"type": "of_the_future"}, "of_the_future", "client"),
        ({}, "", "client"),
    ],
)
def test_tools_of_the_provider_are_told_from_those_of_the_client(
    definition: dict[str, Any], name: str, kind: str
) -> None:
    (tool,) = read_request(tools=[definition]).tools
    assert (tool.name, tool.kind, tool.raw) == (name, kind, definition)


def test_a_namespace_is_its_tools_with_its_name_before_theirs() -> None:
    grammar = {"type": "custom", "name": "edit"}
    space = {"type": "namespace", "name": "mcp__files", "description": "files", "tools": [FUNCTION, grammar]}
    tools = read_request(tools=[{"type": "web_search"}, space]).tools
    assert [tool.name for tool in tools] == ["web_search", "mcp__files.read", "mcp__files.edit"]
    assert tools[1].raw == space | {"tools": [FUNCTION]}
    assert len({tool.schema_sha256 for tool in tools}) == 3


def test_the_key_to_a_server_is_no_part_of_a_tools_definition() -> None:
    first, second = (
        {"type": "mcp", "server_label": "s", "authorization": key, "headers": {"X": key}} for key in ("a", "b")
    )
    one, other = read_request(tools=[first, second]).tools
    assert one.schema_sha256 == other.schema_sha256


@pytest.mark.parametrize("tools", [{}, "x", 3])
def test_tools_that_are_no_list_are_a_fault(tools: object) -> None:
    request = read_request(tools=tools)
    assert (request.tools, request.faults) == ((), ("tools is not a list",))


@pytest.mark.parametrize("inside", [None, 3, [], {"type": "namespace", "name": "n", "tools": [7]}])
def test_a_tool_that_is_no_object_is_a_fault(inside: object) -> None:
    faults = Faults()
    (raw,) = offered([inside], faults)
    assert tool_of(raw, 1, faults).name == ""
    assert faults.texts() == ("tool 1: not an object",)
