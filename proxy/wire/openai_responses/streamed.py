"""An output item while its events arrive (wire-formats 2.5)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from proxy.wire.faults import Faults
from proxy.wire.json_values import text_of


class _Text(NamedTuple):
    """Where the text of a kind of delta belongs."""

    field: str
    """The field of the item, or of the part; the event that ends the text has it whole under the same name."""
    part: str = ""
    """The type of the part of the item's content; empty when the text is the item's own."""


STREAMED: Mapping[str, _Text] = {
    "response.output_text": _Text("text", part="output_text"),
    "response.refusal": _Text("refusal", part="refusal"),
    "response.function_call_arguments": _Text("arguments"),
    "response.mcp_call_arguments": _Text("arguments"),
    "response.custom_tool_call_input": _Text("input"),
    "response.code_interpreter_call_code": _Text("code"),
}
"""Texts that come in pieces, by the beginning of their events' names; `.delta` appends, `.done` replaces."""


class StreamedItem:
    """One item, from its start to its end."""

    __slots__ = ("_raw", "_texts", "is_done")

    def __init__(self, raw: dict[str, Any]) -> None:
        self._raw = raw
        self._texts: dict[tuple[_Text, int], list[str]] = {}
        self.is_done = False

    def take(self, name: str, payload: Mapping[str, Any]) -> None:
        """A `.delta` or `.done` of one of its texts."""
        stem, _, step = name.rpartition(".")
        text, place = STREAMED[stem], payload.get("content_index")
        pieces = self._texts.setdefault((text, place if isinstance(place, int) else 0), [])
        if step == "delta":
            pieces.append(text_of(payload.get("delta")))
        elif step == "done":
            pieces[:] = [text_of(payload.get(text.field))]

    def end(self, raw: dict[str, Any]) -> None:
        """The item as it is in the end; its pieces count no more."""
        self._raw, self.is_done = raw, True

    def finish(self, key: int | str, faults: Faults) -> dict[str, Any]:
        """The item as parsed JSON, as far as it came."""
        if self.is_done:
            return self._raw
        faults.add(f"item {key}: cut" if isinstance(key, int) else "an item without a place: cut")
        raw = dict(self._raw)
        parts: list[dict[str, Any]] = []
        for (text, _), pieces in sorted(self._texts.items(), key=lambda entry: entry[0][1]):
            if text.part:
                parts.append({"type": text.part, text.field: "".join(pieces)})
            else:
                raw[text.field] = "".join(pieces)
        return raw | {"content": parts} if parts else raw
