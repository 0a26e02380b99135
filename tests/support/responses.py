"""Builders for Responses documents, the streams that carry them, and what the dialect reads in both."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import orjson

from proxy.model.exchange import Headers
from proxy.model.messages import Reply, Request
from proxy.wire.endpoint import Endpoint, dialect_for

RESPONSES: Endpoint = dialect_for("POST", "/v1/responses")
COMPACT: Endpoint = dialect_for("POST", "/v1/responses/compact")
MODEL = "gpt-6-astra"

_TEXTS = {
    "function_call": ("function_call_arguments", "arguments"),
    "custom_tool_call": ("custom_tool_call_input", "input"),
    "mcp_call": ("mcp_call_arguments", "arguments"),
    "code_interpreter_call": ("code_interpreter_call_code", "code"),
}


def a_usage(
    prompt: int = 10, output: int = 5, *, cached: int = 0, written: int = 0, **fields: object
) -> dict[str, Any]:
    """A usage object; further fields go beside the counts."""
    return {
        "input_tokens": prompt,
        "input_tokens_details": {"cached_tokens": cached, "cache_write_tokens": written},
        "output_tokens": output,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": prompt + output,
    } | fields


def a_response(*output: dict[str, Any], usage: dict[str, Any] | None = None, **fields: object) -> dict[str, Any]:
    """A completed response."""
    return {
        "id": "resp_1",
        "object": "response",
        "status": "completed",
        "model": MODEL,
        "output": list(output),
        "usage": usage or a_usage(),
        "error": None,
        "incomplete_details": None,
        "service_tier": "default",
    } | fields


def said(text: str, **fields: object) -> dict[str, Any]:
    """A message of the model's."""
    part = {"type": "output_text", "text": text, "annotations": [], "logprobs": []}
    return {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": [part]} | fields


def a_call(name: str = "read", call: str = "call_1", **arguments: object) -> dict[str, Any]:
    """A function call."""
    text = orjson.dumps(arguments).decode()
    return {
        "type": "function_call",
        "id": "fc_1",
        "call_id": call,
        "name": name,
        "arguments": text,
        "status": "completed",
    }


def a_result(output: object = "done", call: str = "call_1", **fields: object) -> dict[str, Any]:
    """The answer to a function call."""
    return {"type": "function_call_output", "call_id": call, "output": output} | fields


def frame(event: dict[str, Any]) -> bytes:
    """One SSE frame as the provider writes it."""
    return b"event: %s\ndata: %s\n\n" % (event["type"].encode(), orjson.dumps(event))


def as_bytes(events: Iterable[dict[str, Any]]) -> bytes:
    """A whole stream body."""
    return b"".join(frame(event) for event in events)


def stream_of(response: dict[str, Any], *, step: int = 7) -> list[dict[str, Any]]:
    """Events of the stream that carries the same response; texts come `step` characters at a time."""
    open_response = response | {"status": "in_progress", "output": [], "usage": None, "service_tier": "auto"}
    events = [{"type": "response.created", "response": open_response}]
    events.append({"type": "response.in_progress", "response": open_response})
    for index, item in enumerate(response["output"]):
        events += _item_events(index, item, step)
    events.append({"type": f"response.{response['status']}", "response": response})
    return [event | {"sequence_number": number} for number, event in enumerate(events)]


def _item_events(index: int, item: dict[str, Any], step: int) -> Iterator[dict[str, Any]]:
    where = {"output_index": index, "item_id": item.get("id", "")}
    stem, field = _TEXTS.get(item["type"], ("", ""))
    empty = item | ({field: ""} if field else {}) | ({"content": []} if item["type"] == "message" else {})
    yield {"type": "response.output_item.added", "output_index": index, "item": empty | {"status": "in_progress"}}
    if item["type"] == "message":
        for place, part in enumerate(item["content"]):
            kind = "refusal" if part["type"] == "refusal" else "text"
            name = "refusal" if kind == "refusal" else "output_text"
            yield from _pieces(f"response.{name}", kind, part[kind], where | {"content_index": place}, step)
    elif stem:
        yield from _pieces(f"response.{stem}", field, item[field], where, step)
    elif item["type"] == "compaction":
        yield {"type": "response.compaction.compacting"} | where
    yield {"type": "response.output_item.done", "output_index": index, "item": item}


def _pieces(stem: str, field: str, text: str, where: dict[str, Any], step: int) -> Iterator[dict[str, Any]]:
    for start in range(0, len(text), step):
        yield {"type": f"{stem}.delta", "delta": text[start : start + step], "obfuscation": "x" * 9} | where
    yield {"type": f"{stem}.done", field: text} | where


def read_reply(
    body: bytes | Iterable[bytes], *, status: int = 200, headers: Headers = (("Content-Type", "text/event-stream"),)
) -> Reply:
    """What the dialect reads in a response body, whole or in pieces."""
    reader = RESPONSES.open_reply(status, headers)
    for piece in [body] if isinstance(body, bytes) else body:
        reader.feed(piece)
    return reader.close()


def read_events(*events: dict[str, Any]) -> Reply:
    """What the dialect reads in a stream of these events."""
    return read_reply(as_bytes(events))


def read_document(document: object, *, status: int = 200) -> Reply:
    """What the dialect reads in an answer that is not streamed."""
    return read_reply(orjson.dumps(document), status=status, headers=(("Content-Type", "application/json"),))


def read_request(*items: object, endpoint: Endpoint = RESPONSES, **fields: object) -> Request:
    """A request with these items that is known to be readable; `input=…` replaces them."""
    document = {"model": MODEL, "input": list(items)} | fields
    request = endpoint.read_request(orjson.dumps(document), ())
    assert isinstance(request, Request), request
    return request
