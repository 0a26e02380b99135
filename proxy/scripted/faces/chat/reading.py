"""Chat messages in canonical form (wire-formats 3.1)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from proxy.scripted.faces.face import arguments_of, objects
from proxy.scripted.faces.rows import Rows, call_block, result_block, text_block, tool_of

Json = Mapping[str, Any]


def body_of(document: Json) -> dict[str, Any]:
    """The body in canonical form."""
    rows = Rows()
    for message in objects(document.get("messages")):
        _add(rows, message)
    return {
        "model": str(document.get("model", "")),
        "system": rows.system,
        "tools": [_tool(tool) for tool in objects(document.get("tools"))],
        "messages": rows.messages,
        "cache_control": {"type": "ephemeral"},
    }


def _add(rows: Rows, message: Json) -> None:
    role = str(message.get("role", "user"))
    blocks = list(_blocks(message.get("content")))
    if role in {"system", "developer"}:
        rows.add("system", *blocks)
    elif role == "tool":
        text = "\n".join(str(block.get("text", "")) for block in blocks)
        rows.add("user", result_block(_answered(rows, message), text))
    else:
        rows.add(role, *blocks, *_calls(message))


def _blocks(content: object) -> Iterator[Json]:
    if isinstance(content, str):
        if content:
            yield text_block(content)
        return
    for part in objects(content):
        is_text = part.get("type") in {"text", "refusal"}
        yield text_block(str(part.get("text") or part.get("refusal") or "")) if is_text else part


def _calls(message: Json) -> Iterator[Json]:
    for at, call in enumerate(objects(message.get("tool_calls"))):
        function = call.get("custom") or call.get("function") or {}
        arguments = function.get("input") if "custom" in call else function.get("arguments")
        given = {"input": arguments} if "custom" in call else arguments_of(arguments)
        yield call_block(str(call.get("id") or f"call_{at}"), str(function.get("name", "")), given)


def _answered(rows: Rows, message: Json) -> str:
    """The call that a result answers; without an id the first that has none."""
    if message.get("tool_call_id"):
        return str(message["tool_call_id"])
    blocks = [block for each in rows.messages for block in each["content"]]
    answered = {block["tool_use_id"] for block in blocks if block.get("type") == "tool_result"}
    asked = (str(block["id"]) for block in blocks if block.get("type") == "tool_use")
    return next((call for call in asked if call not in answered), "")


def _tool(tool: Json) -> Json:
    kind = str(tool.get("type", "function"))
    inner = tool.get(kind)
    if not isinstance(inner, Mapping):
        return tool
    if kind == "custom":
        return {"type": "custom", **inner}
    return tool_of(inner.get("name"), inner.get("description"), inner.get("parameters"))
