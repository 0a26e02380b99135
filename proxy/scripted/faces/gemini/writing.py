"""A reply as Gemini's response object, and the parts of its stream."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from proxy.scripted.faces.face import cut
from proxy.scripted.faces.gemini.reading import signature_of
from proxy.scripted.reply import Reply, Sampling, totals

Json = Mapping[str, Any]


def response_of(reply: Reply) -> dict[str, Any]:
    """The whole response. A tool call ends with STOP, as everything does that ends well."""
    whole: dict[str, Any] = {
        "candidates": [
            {"content": {"parts": _parts(reply.blocks), "role": "model"}, "finishReason": "STOP", "index": 0}
        ],
        "modelVersion": reply.model,
        "responseId": reply.id,
    }
    if reply.tells_usage:
        whole["usageMetadata"] = usage_of(reply.samplings)
    return whole


def _parts(blocks: Sequence[Json]) -> list[dict[str, Any]]:
    parts: list[dict[str, Any]] = []
    signed = False
    for block in blocks:
        if block["type"] == "text":
            parts.append({"text": block["text"]})
        elif block["type"] == "thinking":
            parts.append({"text": block["thinking"], "thought": True})
        elif block["type"] == "tool_use":
            call = {"id": block["id"], "name": block["name"], "args": block["input"]}
            # Of parallel calls only the first is signed.
            more = {} if signed else {"thoughtSignature": signature_of(block["id"])}
            parts.append({"functionCall": call, **more})
            signed = True
    return parts


def usage_of(samplings: Sequence[Sampling]) -> dict[str, Any]:
    """The prompt includes what was cached; what was written to the cache is told nowhere; thoughts stand apart."""
    told = totals(samplings)
    usage: dict[str, Any] = {
        "promptTokenCount": told.prompt,
        "candidatesTokenCount": told.output - told.thinking,
        "totalTokenCount": told.prompt + told.output,
        "promptTokensDetails": _by_modality(told.prompt),
    }
    if told.read:
        usage |= {"cachedContentTokenCount": told.read, "cacheTokensDetails": _by_modality(told.read)}
    if told.thinking:
        usage["thoughtsTokenCount"] = told.thinking
    return usage


def _by_modality(tokens: int) -> list[Json]:
    return [{"modality": "TEXT", "tokenCount": tokens}]


def chunks(response: Json, delta_chars: int) -> Iterator[Json]:
    """Whole response objects with the next part each; usage is repeated, the output known at the end."""
    candidate = response["candidates"][0]
    shared = {name: value for name, value in response.items() if name not in {"candidates", "usageMetadata"}}
    usage = response.get("usageMetadata")
    begun = {} if usage is None else {"usageMetadata": {**usage, "candidatesTokenCount": 0}}
    parts = [piece for part in candidate["content"]["parts"] for piece in _pieces(part, delta_chars)]
    for part in parts[:-1]:
        yield {"candidates": [{"content": {"parts": [part], "role": "model"}, "index": 0}], **begun, **shared}
    last = {**candidate, "content": {"parts": parts[-1:], "role": "model"}}
    yield {"candidates": [last], **({} if usage is None else {"usageMetadata": usage}), **shared}


def _pieces(part: Json, size: int) -> list[Json]:
    return [{**part, "text": piece} for piece in cut(part["text"], size)] if part.get("text") else [part]
