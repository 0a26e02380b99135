"""Gemini contents in canonical form (wire-formats 4)."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Mapping
from typing import Any

from proxy.scripted.faces.face import arguments_of, objects
from proxy.scripted.faces.rows import Rows, call_block, result_block, text_block, thinking_block, tool_of

Json = Mapping[str, Any]
ANSWER_FIELDS = ("output", "result", "content", "error")
"""Where clients put a tool's text inside the object that the dialect demands."""


def body_of(document: Json, model: str) -> dict[str, Any]:
    """The body in canonical form."""
    rows = Rows()
    rows.system.extend(_texts(either(document, "systemInstruction")))
    for content in objects(document.get("contents")):
        role = "assistant" if content.get("role") == "model" else "user"
        for part in objects(content.get("parts")):
            _add(rows, role, part)
    declared = [tool for group in objects(document.get("tools")) for tool in _declared(group)]
    return {
        "model": model,
        "system": rows.system,
        "tools": declared,
        "messages": rows.messages,
        "cache_control": {"type": "ephemeral"},
    }


def either(holder: Json, name: str) -> Any:  # noqa: ANN401  JSON
    """A field by its wire name, or in snake case, which is accepted as well."""
    snake = "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)
    return holder.get(name, holder.get(snake))


def signature_of(call_id: str) -> str:
    """What stands beside a function call and must come back unchanged; it carries the call's id."""
    return base64.b64encode(call_id.encode()).decode()


def _signed(signature: object) -> str:
    try:
        return base64.b64decode(signature, validate=True).decode() if isinstance(signature, str) else ""
    except (binascii.Error, UnicodeDecodeError):
        return ""


def _add(rows: Rows, role: str, part: Json) -> None:
    call, answer = either(part, "functionCall"), either(part, "functionResponse")
    if isinstance(call, Mapping):
        call_id = call.get("id") or _signed(either(part, "thoughtSignature")) or _next_id(rows, "tool_use")
        rows.add(role, call_block(str(call_id), str(call.get("name", "")), arguments_of(call.get("args") or {})))
    elif isinstance(answer, Mapping):
        call_id = answer.get("id") or _unanswered(rows, str(answer.get("name", "")))
        rows.add(role, result_block(str(call_id), _answer_text(answer.get("response"))))
    elif part.get("thought") is True:
        rows.add(role, thinking_block(str(part.get("text", ""))))
    elif "text" in part:
        rows.add(role, text_block(str(part["text"])))
    else:
        rows.add(role, part)


def _next_id(rows: Rows, kind: str) -> str:
    return f"call_{sum(block.get('type') == kind for block in _blocks(rows))}"


def _unanswered(rows: Rows, name: str) -> str:
    """The first call of that name without an answer: histories may come without ids."""
    answered = {block["tool_use_id"] for block in _blocks(rows) if block.get("type") == "tool_result"}
    asked = (block for block in _blocks(rows) if block.get("type") == "tool_use" and block["name"] == name)
    return next((str(block["id"]) for block in asked if block["id"] not in answered), "")


def _blocks(rows: Rows) -> list[Json]:
    return [block for message in rows.messages for block in message["content"]]


def _answer_text(response: object) -> str:
    if isinstance(response, Mapping):
        texts = [str(response[name]) for name in ANSWER_FIELDS if isinstance(response.get(name), str)]
        if texts:
            return texts[0]
    return json.dumps(response, ensure_ascii=False)


def _texts(content: object) -> list[Json]:
    if isinstance(content, str):
        return [text_block(content)]
    parts = objects(content.get("parts")) if isinstance(content, Mapping) else []
    return [text_block(str(part.get("text", ""))) for part in parts]


def _declared(group: Json) -> list[Json]:
    functions = either(group, "functionDeclarations")
    if functions is None:
        return [group]
    return [
        tool_of(
            each.get("name"), each.get("description"), either(each, "parametersJsonSchema") or each.get("parameters")
        )
        for each in objects(functions)
    ]
