"""Fragments of tool calls, as a stream brings them, to whole ones (wire-formats 3.1, 3.2).

The API numbers a call's fragments by `index` and tells id and name in the first one. Servers leave the index out,
give every call the same one, leave the id out, repeat it in each fragment, or send a call whole. So a fragment
starts a new call when
- its index is new, or
- it brings another id than the call at its place has, or
- it names a tool and brings arguments while the call at its place has whole ones already, and not both have an id.
Without index its place is the call that came last.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

from proxy.wire.json_values import Json, text_of
from proxy.wire.openai_chat.blocks import arguments_of

_BODIES = {"function": "arguments", "custom": "input"}
"""Where each type of call keeps its name, and there what comes in pieces."""


class StreamedCalls:
    """The tool calls of one choice while their fragments arrive."""

    def __init__(self) -> None:
        self._calls: list[_StreamedCall] = []
        self._places: dict[int, _StreamedCall] = {}

    def add(self, fragment: Json) -> bool:
        """Take one entry of a delta's `tool_calls`; False when it is none."""
        if not isinstance(fragment, dict):
            return False
        index = fragment.get("index")
        place = index if type(index) is int else None
        call = (self._calls[-1] if self._calls else None) if place is None else self._places.get(place)
        if call is None or call.is_other(fragment):
            call = _StreamedCall()
            self._calls.append(call)
        if place is not None:
            self._places[place] = call
        call.add(fragment)
        return True

    def whole(self) -> list[dict[str, Any]]:
        """The calls as a document would hold them, in the order of their first fragments."""
        return [call.whole() for call in self._calls]


class _StreamedCall:
    __slots__ = ("_pieces", "_raw", "_type")

    def __init__(self) -> None:
        self._type = "function"
        self._raw: dict[str, Any] = {}
        self._pieces: list[str] = []

    def is_other(self, fragment: Mapping[str, Any]) -> bool:
        """Whether a fragment at this call's place starts another call."""
        own, told = text_of(self._raw.get("id")), text_of(fragment.get("id"))
        if told and own:
            return told != own
        body = fragment.get(self._type)
        text = "".join(self._pieces)
        if not isinstance(body, dict) or not text_of(body.get("name")) or not body.get(_BODIES[self._type]):
            return False
        return bool(text.strip()) and arguments_of(text).parsed is not None

    def add(self, fragment: Mapping[str, Any]) -> None:
        for key, value in fragment.items():
            if key not in _BODIES and key != "index" and value and not self._raw.get(key):
                self._raw[key] = value
        self._type = next((name for name in _BODIES if isinstance(fragment.get(name), dict)), self._type)
        body = fragment.get(self._type)
        if isinstance(body, dict):
            self._take(body)

    def _take(self, body: Mapping[str, Any]) -> None:
        field = _BODIES[self._type]
        known = self._raw.setdefault(self._type, {"name": ""})
        known["name"] = known["name"] or text_of(body.get("name"))
        piece = body.get(field)
        if piece is not None:
            self._pieces.append(piece if isinstance(piece, str) else orjson.dumps(piece).decode())

    def whole(self) -> dict[str, Any]:
        body = self._raw.get(self._type, {"name": ""})
        return self._raw | {self._type: body | {_BODIES[self._type]: "".join(self._pieces)}}
