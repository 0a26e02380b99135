"""Arguments of stored calls, out of the kept pieces of a full capture, in every dialect that names its calls."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import orjson

from proxy.model.ids import CallId

DEEPEST = 12


def arguments_by_call(pieces: Iterable[bytes]) -> dict[CallId, dict[str, Any]]:
    """Parsed arguments of each call that stands in a kept message."""
    found: dict[CallId, dict[str, Any]] = {}
    for piece in pieces:
        try:
            value = orjson.loads(piece)
        except orjson.JSONDecodeError:
            continue  # a response as it was streamed
        found.update(_calls(value, DEEPEST))
    return found


def _calls(value: object, depth: int) -> Iterator[tuple[CallId, dict[str, Any]]]:
    if depth == 0:
        return
    if isinstance(value, list):
        for one in value:
            yield from _calls(one, depth - 1)
    elif isinstance(value, dict):
        if (call := _call(value)) is not None:
            yield call
            return
        for one in value.values():
            yield from _calls(one, depth - 1)


def _call(value: dict[str, Any]) -> tuple[CallId, dict[str, Any]] | None:
    match value:
        case {"type": "tool_use", "id": str(name), "input": dict(arguments)}:
            return CallId(name), arguments
        case {"type": "function_call", "call_id": str(name), "arguments": str(text)}:
            return _parsed(name, text)
        case {"id": str(name), "function": {"arguments": str(text)}}:
            return _parsed(name, text)
    return None


def _parsed(name: str, text: str) -> tuple[CallId, dict[str, Any]] | None:
    try:
        arguments = orjson.loads(text)
    except orjson.JSONDecodeError:
        return None
    return (CallId(name), arguments) if isinstance(arguments, dict) else None
