"""A message as server-sent events (wire-formats 1.6)."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from proxy.scripted.faces.face import compact_json, cut
from proxy.scripted.settings import Chunking

Json = Mapping[str, Any]


def frame(kind: str, **fields: object) -> bytes:
    """One event whose JSON names its own type."""
    data = compact_json({"type": kind, **fields})
    return f"event: {kind}\ndata: {data}\n\n".encode("utf-8", "surrogatepass")


def frames(whole: Json, chunking: Chunking) -> Iterator[bytes]:
    """The events that build a message up; numbers of the closing `message_delta` are cumulative."""
    usage = whole.get("usage")
    start = {**whole, "content": [], "stop_reason": None, "stop_sequence": None}
    start.pop("context_management", None)
    if usage is not None:
        start["usage"] = {**usage, "output_tokens": 1}
        start["usage"].pop("iterations", None)
        start["usage"].pop("output_tokens_details", None)
    yield frame("message_start", message=start)
    if chunking.pings:
        yield frame("ping")
    for index, block in enumerate(whole["content"]):
        yield from _block_frames(index, block, chunking.delta_chars)
    closing: dict[str, Any] = {"delta": {"stop_reason": whole["stop_reason"], "stop_sequence": None}}
    if usage is not None:
        # The 5m/1h split and the tier are told once, at the start.
        closing["usage"] = {name: usage[name] for name in usage if name not in {"cache_creation", "service_tier"}}
    if "context_management" in whole:
        closing["context_management"] = whole["context_management"]
    yield frame("message_delta", **closing)
    yield frame("message_stop")


def error_frame(kind: str, text: str) -> bytes:
    """An error inside a stream that began well."""
    return frame("error", error={"type": kind, "message": text})


def _block_frames(index: int, block: Json, delta_chars: int) -> Iterator[bytes]:
    start, deltas = DELTAS.get(str(block.get("type")), _whole)(block, delta_chars)
    yield frame("content_block_start", index=index, content_block=start)
    yield from (frame("content_block_delta", index=index, delta=delta) for delta in deltas)
    yield frame("content_block_stop", index=index)


Deltas = tuple[Json, Sequence[Json]]


def _text(block: Json, size: int) -> Deltas:
    return {**block, "text": ""}, [{"type": "text_delta", "text": part} for part in cut(block["text"], size)]


def _tool_use(block: Json, size: int) -> Deltas:
    parts = cut(json.dumps(block["input"], ensure_ascii=False), size)
    return {**block, "input": {}}, [{"type": "input_json_delta", "partial_json": part} for part in ("", *parts)]


def _thinking(block: Json, size: int) -> Deltas:
    deltas: list[Json] = [{"type": "thinking_delta", "thinking": part} for part in cut(block["thinking"], size)]
    deltas.append({"type": "signature_delta", "signature": block["signature"]})
    return {**block, "thinking": "", "signature": ""}, deltas


def _compaction(block: Json, _size: int) -> Deltas:
    return {**block, "content": None}, [{"type": "compaction_delta", "content": block["content"]}]


def _whole(block: Json, _size: int) -> Deltas:
    return block, []


DELTAS: Mapping[str, Callable[[Json, int], Deltas]] = {
    "text": _text,
    "tool_use": _tool_use,
    "thinking": _thinking,
    "compaction": _compaction,
}
