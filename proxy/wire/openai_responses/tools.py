"""Tool definitions of the Responses API to canonical tools; a namespace is its tools, its name before theirs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from proxy.model.messages import Tool
from proxy.wire.faults import Faults
from proxy.wire.json_values import Json, object_of, require_shallow, sha256_of, text_of
from proxy.wire.openai_responses.items import tool_name

_SERVER_TOOLS = (
    "web_search",
    "file_search",
    "code_interpreter",
    "image_generation",
    "mcp",
    "programmatic_tool_calling",
)
"""Beginnings of the `type` of tools that the provider runs itself; versions stand behind them."""

_KEYS = frozenset({"authorization", "headers"})
"""Access to an MCP server is no part of a tool's definition, and changes when it is renewed."""


def offered(tools: Json, faults: Faults) -> list[Json]:
    """Each single tool as parsed; one of a namespace stands in a namespace of its own."""
    if not isinstance(tools, list):
        if tools is not None:
            faults.add("tools is not a list")
        return []
    return [single for raw in tools for single in _singles(raw)]


def _singles(raw: Json) -> list[Json]:
    if isinstance(raw, dict) and raw.get("type") == "namespace" and isinstance(raw.get("tools"), list):
        return [{**raw, "tools": [inner]} for inner in raw["tools"]]
    return [raw]


def tool_of(raw: Json, place: int, faults: Faults) -> Tool:
    """One canonical tool. Raises BadJsonError when it is too deep."""
    require_shallow(raw)
    space, inner = _inside(raw)
    if not isinstance(inner, dict):
        faults.add(f"tool {place}: not an object")
        return Tool(name="", schema_sha256=sha256_of(raw))
    kind = text_of(inner.get("type"))
    return Tool(
        name=tool_name(space, inner.get("name") or inner.get("server_label") or kind),
        schema_sha256=sha256_of({key: value for key, value in raw.items() if key not in _KEYS}),
        kind="server" if kind.startswith(_SERVER_TOOLS) or _is_hosted(kind, inner) else "client",
        raw=raw,
    )


def _inside(raw: Json) -> tuple[str, Json]:
    """A tool's namespace and its own definition."""
    if isinstance(raw, dict) and raw.get("type") == "namespace" and isinstance(raw.get("tools"), list):
        return text_of(raw.get("name")), raw["tools"][0]
    return "", raw


def _is_hosted(kind: str, raw: Mapping[str, Any]) -> bool:
    in_container = text_of(object_of(raw.get("environment")).get("type")).startswith("container")
    return in_container or (kind == "tool_search" and raw.get("execution") != "client")
