"""Items of a history as messages in canonical form (wire-formats 2.3)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from proxy.scripted.faces.face import BadCallError, arguments_of, objects
from proxy.scripted.faces.responses.memory import Items, Memory
from proxy.scripted.faces.rows import Rows, call_block, result_block, text_block, thinking_block, tool_of
from proxy.scripted.faces.seals import Seals

Json = Mapping[str, Any]
TEXTS = frozenset({"input_text", "output_text", "text", "refusal", "summary_text"})


def items_in(document: Json, memory: Memory) -> Items:
    """A request's own input as items: a plain text is a user message, references are followed."""
    given = document.get("input")
    if isinstance(given, str):
        return ({"type": "message", "role": "user", "content": given},)
    return tuple(_followed(item, memory) for item in objects(given))


def body_of(document: Json, items: Items, seals: Seals) -> dict[str, Any]:
    """The body in canonical form. Instructions are this request's; a chain does not carry them over."""
    rows = Rows()
    if instructions := document.get("instructions"):
        rows.add("system", text_block(str(instructions)))
    for item in items:
        READERS.get(kind_of(item), _other)(rows, item, seals)
    body = {
        "model": str(document.get("model", "")),
        "system": rows.system,
        "tools": [_tool(tool) for tool in tools_in(document, items)],
        "messages": rows.messages,
        "cache_control": {"type": "ephemeral", "ttl": _lifetime(document)},
    }
    if any(kind_of(item) == "compaction_trigger" for item in items):
        body["compaction"] = {"type": "summarize", "keeps_texts": True}
    if edits := [_edit(wish) for wish in objects(document.get("context_management")) if "compact_threshold" in wish]:
        body["context_management"] = {"edits": edits}
    return body


def tools_in(document: Json, items: Items) -> list[Json]:
    """Tools offered by the request and by `additional_tools` items; those of a namespace name it."""
    offered = objects(document.get("tools"))
    offered += [tool for item in items if kind_of(item) == "additional_tools" for tool in objects(item.get("tools"))]
    return [tool for each in offered for tool in _unfolded(each)]


def _unfolded(tool: Json) -> list[Json]:
    if tool.get("type") != "namespace":
        return [tool]
    return [{**inner, "namespace": tool.get("name")} for inner in objects(tool.get("tools"))]


def kind_of(item: Json) -> str:
    """An item's type; messages may leave it out."""
    return str(item.get("type") or "message")


def text_in(content: object) -> str:
    """The text of a string or of content parts."""
    if isinstance(content, str):
        return content
    texts = (str(part.get("text") or part.get("refusal") or "") for part in objects(content))
    return "\n".join(text for text in texts if text)


def _followed(item: Json, memory: Memory) -> Json:
    if kind_of(item) != "item_reference":
        return item
    found = memory.item(str(item.get("id", "")))
    if found is None:
        raise BadCallError(f"Item with id '{item.get('id')}' not found.", status=404, param="input")
    return found


def _message(rows: Rows, item: Json, _seals: Seals) -> None:
    role = str(item.get("role", "user"))
    content = item.get("content")
    parts = [{"type": "input_text", "text": content}] if isinstance(content, str) else objects(content)
    blocks = [text_block(text_in([part])) if part.get("type") in TEXTS else part for part in parts]
    rows.add("system" if role == "developer" else role, *blocks)


def _agent_message(rows: Rows, item: Json, seals: Seals) -> None:
    """What one of Codex' agents tells another; a part that it takes for encrypted is what the policy wrote."""
    for part in objects(item.get("content")):
        sealed = part.get("encrypted_content")
        rows.add("user", text_block(text_in([part]) or seals.open(sealed) or str(sealed or "")))


def _function_call(rows: Rows, item: Json, _seals: Seals) -> None:
    rows.add("assistant", _call(item, arguments_of(item.get("arguments"))))


def _custom_call(rows: Rows, item: Json, _seals: Seals) -> None:
    rows.add("assistant", _call(item, {"input": item.get("input")}))


def _call(item: Json, arguments: Json) -> Json:
    for name in ("call_id", "name"):
        if not isinstance(item.get(name), str):
            text = f"Missing required parameter: 'input[].{name}'."
            raise BadCallError(text, code="missing_required_parameter", param="input")
    return call_block(item["call_id"], item["name"], arguments)


def _output(rows: Rows, item: Json, _seals: Seals) -> None:
    rows.add("user", result_block(str(item.get("call_id", "")), text_in(item.get("output"))))


def _reasoning(rows: Rows, item: Json, seals: Seals) -> None:
    """What the provider encrypted it reads; of a foreign or unencrypted item there is only the summary."""
    text = seals.open(item.get("encrypted_content")) or text_in(item.get("summary"))
    if text:
        rows.add("assistant", thinking_block(text))


def _compaction(rows: Rows, item: Json, seals: Seals) -> None:
    summary = seals.open(item.get("encrypted_content"))
    if summary is None:
        text = "The encrypted content could not be verified."
        raise BadCallError(text, code="invalid_encrypted_content", param="input")
    rows.add("assistant", compaction_block(summary))


def compaction_block(summary: str) -> Json:
    """A summary that leaves the user's texts in view."""
    return {"type": "compaction", "content": summary, "keeps_texts": True}


def _unseen(_rows: Rows, _item: Json, _seals: Seals) -> None:
    """It asks for something, or offers tools, and is no part of what was said."""


def _other(rows: Rows, item: Json, _seals: Seals) -> None:
    rows.add("user" if kind_of(item).endswith("_output") else "assistant", item)


READERS: Mapping[str, Callable[[Rows, Json, Seals], None]] = {
    "message": _message,
    "function_call": _function_call,
    "function_call_output": _output,
    "custom_tool_call": _custom_call,
    "custom_tool_call_output": _output,
    "reasoning": _reasoning,
    "compaction": _compaction,
    "compaction_trigger": _unseen,
    "additional_tools": _unseen,
    "agent_message": _agent_message,
}


def _tool(tool: Json) -> Json:
    """Functions in canonical form; everything else as it is."""
    if tool.get("type") == "function":
        return tool_of(tool.get("name"), tool.get("description"), tool.get("parameters"))
    return tool


def _lifetime(document: Json) -> str:
    options = document.get("prompt_cache_options")
    return "1h" if isinstance(options, Mapping) and options.get("ttl") == "12h" else "5m"


def _edit(wish: Json) -> Json:
    trigger = {"type": "input_tokens", "value": wish["compact_threshold"]}
    return {"type": "compact_20260112", "trigger": trigger, "keeps_texts": True}
