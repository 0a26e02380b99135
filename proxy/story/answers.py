"""What tools answered, out of the kept pieces of a full capture: the same in every dialect that names its calls."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import orjson

from proxy.model.ids import CallId

CALL_KEYS = ("tool_use_id", "tool_call_id", "call_id")
TEXT_KEYS = ("content", "output")
DEEPEST = 12


def answers(pieces: Iterable[bytes]) -> dict[CallId, str]:
    """Text of each answered call; a later piece of the same call replaces an earlier one."""
    found: dict[CallId, str] = {}
    for piece in pieces:
        try:
            value = orjson.loads(piece)
        except orjson.JSONDecodeError:
            continue  # a response as it was streamed
        found.update(_answers(value, DEEPEST))
    return found


def _answers(value: object, depth: int) -> Iterator[tuple[CallId, str]]:
    if depth == 0:
        return
    if isinstance(value, list):
        for one in value:
            yield from _answers(one, depth - 1)
    elif isinstance(value, dict):
        call = next((value[key] for key in CALL_KEYS if isinstance(value.get(key), str)), None)
        told = next((value[key] for key in TEXT_KEYS if key in value), None)
        if call is not None and told is not None:
            yield CallId(call), _text(told)
            return
        for one in value.values():
            yield from _answers(one, depth - 1)


def _text(told: object) -> str:
    if isinstance(told, str):
        return told
    if isinstance(told, list):
        return "\n".join(part["text"] for part in told if isinstance(part, dict) and isinstance(part.get("text"), str))
    return orjson.dumps(told).decode()
