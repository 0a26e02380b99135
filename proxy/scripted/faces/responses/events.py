"""A response as the events of its stream (wire-formats 2.5)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from proxy.scripted.faces.face import cut

Json = Mapping[str, Any]
Event = dict[str, Any]


def events(response: Json, delta_chars: int) -> Iterator[Event]:
    """From `response.created` to `response.completed`, numbered."""
    for number, event in enumerate(_unnumbered(response, delta_chars)):
        yield {**event, "sequence_number": number}


def _unnumbered(response: Json, delta_chars: int) -> Iterator[Event]:
    begun = {**response, "status": "in_progress", "output": [], "usage": None}
    yield {"type": "response.created", "response": begun}
    yield {"type": "response.in_progress", "response": begun}
    for index, item in enumerate(response["output"]):
        start, more = PARTS.get(item["type"], _whole)(item, delta_chars)
        yield {"type": "response.output_item.added", "output_index": index, "item": start}
        for event in more:
            yield {**event, "item_id": item["id"], "output_index": index}
        yield {"type": "response.output_item.done", "output_index": index, "item": item}
    yield {"type": "response.completed", "response": response}


Parts = tuple[Json, list[Event]]


def _message(item: Json, size: int) -> Parts:
    more: list[Event] = []
    for at, part in enumerate(item["content"]):
        place = {"content_index": at}
        text = {**place, "logprobs": []}
        more.append({"type": "response.content_part.added", **place, "part": {**part, "text": ""}})
        more += [{"type": "response.output_text.delta", **text, "delta": piece} for piece in cut(part["text"], size)]
        more.append({"type": "response.output_text.done", **text, "text": part["text"]})
        more.append({"type": "response.content_part.done", **place, "part": part})
    return {**item, "status": "in_progress", "content": []}, more


def _function_call(item: Json, size: int) -> Parts:
    kind, whole = "response.function_call_arguments", item["arguments"]
    more: list[Event] = [{"type": f"{kind}.delta", "delta": piece} for piece in cut(whole, size)]
    more.append({"type": f"{kind}.done", "name": item["name"], "arguments": whole})
    return {**item, "status": "in_progress", "arguments": ""}, more


def _custom_call(item: Json, size: int) -> Parts:
    kind, whole = "response.custom_tool_call_input", item["input"]
    more: list[Event] = [{"type": f"{kind}.delta", "delta": piece} for piece in cut(whole, size)]
    more.append({"type": f"{kind}.done", "input": whole})
    return {**item, "status": "in_progress", "input": ""}, more


def _reasoning(item: Json, size: int) -> Parts:
    more: list[Event] = []
    kind = "response.reasoning_summary"
    for at, part in enumerate(item["summary"]):
        place = {"summary_index": at}
        more.append({"type": f"{kind}_part.added", **place, "part": {**part, "text": ""}})
        more += [{"type": f"{kind}_text.delta", **place, "delta": piece} for piece in cut(part["text"], size)]
        more.append({"type": f"{kind}_text.done", **place, "text": part["text"]})
        more.append({"type": f"{kind}_part.done", **place, "part": part})
    return {**item, "summary": []}, more


def _compaction(item: Json, _size: int) -> Parts:
    return {**item, "encrypted_content": ""}, [{"type": "response.compaction.compacting"}]


def _whole(item: Json, _size: int) -> Parts:
    return item, []


PARTS: Mapping[str, Callable[[Json, int], Parts]] = {
    "message": _message,
    "function_call": _function_call,
    "custom_tool_call": _custom_call,
    "reasoning": _reasoning,
    "compaction": _compaction,
}
