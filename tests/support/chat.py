"""Builders for Chat Completions documents, the streams that carry them, and what the dialect reads in both."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import orjson

from proxy.model.exchange import Headers
from proxy.model.messages import Reply, Request
from proxy.wire.endpoint import Endpoint, dialect_for

CHAT: Endpoint = dialect_for("POST", "/v1/chat/completions")
MODEL = "gpt-5.5"
DONE = b"data: [DONE]\n\n"


def a_usage(prompt: int = 10, completion: int = 5, *, cached: int = 0, reasoning: int = 0, **fields: object) -> Any:
    """A usage object as OpenAI writes it."""
    return {
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "total_tokens": prompt + completion,
        "prompt_tokens_details": {"cached_tokens": cached},
        "completion_tokens_details": {"reasoning_tokens": reasoning},
    } | fields


def a_call(name: str = "read", call: str = "call_1", **arguments: object) -> dict[str, Any]:
    """A whole tool call."""
    return {"id": call, "type": "function", "function": {"name": name, "arguments": orjson.dumps(arguments).decode()}}


def a_completion(message: dict[str, Any], *, usage: Any = None, finish: str = "stop", **fields: object) -> Any:
    """A Chat Completions document."""
    return {
        "id": "chatcmpl_1",
        "object": "chat.completion",
        "model": MODEL,
        "choices": [{"index": 0, "message": {"role": "assistant", "content": None} | message, "finish_reason": finish}],
        "usage": usage or a_usage(),
    } | fields


def a_chunk(delta: dict[str, Any] | None = None, *, finish: str | None = None, **fields: object) -> dict[str, Any]:
    """One chunk of choice 0."""
    choice = {"index": 0, "delta": delta or {}, "finish_reason": finish}
    return {"id": "chatcmpl_1", "object": "chat.completion.chunk", "model": MODEL, "choices": [choice]} | fields


def a_fragment(arguments: str, index: int | None = 0, **call: object) -> dict[str, Any]:
    """A delta with a fragment of a call; `name` goes to the function, everything else beside it."""
    function = {"arguments": arguments} | ({"name": call.pop("name")} if "name" in call else {})
    return {"tool_calls": [({} if index is None else {"index": index}) | call | {"function": function}]}


def stream_of(document: dict[str, Any], *, step: int = 7) -> Iterator[dict[str, Any]]:
    """Chunks of the stream that carries the same completion; texts come `step` characters at a time."""
    [choice] = document["choices"]
    kept = {key: value for key, value in document.items() if key not in ("choices", "usage", "object")}
    yield a_chunk({"role": "assistant", "content": ""}, **kept)
    for field in ("reasoning_content", "content", "refusal"):
        for piece in _pieces(choice["message"].get(field) or "", step):
            yield a_chunk({field: piece}, **kept)
    for index, call in enumerate(choice["message"].get("tool_calls", ())):
        kind = call["type"]
        body = "arguments" if kind == "function" else "input"
        yield a_chunk({"tool_calls": [call | {"index": index, kind: call[kind] | {body: ""}}]}, **kept)
        for piece in _pieces(call[kind][body], step):
            yield a_chunk({"tool_calls": [{"index": index, kind: {body: piece}}]}, **kept)
    yield a_chunk(finish=choice["finish_reason"], **kept)
    yield a_chunk(**kept) | {"choices": [], "usage": document["usage"]}


def _pieces(text: str, step: int) -> list[str]:
    return [text[start : start + step] for start in range(0, len(text), step)]


def as_bytes(chunks: Iterable[dict[str, Any]], *, end: bytes = DONE) -> bytes:
    """A whole stream body."""
    return b"".join(b"data: %s\n\n" % orjson.dumps(chunk) for chunk in chunks) + end


def read_stream(
    body: bytes | Iterable[bytes], *, status: int = 200, headers: Headers = (), request: Request | None = None
) -> Reply:
    """What the Chat dialect reads in a response body, whole or in pieces."""
    reader = CHAT.open_reply(status, headers, request)
    for piece in [body] if isinstance(body, bytes) else body:
        reader.feed(piece)
    return reader.close()


def read_chunks(*chunks: dict[str, Any], end: bytes = DONE, request: Request | None = None) -> Reply:
    """What the Chat dialect reads in a stream of these chunks."""
    return read_stream(as_bytes(chunks, end=end), request=request)


def read_document(document: object, *, status: int = 200, request: Request | None = None) -> Reply:
    """What the Chat dialect reads in an answer that is not streamed."""
    return read_stream(orjson.dumps(document), status=status, request=request)


def a_request(*messages: object, **fields: object) -> dict[str, Any]:
    """A request body."""
    return {"model": MODEL, "messages": list(messages)} | fields


def user(text: str) -> dict[str, Any]:
    """What the user says."""
    return {"role": "user", "content": text}


def asks(*calls: object, **fields: object) -> dict[str, Any]:
    """A message of the model's that calls tools."""
    return {"role": "assistant", "content": None, "tool_calls": list(calls)} | fields


def result(text: object, call: str = "call_1", **fields: object) -> dict[str, Any]:
    """A tool's answer."""
    return {"role": "tool", "tool_call_id": call, "content": text} | fields


def read_request(document: object, former: Request | None = None) -> Request:
    """A Chat request that is known to be readable."""
    request = CHAT.read_request(orjson.dumps(document), (), former)
    assert isinstance(request, Request), request
    return request
