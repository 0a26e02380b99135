"""A completion as the chunks of its stream."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from proxy.scripted.faces.chat.servers import ChatServer, UsageChunk
from proxy.scripted.faces.face import compact_json, cut

Json = Mapping[str, Any]
BESIDE_USAGE = ("usage", "timings")


def frames(completion: Json, server: ChatServer, *, delta_chars: int, asks_usage: bool) -> Iterator[bytes]:
    """Lines of `data:`, and `[DONE]`."""
    if server.comments:
        yield b": OPENROUTER PROCESSING\n\n"
    for chunk in _chunks(completion, server, delta_chars, asks_usage=asks_usage):
        yield line(compact_json(chunk), server)
    if server.says_done:
        yield line("[DONE]", server)


def line(data: str, server: ChatServer) -> bytes:
    """One event without a name."""
    text = f"data:{data}\r\n\r\n" if server.crlf else f"data: {data}\n\n"
    return text.encode("utf-8", "surrogatepass")


def _chunks(completion: Json, server: ChatServer, delta_chars: int, *, asks_usage: bool) -> Iterator[Json]:
    choice = completion["choices"][0]
    shared = {
        name: value for name, value in completion.items() if name not in {"choices", "object", "service_tier", "usage"}
    }
    shared.pop("timings", None)
    usage = {name: completion[name] for name in BESIDE_USAGE if name in completion}
    place = server.usage_chunk
    everywhere = usage if place is UsageChunk.EVERY and asks_usage else {}
    # As OpenAI does: with `include_usage` every other chunk says that there is none.
    elsewhere = {"usage": None} if place is UsageChunk.WHEN_ASKED and asks_usage and usage else everywhere
    head = {**shared, "object": "chat.completion.chunk"}
    more = {name: value for name, value in choice.items() if name not in {"message", "finish_reason"}}
    for delta in _deltas(choice["message"], server, delta_chars):
        yield {**head, "choices": [{**more, "delta": delta, "finish_reason": None}], **elsewhere}
    last = usage if place is UsageChunk.WITH_FINISH else elsewhere
    yield {**head, "choices": [{**more, "delta": {}, "finish_reason": choice["finish_reason"]}], **last}
    if usage and asks_usage and place is not UsageChunk.WITH_FINISH:
        yield {**head, "choices": [], **usage}


def _deltas(message: Json, server: ChatServer, size: int) -> Iterator[Json]:
    yield {"role": "assistant", "content": "" if message["content"] is not None else None, "refusal": None}
    if server.reasoning_field in message:
        yield from ({server.reasoning_field: part} for part in cut(message[server.reasoning_field], size))
    yield from ({"content": part} for part in cut(message["content"] or "", size))
    for index, call in enumerate(message.get("tool_calls") or ()):
        numbered = {"index": index} if server.numbered_calls else {}
        for part in _parts(call, server, size):
            yield {"tool_calls": [{**numbered, **part}]}


def _parts(call: Json, server: ChatServer, size: int) -> Iterator[Json]:
    """A call's id and name come once, its arguments in pieces."""
    kind = call["type"]
    argument = "input" if kind == "custom" else "arguments"
    written = call[kind][argument]
    if server.whole_calls or not isinstance(written, str):
        yield call
        return
    yield {**call, kind: {**call[kind], argument: ""}}
    yield from ({kind: {argument: part}} for part in cut(written, size))
