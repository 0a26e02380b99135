"""Builders for Gemini documents, the streams that carry them, and what the dialect reads in both."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import orjson

from proxy.model.exchange import Headers
from proxy.model.messages import Reply, Request
from proxy.wire.endpoint import Endpoint, dialect_for

MODEL = "gemini-2.5-pro"
GEMINI: Endpoint = dialect_for("POST", f"/v1beta/models/{MODEL}:streamGenerateContent?alt=sse")


def a_usage(prompt: int = 10, candidates: int = 5, *, cached: int = 0, thoughts: int = 0, **fields: object) -> Any:
    """A usageMetadata object."""
    return {
        "promptTokenCount": prompt,
        "candidatesTokenCount": candidates,
        "totalTokenCount": prompt + candidates + thoughts,
        "cachedContentTokenCount": cached,
        "thoughtsTokenCount": thoughts,
    } | fields


def a_call(name: str = "read", call: str = "", **arguments: object) -> dict[str, Any]:
    """A part that calls a tool."""
    return {"functionCall": ({"id": call} if call else {}) | {"name": name, "args": arguments}}


def a_result(output: object, name: str = "read", call: str = "") -> dict[str, Any]:
    """A part that answers a call."""
    return {"functionResponse": ({"id": call} if call else {}) | {"name": name, "response": {"output": output}}}


def user(*parts: object) -> dict[str, Any]:
    """A content of the user's; a text stands for its part."""
    return {"role": "user", "parts": [{"text": part} if isinstance(part, str) else part for part in parts]}


def model(*parts: object) -> dict[str, Any]:
    """A content of the model's."""
    return user(*parts) | {"role": "model"}


def a_response(*parts: object, usage: Any = None, finish: str | None = "STOP", **fields: object) -> dict[str, Any]:
    """A response object."""
    candidate: dict[str, Any] = {"content": model(*parts), "index": 0}
    return {
        "candidates": [candidate | ({"finishReason": finish} if finish else {})],
        "usageMetadata": usage or a_usage(),
        "modelVersion": MODEL,
        "responseId": "resp_1",
    } | fields


def stream_of(response: dict[str, Any], *, step: int = 7) -> Iterator[dict[str, Any]]:
    """Objects of the stream that carries the same response; usage grows, texts come `step` characters at a time."""
    [candidate] = response["candidates"]
    early = {"promptTokenCount": response["usageMetadata"]["promptTokenCount"], "totalTokenCount": 1}
    for part in candidate["content"]["parts"]:
        text = part.get("text", "")
        for start in range(0, len(text), step):
            yield response | _carrying(part | {"text": text[start : start + step]}) | {"usageMetadata": early}
        if not text:
            yield response | _carrying(part) | {"usageMetadata": early}
    yield response | {"candidates": [candidate | {"content": model("")}]}


def _carrying(part: dict[str, Any]) -> dict[str, Any]:
    return {"candidates": [{"content": model(part), "index": 0}]}


def as_sse(responses: Iterable[dict[str, Any]]) -> bytes:
    """A body with `alt=sse`."""
    return b"".join(b"data: %s\r\n\r\n" % orjson.dumps(response) for response in responses)


def as_array(responses: Iterable[dict[str, Any]]) -> bytes:
    """A streamed body without `alt=sse`."""
    return b"[" + b",\r\n".join(map(orjson.dumps, responses)) + b"]"


def read_body(
    body: bytes | Iterable[bytes], *, status: int = 200, headers: Headers = (), request: Request | None = None
) -> Reply:
    """What the Gemini dialect reads in a response body, whole or in pieces."""
    reader = GEMINI.open_reply(status, headers, request)
    for piece in [body] if isinstance(body, bytes) else body:
        reader.feed(piece)
    return reader.close()


def read_document(document: object, *, status: int = 200, request: Request | None = None) -> Reply:
    """What the Gemini dialect reads in a JSON document."""
    return read_body(orjson.dumps(document), status=status, request=request)


def read_request(document: object, former: Request | None = None, *, endpoint: Endpoint = GEMINI) -> Request:
    """A Gemini request that is known to be readable."""
    request = endpoint.read_request(orjson.dumps(document), (), former)
    assert isinstance(request, Request), request
    return request
