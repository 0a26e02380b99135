"""Items of the Responses API, which are input and output alike, to canonical blocks (wire-formats 2.3).

Rules of this file:
- An item is one message. Its role is its own, else that of whoever makes such items: calls and all that the provider
  runs are the `assistant`'s, results the `tool`'s. Unknown types are kept as OTHER.
- What may differ between an item as it was answered and as it is sent back (ids, `status`, nulls, …) is left out of
  `raw` where the whole of it is the block's meaning; `Message.raw` has it all.
- A compaction item is opaque, and the user's texts before it stay in the model's view.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import orjson

from proxy.model.messages import Block, BlockKind
from proxy.wire.json_values import BadJsonError, Json, object_of, read_json, text_of

ASSISTANT = "assistant"
MESSAGE = "message"
COMPACTION_TRIGGER = "compaction_trigger"
ITEM_REFERENCE = "item_reference"
ADDITIONAL_TOOLS = "additional_tools"
"""Tools offered in the middle of a history (Codex' code mode offers all of them so)."""


class _Form(NamedTuple):
    """How items of one type are read."""

    kind: BlockKind
    role: str = ASSISTANT
    tool: str = ""
    """Of tools that the API defines; others are named by the item."""
    field: str = ""
    """Where a call's arguments or a result's content stand; several of a kind (`actions`) in its plural."""


_CALL, _RESULT = BlockKind.CALL, BlockKind.RESULT
_SERVER_CALL, _SERVER_RESULT = BlockKind.SERVER_CALL, BlockKind.SERVER_RESULT

_FORMS: Mapping[str, _Form] = {
    MESSAGE: _Form(BlockKind.TEXT, field="content"),
    "reasoning": _Form(BlockKind.THINKING),
    "compaction": _Form(BlockKind.COMPACTION),
    "function_call": _Form(_CALL, field="arguments"),
    "custom_tool_call": _Form(_CALL, field="input"),
    "local_shell_call": _Form(_CALL, tool="local_shell", field="action"),
    "shell_call": _Form(_CALL, tool="shell", field="action"),
    "apply_patch_call": _Form(_CALL, tool="apply_patch", field="operation"),
    "computer_call": _Form(_CALL, tool="computer", field="action"),
    "tool_search_call": _Form(_CALL, tool="tool_search", field="arguments"),
    "function_call_output": _Form(_RESULT, "tool", field="output"),
    "custom_tool_call_output": _Form(_RESULT, "tool", field="output"),
    "local_shell_call_output": _Form(_RESULT, "tool", field="output"),
    "shell_call_output": _Form(_RESULT, "tool", field="output"),
    "apply_patch_call_output": _Form(_RESULT, "tool", field="output"),
    "computer_call_output": _Form(_RESULT, "tool", field="output"),
    "tool_search_output": _Form(_RESULT, "tool", field="tools"),
    "web_search_call": _Form(_SERVER_CALL, tool="web_search", field="action"),
    "file_search_call": _Form(_SERVER_CALL, tool="file_search", field="queries"),
    "code_interpreter_call": _Form(_SERVER_CALL, tool="code_interpreter", field="code"),
    "image_generation_call": _Form(_SERVER_CALL, tool="image_generation", field="revised_prompt"),
    "mcp_call": _Form(_SERVER_CALL, field="arguments"),
    "program": _Form(_SERVER_CALL, tool="program", field="code"),
    "program_output": _Form(_SERVER_RESULT),
    "mcp_list_tools": _Form(_SERVER_RESULT),
    "agent_message": _Form(BlockKind.TEXT, "user", field="content"),
    ADDITIONAL_TOOLS: _Form(BlockKind.OTHER, "developer"),
    "mcp_approval_request": _Form(BlockKind.OTHER),
    "mcp_approval_response": _Form(BlockKind.OTHER, "user"),
    COMPACTION_TRIGGER: _Form(BlockKind.OTHER, "user"),
}
_UNKNOWN = _Form(BlockKind.OTHER)
_HOSTED = {_CALL: _SERVER_CALL, _RESULT: _SERVER_RESULT}
"""Kinds of what the client can run, when the provider runs it."""

_PARTS = {
    "input_text": BlockKind.TEXT,
    "output_text": BlockKind.TEXT,
    "text": BlockKind.TEXT,
    "refusal": BlockKind.TEXT,
    "input_image": BlockKind.MEDIA,
    "input_file": BlockKind.MEDIA,
    "input_audio": BlockKind.MEDIA,
    "computer_screenshot": BlockKind.MEDIA,
}

_VOLATILE = frozenset(
    {
        "id", "status", "created_by", "obfuscation", "internal_chat_message_metadata_passthrough",
        "prompt_cache_breakpoint",
    }
)  # fmt: skip
"""Fields that say nothing of what an item means: one item has several ids, one per party that handled it."""


def type_of(raw: Mapping[str, Any]) -> str:
    """The type of an item; messages and references may leave it out."""
    return text_of(raw.get("type")) or (MESSAGE if "role" in raw else ITEM_REFERENCE if "id" in raw else "")


def role_of(raw: Mapping[str, Any]) -> str:
    """Whose item it is."""
    item_type = type_of(raw)
    stated = text_of(raw.get("role"))
    return stated if stated or item_type == MESSAGE else _FORMS.get(item_type, _UNKNOWN).role


def blocks_of(raw: Mapping[str, Any]) -> tuple[Block, ...]:
    """Canonical blocks of an item: the parts of a message, one of anything else."""
    form = _FORMS.get(type_of(raw), _UNKNOWN)
    kind = _HOSTED.get(form.kind, form.kind) if _is_hosted(raw) else form.kind
    match kind:
        case BlockKind.TEXT:
            return parts_of(raw.get(form.field))
        case BlockKind.CALL | BlockKind.SERVER_CALL:
            return (_call(kind, form, raw),)
        case BlockKind.RESULT:
            return (_result(form, raw),)
        case BlockKind.COMPACTION:
            opaque = bool(raw.get("encrypted_content"))
            return (Block(kind=kind, raw=_lasting(raw), opaque=opaque, keeps_texts=True),)
        case BlockKind.SERVER_RESULT | BlockKind.THINKING | BlockKind.MEDIA | BlockKind.OTHER:
            return (Block(kind=kind, raw=raw if type_of(raw) == ITEM_REFERENCE else _lasting(raw)),)


def parts_of(content: Json) -> tuple[Block, ...]:
    """Canonical blocks of a message's `content` or of `instructions`: a text, a list of parts, or nothing."""
    if isinstance(content, str):
        return (Block(kind=BlockKind.TEXT, raw={"type": "text", "text": content}, text=content),)
    return tuple([_part(raw) for raw in content]) if isinstance(content, list) else ()


def _part(raw: Json) -> Block:
    if not isinstance(raw, dict):
        return Block(kind=BlockKind.OTHER, raw=raw)
    kind = _PARTS.get(text_of(raw.get("type")), BlockKind.OTHER)
    if kind is BlockKind.TEXT:
        return Block(kind=kind, raw=raw, text=text_of(raw.get("text")) or text_of(raw.get("refusal")))
    return Block(kind=kind, raw=_lasting(raw))


def _is_hosted(raw: Mapping[str, Any]) -> bool:
    """Whether the provider runs what the client could have run: a tool search, a shell in a container of its own."""
    in_container = object_of(raw.get("environment")).get("type") == "container_reference"
    return in_container or raw.get("execution") == "server"


def _lasting(raw: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in raw.items() if value is not None and key not in _VOLATILE}


def _call(kind: BlockKind, form: _Form, raw: Mapping[str, Any]) -> Block:
    given = raw.get(form.field)
    arguments, text = _arguments(form.field, raw.get(f"{form.field}s") if given is None else given)
    return Block(
        kind=kind,
        raw=raw if kind is BlockKind.CALL else _lasting(raw),
        call_id=text_of(raw.get("call_id")),
        tool=form.tool or tool_name(raw.get("namespace") or raw.get("server_label"), raw.get("name")),
        arguments=arguments,
        raw_arguments=text,
    )


def tool_name(space: Json, name: Json) -> str:
    """A tool's name, with that of its namespace or MCP server before it."""
    return ".".join(filter(None, (text_of(space), text_of(name))))


def _arguments(field: str, value: Json) -> tuple[dict[str, Any] | None, str]:
    """Arguments when they are an object, else their text."""
    if field == "arguments" and isinstance(value, str):
        value = _object_in(value)
    if isinstance(value, dict):
        return {key: member for key, member in value.items() if field == "arguments" or member is not None}, ""
    return None, value if isinstance(value, str) else "" if value is None else orjson.dumps(value).decode()


def _object_in(text: str) -> Json:
    """The object that argument text holds; the text when it holds none. No text at all is no arguments."""
    if not text.strip():
        return {}
    try:
        value = read_json(text.encode())
    except BadJsonError:
        return text
    return value if isinstance(value, dict) else text


def _result(form: _Form, raw: Mapping[str, Any]) -> Block:
    output = raw.get(form.field)
    parts = output if isinstance(output, list) else [output]
    is_local_shell = raw.get("type") == "local_shell_call_output"
    return Block(
        kind=BlockKind.RESULT,
        raw=raw,
        text="\n".join(filter(None, map(_readable, parts))),
        call_id=text_of(raw.get("call_id")) or (text_of(raw.get("id")) if is_local_shell else ""),
        is_error=raw.get("status") == "failed" or any(map(_has_failed, parts)),
    )


def _readable(part: Json) -> str:
    """The text of a part of a result; what a shell wrote to its error output stands after the rest."""
    if not isinstance(part, dict):
        return text_of(part)
    texts = (text_of(part.get(field)) for field in ("text", "content", "stdout", "stderr"))
    return "\n".join(filter(None, texts))


def _has_failed(part: Json) -> bool:
    """Whether a part of a result says of itself that it failed: a flag, a time-out, an exit code."""
    if not isinstance(part, dict):
        return False
    outcome = object_of(part.get("outcome"))
    is_cut = outcome.get("type") == "timeout" or outcome.get("exit_code") not in (None, 0)
    return is_cut or part.get("success") is False or part.get("is_error") is True
