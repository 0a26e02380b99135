"""A Messages request body to a canonical Request. Unknown fields pass through; wrong types become faults."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from proxy.model.exchange import Headers
from proxy.model.messages import Message, Request, Tool
from proxy.wire.anthropic_messages.blocks import blocks_of
from proxy.wire.dialect import Unparsed
from proxy.wire.faults import Faults
from proxy.wire.json_values import require_shallow, sha256_of, text_of
from proxy.wire.request_body import comparable, known, request_of

NAME = "anthropic_messages"

_READ_FIELDS = frozenset({"model", "stream", "system", "messages", "tools"})
"""Fields with a place of their own in Request; all others are its `metadata`."""

_SERVER_TOOLS = ("web_search_", "web_fetch_", "code_execution_", "tool_search_tool_", "advisor_", "mcp_toolset")
"""Beginnings of the `type` of tools that the provider runs itself; `bash_`, `text_editor_`, `computer_`, `browser_`
and `memory_` are defined by the provider and run by the client (wire-formats 1.2)."""


def read_request(body: bytes, headers: Headers, former: Request | None = None) -> Request | Unparsed:
    """The request in canonical form, or why it cannot be read. Never raises.

    Args:
        body: As recorded, content-encoded as the client sent it.
        headers: The request's header lines.
        former: An earlier request of the same session: messages and tools that are the same again are taken from it
            instead of being read once more. The answer does not depend on it.
    """
    return request_of(body, headers, lambda document: _request(document, comparable(former, NAME)))


def _request(document: Mapping[str, Any], former: Request | None) -> Request | Unparsed:
    """Raises BadJsonError when a part is too deep. What the former request had was looked at then."""
    if not isinstance(document.get("messages"), list):
        return Unparsed("messages is not a list")
    faults = Faults()
    require_shallow({key: value for key, value in document.items() if key not in ("messages", "tools")})
    messages = former.messages if former else ()
    tools = former.tools if former else ()
    offered = _tool_list(document, faults)
    return Request(
        dialect=NAME,
        model=text_of(document.get("model")),
        stream=document.get("stream") is True,
        system=blocks_of(document.get("system")),
        messages=tuple(
            [known(messages, raw, at) or _message(raw, at + 1, faults) for at, raw in enumerate(document["messages"])]
        ),
        tools=tuple([known(tools, raw, at) or _tool(raw, at + 1, faults) for at, raw in enumerate(offered)]),
        metadata={key: value for key, value in document.items() if key not in _READ_FIELDS},
        previous_id=_previous_id(document.get("thread")),
        prewarm=document.get("max_tokens") == 0,
        on_demand_compaction=_is_summarize(document.get("compaction")),
        faults=faults.texts(),
    )


def _message(raw: object, place: int, faults: Faults) -> Message:
    require_shallow(raw)
    if not isinstance(raw, dict):
        faults.add(f"message {place}: not an object")
        return Message(role="", blocks=blocks_of([raw]))
    role, content = raw.get("role"), raw.get("content")
    if not isinstance(role, str):
        faults.add(f"message {place}: no role")
    if not isinstance(content, str | list):
        faults.add(f"message {place}: no content")
    return Message(role=text_of(role), blocks=blocks_of(content), raw=raw)


def _tool_list(document: Mapping[str, Any], faults: Faults) -> list[Any]:
    tools = document.get("tools")
    if isinstance(tools, list):
        return tools
    if tools is not None:
        faults.add("tools is not a list")
    return []


def _tool(raw: object, place: int, faults: Faults) -> Tool:
    require_shallow(raw)
    if not isinstance(raw, dict):
        faults.add(f"tool {place}: not an object")
        return Tool(name="", schema_sha256=sha256_of(raw))
    tool_type = text_of(raw.get("type"))
    return Tool(
        name=text_of(raw.get("name")) or text_of(raw.get("mcp_server_name")),
        schema_sha256=sha256_of({key: value for key, value in raw.items() if key != "cache_control"}),
        kind="server" if tool_type.startswith(_SERVER_TOOLS) else "client",
        raw=raw,
    )


def _previous_id(thread: object) -> str:
    if isinstance(thread, dict) and thread.get("type") == "continue":
        return text_of(thread.get("previous_message_id"))
    return ""


def _is_summarize(compaction: object) -> bool:
    return isinstance(compaction, dict) and compaction.get("type") == "summarize"
