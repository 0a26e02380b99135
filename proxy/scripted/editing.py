"""Server-side edits of a context before it reaches the model (wire-formats 1.3): clearing and threshold compaction."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from proxy.scripted.view import blocks_of, user_texts, visible_messages

Json = Mapping[str, Any]
Measure = Callable[[Json], int]
"""Prompt tokens of a request body."""

CLEARED = "[Old tool result content cleared]"
COMPACT_TRIGGER_TOKENS = 150_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Edited:
    """A body as the model sees it."""

    body: Json
    applied: tuple[Json, ...] = ()
    """`applied_edits` as reported."""
    compact: Json | None = None
    """The compaction edit whose trigger was reached."""


def edit(body: Json, measure: Measure) -> Edited:
    """Apply the edits a request asks for, in the order it names them."""
    visible = {**body, "messages": list(visible_messages(body.get("messages") or ()))}
    edited = Edited(body=visible)
    for wish in (body.get("context_management") or {}).get("edits") or ():
        rule = EDITS.get(str(wish.get("type", "")))
        if rule is not None:
            edited = rule(edited, wish, measure)
    return edited


def _clear_tool_uses(edited: Edited, wish: Json, measure: Measure) -> Edited:
    body = edited.body
    names = _tool_names(body["messages"])
    excluded = set(wish.get("exclude_tools") or ())
    results = [call for call in _result_ids(body["messages"]) if names.get(call) not in excluded]
    if not _is_due(wish.get("trigger"), tokens=measure(body), tool_uses=len(results)):
        return edited
    keep = int((wish.get("keep") or {"value": 3})["value"])
    cleared = frozenset(results[: max(0, len(results) - keep)])
    messages = [
        _without(message, cleared, inputs=wish.get("clear_tool_inputs") is True) for message in body["messages"]
    ]
    shorter = {**body, "messages": messages}
    saved = measure(body) - measure(shorter)
    if not cleared or saved < int((wish.get("clear_at_least") or {"value": 0})["value"]):
        return edited
    report = {"type": wish["type"], "cleared_tool_uses": len(cleared), "cleared_input_tokens": saved}
    return Edited(body=shorter, applied=(*edited.applied, report), compact=edited.compact)


def _clear_thinking(edited: Edited, wish: Json, measure: Measure) -> Edited:
    keep = wish.get("keep", "all")
    kind = keep if isinstance(keep, str) else keep.get("type")
    if kind == "all":
        return edited
    messages = edited.body["messages"]
    thinking = [at for at, message in enumerate(messages) if any(map(_is_thinking, blocks_of(message.get("content"))))]
    cleared = set(thinking[: max(0, len(thinking) - int(keep["value"]))])
    if not cleared:
        return edited
    shorter = [_without_thinking(message) if at in cleared else message for at, message in enumerate(messages)]
    body = {**edited.body, "messages": shorter}
    saved = measure(edited.body) - measure(body)
    report = {"type": wish["type"], "cleared_thinking_turns": len(cleared), "cleared_input_tokens": saved}
    return Edited(body=body, applied=(*edited.applied, report), compact=edited.compact)


def _compact(edited: Edited, wish: Json, measure: Measure) -> Edited:
    trigger = wish.get("trigger") or {"value": COMPACT_TRIGGER_TOKENS}
    if measure(edited.body) < int(trigger["value"]):
        return edited
    return Edited(body=edited.body, applied=edited.applied, compact=wish)


EDITS: Mapping[str, Callable[[Edited, Json, Measure], Edited]] = {
    "clear_tool_uses_20250919": _clear_tool_uses,
    "clear_thinking_20251015": _clear_thinking,
    "compact_20260112": _compact,
}


def after_compaction(body: Json, summary: Json) -> Json:
    """The context that remains when a summary block stands for the history: the summary, then the pending input."""
    messages = body["messages"]
    pending = [message for message in messages[-1:] if message.get("role") == "user"]
    kept = user_texts(messages[: len(messages) - len(pending)]) if summary.get("keeps_texts") else ()
    # The pending input may hold results whose calls are now inside the summary; the model still sees them.
    return {**body, "messages": [*kept, {"role": "assistant", "content": [summary]}, *pending]}


def _is_due(trigger: Json | None, *, tokens: int, tool_uses: int) -> bool:
    kind, value = ("input_tokens", 100_000) if trigger is None else (trigger["type"], int(trigger["value"]))
    return (tool_uses if kind == "tool_uses" else tokens) > value


def _tool_names(messages: Sequence[Json]) -> Mapping[str, str]:
    blocks = [block for message in messages for block in blocks_of(message.get("content"))]
    return {block["id"]: block["name"] for block in blocks if block.get("type") == "tool_use"}


def _result_ids(messages: Sequence[Json]) -> list[str]:
    blocks = [block for message in messages for block in blocks_of(message.get("content"))]
    return [block["tool_use_id"] for block in blocks if block.get("type") == "tool_result"]


def _without(message: Json, cleared: frozenset[str], *, inputs: bool) -> Json:
    content = [_cleared(block, cleared, inputs=inputs) for block in blocks_of(message.get("content"))]
    return {**message, "content": content}


def _cleared(block: Json, cleared: frozenset[str], *, inputs: bool) -> Json:
    if block.get("tool_use_id") in cleared:
        return {**block, "content": CLEARED}
    if inputs and block.get("id") in cleared:
        return {**block, "input": {}}
    return block


def _is_thinking(block: Json) -> bool:
    return block.get("type") in {"thinking", "redacted_thinking"}


def _without_thinking(message: Json) -> Json:
    kept = [block for block in blocks_of(message.get("content")) if not _is_thinking(block)]
    return {**message, "content": kept}
