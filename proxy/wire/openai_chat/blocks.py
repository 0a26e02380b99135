"""A chat message, asked or answered, to canonical blocks; unknown content parts are kept as OTHER (wire-formats 3.1).

A message keeps its thinking, its text and its calls in fields of their own; the blocks stand in that order.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import orjson

from proxy.model.messages import Block, BlockKind
from proxy.wire.json_values import BadJsonError, Json, read_json, text_of

THINKING_FIELDS = ("reasoning", "reasoning_content")
"""What servers beside OpenAI call the model's thinking (3.2); OpenAI itself does not show it."""
RESULT_ROLES = ("tool", "function")

_KINDS = {
    "text": BlockKind.TEXT,
    "input_text": BlockKind.TEXT,
    "output_text": BlockKind.TEXT,
    "refusal": BlockKind.TEXT,
    "thinking": BlockKind.THINKING,
    "reasoning": BlockKind.THINKING,
    "image_url": BlockKind.MEDIA,
    "input_audio": BlockKind.MEDIA,
    "file": BlockKind.MEDIA,
    "video_url": BlockKind.MEDIA,
}


class Arguments(NamedTuple):
    """What a call was asked with."""

    parsed: Mapping[str, Any] | None
    raw: str
    """Set when they are no JSON object."""


def blocks_of(message: Mapping[str, Any]) -> tuple[Block, ...]:
    """All blocks of one message; calls and results carry their ids as sent, empty when there is none."""
    if message.get("role") in RESULT_ROLES:
        return (_result(message),)
    return tuple(_said(message))


def arguments_of(sent: Json) -> Arguments:
    """Arguments as the API writes them (JSON in a string) or as some servers do (the object itself, or nothing)."""
    if isinstance(sent, dict):
        return Arguments(sent, "")
    if not isinstance(sent, str):
        return Arguments({}, "") if sent is None else Arguments(None, orjson.dumps(sent).decode())
    if not sent.strip():
        return Arguments({}, "")
    try:
        parsed = read_json(sent.encode("utf-8", "replace"))
    except BadJsonError:
        parsed = None
    return Arguments(parsed, "") if isinstance(parsed, dict) else Arguments(None, sent)


def _said(message: Mapping[str, Any]) -> Iterator[Block]:
    thinking = {name: message[name] for name in THINKING_FIELDS if message.get(name)}
    if thinking:
        yield Block(kind=BlockKind.THINKING, raw=thinking)
    yield from content_blocks(message.get("content"))
    if refusal := text_of(message.get("refusal")):
        yield Block(kind=BlockKind.TEXT, raw={"type": "refusal", "refusal": refusal}, text=refusal)
    if isinstance(message.get("audio"), dict):
        yield Block(kind=BlockKind.MEDIA, raw={"type": "audio", "audio": message["audio"]})
    if isinstance(message.get("function_call"), dict):
        yield _call(message["function_call"], message["function_call"], "")
    calls = message.get("tool_calls")
    yield from (_tool_call(raw) for raw in (calls if isinstance(calls, list) else ()))


def content_blocks(content: Json) -> Iterator[Block]:
    """Blocks of a `content` field: a string, a list of parts, or nothing. An empty string is nothing said."""
    if isinstance(content, str):
        if content:
            yield Block(kind=BlockKind.TEXT, raw={"type": "text", "text": content}, text=content)
    elif isinstance(content, list):
        yield from (_part(raw) for raw in content)
    elif content is not None:
        yield _part(content)


def _part(raw: Json) -> Block:
    if isinstance(raw, str):
        return Block(kind=BlockKind.TEXT, raw={"type": "text", "text": raw}, text=raw)
    if not isinstance(raw, dict):
        return Block(kind=BlockKind.OTHER, raw=raw)
    kind = _KINDS.get(text_of(raw.get("type")), BlockKind.OTHER)
    return Block(kind=kind, raw=raw, text=_text(raw) if kind is BlockKind.TEXT else "")


def _text(part: Mapping[str, Any]) -> str:
    return text_of(part.get("refusal" if part.get("type") == "refusal" else "text"))


def _tool_call(raw: Json) -> Block:
    if not isinstance(raw, dict):
        return Block(kind=BlockKind.OTHER, raw=raw)
    call_id = text_of(raw.get("id"))
    if isinstance(raw.get("custom"), dict):
        custom = raw["custom"]
        return Block(
            kind=BlockKind.CALL,
            raw=raw,
            call_id=call_id,
            tool=text_of(custom.get("name")),
            raw_arguments=text_of(custom.get("input")),
        )
    function = raw.get("function")
    if not isinstance(function, dict):
        return Block(kind=BlockKind.OTHER, raw=raw)
    return _call(raw, function, call_id)


def _call(raw: Mapping[str, Any], function: Mapping[str, Any], call_id: str) -> Block:
    arguments = arguments_of(function.get("arguments"))
    return Block(
        kind=BlockKind.CALL,
        raw=raw,
        call_id=call_id,
        tool=text_of(function.get("name")),
        arguments=arguments.parsed,
        raw_arguments=arguments.raw,
    )


def _result(message: Mapping[str, Any]) -> Block:
    """`name` tells the tool in the old form, and is what joins a result without id."""
    texts = [block.text for block in content_blocks(message.get("content")) if block.kind is BlockKind.TEXT]
    return Block(
        kind=BlockKind.RESULT,
        raw=message,
        text="\n".join(texts),
        call_id=text_of(message.get("tool_call_id")),
        tool=text_of(message.get("name")),
    )
