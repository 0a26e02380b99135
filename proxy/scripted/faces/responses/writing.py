"""Content blocks as output items; the response object and its usage (wire-formats 2.4)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from proxy.scripted.faces.face import Asked, compact_json
from proxy.scripted.faces.responses.reading import kind_of, text_in, tools_in
from proxy.scripted.faces.seals import Seals
from proxy.scripted.reply import Reply, Sampling, totals

Json = Mapping[str, Any]


def output_of(asked: Asked, reply: Reply, seals: Seals) -> Iterator[Json]:
    """The reply's items, in order."""
    encrypts = "reasoning.encrypted_content" in (asked.raw.get("include") or ())
    tools = {str(tool.get("name")): tool for tool in tools_in(asked.raw, asked.items)}
    tail = reply.id.rpartition("_")[2]
    for at, block in enumerate(reply.blocks):
        place = f"{tail}{at:02}"
        match block["type"]:
            case "text":
                part = {"type": "output_text", "text": block["text"], "annotations": [], "logprobs": []}
                yield message_item(f"msg_{place}", "assistant", [part])
            case "thinking":
                sealed = {"encrypted_content": seals.seal(block["thinking"])} if encrypts else {}
                summary = [{"type": "summary_text", "text": block["thinking"]}]
                yield {"type": "reasoning", "id": f"rs_{place}", "summary": summary, **sealed}
            case "compaction":
                yield compaction_item(f"cmp_{place}", seals.seal(block["content"]))
            case _:
                yield _call_item(block, place, tools.get(block["name"], {}))


def message_item(item_id: str, role: str, content: Sequence[Json]) -> Json:
    """A message."""
    return {"type": "message", "id": item_id, "status": "completed", "role": role, "content": list(content)}


def compaction_item(item_id: str, sealed: str) -> Json:
    """A summary that nobody else can read."""
    return {"type": "compaction", "id": item_id, "encrypted_content": sealed}


def _call_item(block: Json, place: str, tool: Json) -> Json:
    named = {"namespace": tool["namespace"]} if "namespace" in tool else {}
    call = {"call_id": block["id"], "name": block["name"], **named, "status": "completed"}
    if tool.get("type") == "custom":
        return {"type": "custom_tool_call", "id": f"ctc_{place}", **call, "input": str(block["input"].get("input", ""))}
    return {"type": "function_call", "id": f"fc_{place}", **call, "arguments": compact_json(block["input"])}


def response_of(asked: Asked, reply: Reply, output: Sequence[Json]) -> dict[str, Any]:
    """The response object."""
    raw = asked.raw
    conversation = raw.get("conversation")
    whole = {
        "id": reply.id,
        "object": "response",
        "created_at": reply.created_us // 1_000_000,
        "status": "completed",
        "error": None,
        "incomplete_details": None,
        "instructions": raw.get("instructions"),
        "metadata": raw.get("metadata") or {},
        "model": reply.model,
        "output": list(output),
        "parallel_tool_calls": raw.get("parallel_tool_calls", True),
        "previous_response_id": raw.get("previous_response_id"),
        "service_tier": "default",
        "store": raw.get("store", True),
        "tool_choice": raw.get("tool_choice", "auto"),
        "tools": raw.get("tools") or [],
        "usage": usage_of(reply.samplings) if reply.tells_usage else None,
    }
    if conversation:
        whole["conversation"] = conversation if isinstance(conversation, Mapping) else {"id": conversation}
    return whole


def compacted_of(asked: Asked, reply: Reply, seals: Seals) -> dict[str, Any]:
    """What `/responses/compact` answers: what the user wrote, and the summary."""
    tail = reply.id.rpartition("_")[2]
    written = [text_in(item.get("content")) for item in asked.items if _is_users(item)]
    kept = [
        message_item(f"msg_{tail}u{at:02}", "user", [{"type": "input_text", "text": text}])
        for at, text in enumerate(written)
    ]
    return {
        "id": reply.id,
        "object": "response.compaction",
        "created_at": reply.created_us // 1_000_000,
        "output": [*kept, *output_of(asked, reply, seals)],
        "usage": usage_of(reply.samplings) if reply.tells_usage else None,
    }


def _is_users(item: Json) -> bool:
    return kind_of(item) == "message" and item.get("role") == "user"


def usage_of(samplings: Sequence[Sampling]) -> dict[str, Any]:
    """The prompt includes what was cached; compactions are in the sums, since there is no other place for them.

    Lifetimes of 5 minutes and an hour are told in the dialect's own classes, 30 minutes and 12 hours.
    """
    told = totals(samplings)
    written = {"ttl_30m_tokens": told.written_5m, "ttl_12h_tokens": told.written_1h}
    return {
        "input_tokens": told.prompt,
        "input_tokens_details": {
            "cached_tokens": told.read,
            "cache_write_tokens": told.written_5m + told.written_1h,
            "cache_write_tokens_details": written,
        },
        "output_tokens": told.output,
        "output_tokens_details": {"reasoning_tokens": told.thinking},
        "total_tokens": told.prompt + told.output,
    }
