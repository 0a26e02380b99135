"""Builders for the wire tests: Messages documents, the streams that carry them, and bodies cut at any place."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any

import brotli
import orjson
import zstandard

from proxy.model.exchange import Headers
from proxy.model.messages import Reply, Request
from proxy.wire.endpoint import Endpoint, dialect_for

MESSAGES: Endpoint = dialect_for("POST", "/v1/messages")
MODEL = "claude-opus-5-5"

ENCODERS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "x-gzip": gzip.compress,
    "deflate": zlib.compress,
    "br": brotli.compress,
    "zstd": zstandard.compress,
}


def encoded(body: bytes, *encodings: str) -> tuple[bytes, Headers]:
    """The body after these content encodings in order, and the header that says so."""
    for name in encodings:
        body = ENCODERS[name](body)
    return body, (("Content-Encoding", ", ".join(encodings)),)


def raw_deflate(body: bytes) -> bytes:
    """`deflate` without its zlib frame, as some servers send it."""
    stream = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return stream.compress(body) + stream.flush()


def pieces_of(body: bytes, cuts: Iterable[int]) -> Iterator[bytes]:
    """The body cut at these places; places beyond its end cut nothing."""
    places = [0, *sorted({min(cut, len(body)) for cut in cuts}), len(body)]
    return (body[start:end] for start, end in pairwise(places))


def read_reply(
    body: bytes | Iterable[bytes], *, status: int = 200, headers: Headers = (("Content-Type", "text/event-stream"),)
) -> Reply:
    """What the Messages dialect reads in a response body, whole or in pieces."""
    reader = MESSAGES.open_reply(status, headers)
    for piece in [body] if isinstance(body, bytes) else body:
        reader.feed(piece)
    return reader.close()


def read_document(document: object, *, status: int = 200) -> Reply:
    """What the Messages dialect reads in an answer that is not streamed."""
    return read_reply(orjson.dumps(document), status=status, headers=(("Content-Type", "application/json"),))


def read_request(document: object, headers: Headers = ()) -> Request:
    """A Messages request that is known to be readable."""
    request = MESSAGES.read_request(orjson.dumps(document), headers)
    assert isinstance(request, Request), request
    return request


def a_message(*content: dict[str, Any], usage: dict[str, Any] | None = None, **fields: object) -> dict[str, Any]:
    """A Messages response document."""
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": MODEL,
        "content": list(content),
        "stop_reason": "end_turn",
        "stop_sequence": None,
        "usage": usage or a_usage(),
    } | fields


def a_usage(uncached: int = 10, output: int = 5, **fields: object) -> dict[str, Any]:
    """A usage object."""
    return {"input_tokens": uncached, "output_tokens": output} | fields


def an_iteration(kind: str, uncached: int = 10, output: int = 5, **fields: object) -> dict[str, Any]:
    """An entry of `usage.iterations`."""
    cache = {"cache_read_input_tokens": 0, "cache_creation_input_tokens": 0, "cache_creation": None}
    return {"type": kind} | a_usage(uncached, output, **cache) | fields


def text(said: str) -> dict[str, Any]:
    """A text block."""
    return {"type": "text", "text": said}


def a_call(name: str = "Read", call: str = "toolu_1", **arguments: object) -> dict[str, Any]:
    """A tool_use block."""
    return {"type": "tool_use", "id": call, "name": name, "input": arguments}


def frame(event: dict[str, Any]) -> bytes:
    """One SSE frame as the provider writes it."""
    return b"event: %s\ndata: %s\n\n" % (event["type"].encode(), orjson.dumps(event))


def stream_of(document: dict[str, Any], *, step: int = 7) -> list[dict[str, Any]]:
    """Events of the stream that carries the same message; texts come `step` characters at a time.

    Usage comes as the API sends it: lifetimes, tier and speed at the start, counts and iterations at the end.
    """
    usage = document["usage"]
    early = {key: value for key, value in usage.items() if key not in {"iterations", "server_tool_use"}}
    start = document | {"content": [], "stop_reason": None, "usage": early | {"output_tokens": 1}}
    start.pop("context_management", None)
    late = {key: value for key, value in usage.items() if key not in {"cache_creation", "service_tier", "speed"}}
    delta: dict[str, Any] = {
        "type": "message_delta",
        "delta": {"stop_reason": document["stop_reason"], "stop_sequence": document["stop_sequence"]},
        "usage": late,
    }
    if "context_management" in document:
        delta["context_management"] = document["context_management"]
    blocks = [event for index, block in enumerate(document["content"]) for event in _block_events(index, block, step)]
    return [
        {"type": "message_start", "message": start},
        {"type": "ping"},
        *blocks,
        delta,
        {"type": "message_stop"},
    ]


def _block_events(index: int, block: dict[str, Any], step: int) -> Iterator[dict[str, Any]]:
    empty = dict(block)
    deltas: list[dict[str, Any]] = []
    match block["type"]:
        case "text" | "thinking" as kind:
            empty[kind] = ""
            deltas = [{"type": f"{kind}_delta", kind: part} for part in _parts(block[kind], step)]
            if "signature" in block:
                empty["signature"] = ""
                deltas.append({"type": "signature_delta", "signature": block["signature"]})
        case "tool_use" | "server_tool_use":
            empty["input"] = {}
            arguments = orjson.dumps(block["input"]).decode() if block["input"] else ""
            deltas = [{"type": "input_json_delta", "partial_json": part} for part in _parts(arguments, step)]
        case "compaction":
            empty |= dict.fromkeys(("content", "encrypted_content"))
            deltas = [{"type": "compaction_delta"} | {key: block[key] for key in ("content", "encrypted_content")}]
    yield {"type": "content_block_start", "index": index, "content_block": empty}
    for delta in deltas:
        yield {"type": "content_block_delta", "index": index, "delta": delta}
    yield {"type": "content_block_stop", "index": index}


def _parts(said: str, step: int) -> Sequence[str]:
    return [said[start : start + step] for start in range(0, len(said), step)] or [""]


def as_bytes(events: Iterable[dict[str, Any]]) -> bytes:
    """A whole stream body."""
    return b"".join(frame(event) for event in events)
