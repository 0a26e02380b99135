"""A reply as a chat completion, and its usage."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from proxy.scripted.faces.chat.servers import ChatServer, UsageForm
from proxy.scripted.faces.face import Asked, compact_json, objects
from proxy.scripted.reply import Reply, Sampling, totals

Json = Mapping[str, Any]

FINISH_REASONS: Mapping[str, str] = {"end_turn": "stop", "tool_use": "tool_calls", "max_tokens": "length"}


def completion_of(asked: Asked, reply: Reply, server: ChatServer) -> dict[str, Any]:
    """The completion object."""
    called = "stop" if server.finishes_with_stop else "tool_calls"
    reason = called if reply.stop_reason == "tool_use" else FINISH_REASONS.get(reply.stop_reason, "stop")
    whole: dict[str, Any] = {
        "id": reply.id,
        "object": "chat.completion",
        "created": reply.created_us // 1_000_000,
        "model": reply.model,
        "choices": [
            {
                "index": 0,
                "message": _message(asked, reply, server),
                "logprobs": None,
                "finish_reason": reason,
                **(server.choice_extras or {}),
            }
        ],
        "service_tier": "default",
        **(server.extras or {}),
    }
    if reply.tells_usage:
        whole["usage"] = usage_of(reply.samplings, server.usage_form)
        if server.timings:
            whole["timings"] = _timings(reply.samplings)
    return whole


def _message(asked: Asked, reply: Reply, server: ChatServer) -> dict[str, Any]:
    texts = [block["text"] for block in reply.blocks if block["type"] == "text"]
    thoughts = [block["thinking"] for block in reply.blocks if block["type"] == "thinking"]
    message: dict[str, Any] = {"role": "assistant", "content": "\n".join(texts) if texts else None, "refusal": None}
    if thoughts and server.reasoning_field:
        message[server.reasoning_field] = "\n".join(thoughts)
    if calls := [_call(asked, block, server) for block in reply.blocks if block["type"] == "tool_use"]:
        message["tool_calls"] = calls
    return message


def _call(asked: Asked, block: Json, server: ChatServer) -> dict[str, Any]:
    name, arguments = block["name"], block["input"]
    identity = {"id": block["id"]} if server.calls_with_ids else {}
    if name in {(tool.get("custom") or {}).get("name") for tool in objects(asked.raw.get("tools"))}:
        return {**identity, "type": "custom", "custom": {"name": name, "input": str(arguments.get("input", ""))}}
    written = arguments if server.object_arguments else compact_json(arguments)
    return {**identity, "type": "function", "function": {"name": name, "arguments": written}}


def usage_of(samplings: Sequence[Sampling], form: UsageForm) -> dict[str, Any]:
    """The prompt includes what was cached."""
    told = totals(samplings)
    usage: dict[str, Any] = {
        "prompt_tokens": told.prompt,
        "completion_tokens": told.output,
        "total_tokens": told.prompt + told.output,
    }
    if form is UsageForm.DETAILS:
        written = told.written_5m + told.written_1h
        usage["prompt_tokens_details"] = {"cached_tokens": told.read, "cache_write_tokens": written, "audio_tokens": 0}
        usage["completion_tokens_details"] = {
            "reasoning_tokens": told.thinking,
            "audio_tokens": 0,
            "accepted_prediction_tokens": 0,
            "rejected_prediction_tokens": 0,
        }
    elif form is UsageForm.HIT_MISS:
        usage["prompt_cache_hit_tokens"] = told.read
        usage["prompt_cache_miss_tokens"] = told.prompt - told.read
    return usage


def _timings(samplings: Sequence[Sampling]) -> dict[str, Any]:
    """llama.cpp's own numbers; times are declared, like everything here."""
    told = totals(samplings)
    counts = {"cache_n": told.read, "prompt_n": told.prompt - told.read, "predicted_n": told.output}
    return {**counts, "prompt_ms": 1.0, "predicted_ms": 1.0}
