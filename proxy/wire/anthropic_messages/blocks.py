"""Content blocks of the Messages API to canonical blocks; unknown types are kept as OTHER (wire-formats 1.2, 1.4)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

from proxy.model.messages import Block, BlockKind
from proxy.wire.json_values import text_of

_KINDS = {
    "text": BlockKind.TEXT,
    "thinking": BlockKind.THINKING,
    "redacted_thinking": BlockKind.THINKING,
    "tool_use": BlockKind.CALL,
    "tool_result": BlockKind.RESULT,
    "server_tool_use": BlockKind.SERVER_CALL,
    "mcp_tool_use": BlockKind.SERVER_CALL,
    "mcp_tool_result": BlockKind.SERVER_RESULT,
    "compaction": BlockKind.COMPACTION,
    "image": BlockKind.MEDIA,
    "document": BlockKind.MEDIA,
    "container_upload": BlockKind.MEDIA,
}
_SERVER_RESULT = "_tool_result"
"""Ending of `web_search_tool_result`, `code_execution_tool_result` and their kin."""


def blocks_of(content: object) -> tuple[Block, ...]:
    """Canonical blocks of a `content` or `system` field: a string, a list of blocks, or nothing."""
    if isinstance(content, list):
        return tuple([block_of(raw) for raw in content])
    if isinstance(content, str):
        return (Block(kind=BlockKind.TEXT, raw={"type": "text", "text": content}, text=content),)
    return () if content is None else (block_of(content),)


def block_of(raw: object, *, partial_json: str | None = None) -> Block:
    """One canonical block.

    Args:
        raw: The block as parsed JSON.
        partial_json: Argument text that a stream brought and that is not valid JSON (cut at `max_tokens`, 1.6).
    """
    if not isinstance(raw, dict):
        return Block(kind=BlockKind.OTHER, raw=raw)
    kind = _kind_of(text_of(raw.get("type")))
    match kind:
        case BlockKind.TEXT:
            return Block(kind=kind, raw=raw, text=text_of(raw.get("text")))
        case BlockKind.RESULT | BlockKind.SERVER_RESULT:
            return _result(kind, raw)
        case BlockKind.CALL | BlockKind.SERVER_CALL:
            return _call(kind, raw, partial_json)
        case BlockKind.COMPACTION:
            return _compaction(raw)
        case BlockKind.THINKING | BlockKind.MEDIA | BlockKind.OTHER:
            return Block(kind=kind, raw=raw)


def _kind_of(block_type: str) -> BlockKind:
    kind = _KINDS.get(block_type)
    if kind is None:
        return BlockKind.SERVER_RESULT if block_type.endswith(_SERVER_RESULT) else BlockKind.OTHER
    return kind


def _call(kind: BlockKind, raw: Mapping[str, Any], partial_json: str | None) -> Block:
    arguments = raw.get("input")
    raw_arguments = partial_json or ""
    if partial_json is None and not isinstance(arguments, dict):
        raw_arguments = arguments if isinstance(arguments, str) else orjson.dumps(arguments).decode()
    return Block(
        kind=kind,
        raw=raw,
        call_id=text_of(raw.get("id")),
        tool=text_of(raw.get("name")),
        arguments=arguments if partial_json is None and isinstance(arguments, dict) else None,
        raw_arguments=raw_arguments,
    )


def _result(kind: BlockKind, raw: Mapping[str, Any]) -> Block:
    return Block(
        kind=kind,
        raw=raw,
        text=_readable(raw.get("content")),
        call_id=text_of(raw.get("tool_use_id")),
        is_error=raw.get("is_error") is True,
    )


def _compaction(raw: Mapping[str, Any]) -> Block:
    summary = raw.get("content")
    return Block(
        kind=BlockKind.COMPACTION,
        raw=raw,
        text=_readable(summary),
        opaque=not summary and bool(raw.get("encrypted_content")),
    )


def _readable(content: object) -> str:
    """Text parts joined by newlines; a search result's parts are text parts too."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    parts = [part for part in content if isinstance(part, dict)]
    return "\n".join([_part_text(part) for part in parts if part.get("type") in ("text", "search_result")])


def _part_text(part: Mapping[str, Any]) -> str:
    return _readable(part.get("content")) if part["type"] == "search_result" else text_of(part.get("text"))
