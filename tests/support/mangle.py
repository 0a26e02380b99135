"""Real-shaped exchanges with wrong values anywhere, as hypothesis draws them."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import orjson
from hypothesis import strategies as st

from proxy.model.exchange import Exchange, Outcome

WRONG: tuple[Any, ...] = (
    None, 0, -1, 1.5, True, "", "\x00", "x" * 300, [], {}, [[]], [{}], [None], 10**30, 1e308, float("nan"), "\ud800",
    {"type": []}, {"type": "text"}, {"type": "text", "text": 5}, {"type": "tool_use"}, {"type": "tool_result"},
    {"type": "tool_use", "id": "c1", "name": "Read", "input": "half an obj"},
    {"type": "tool_use", "id": "c1", "name": "Bash", "input": {"command": ["ls", 5, None]}},
    {"type": "tool_result", "tool_use_id": "c1", "content": [{"type": ["text"]}, 7, {"type": "search_result"}]},
    {"type": "tool_result", "tool_use_id": "c1", "content": 12}, {"type": "tool_result", "tool_use_id": ["c1"]},
    {"type": "compaction", "content": "words that were said\nand more of them"},
    {"type": "compaction", "encrypted_content": "z"}, {"type": "compaction", "content": 5},
    {"role": "tool", "content": "what"}, {"role": None, "content": None},
    {"edits": [{"exclude_tools": [["Read"], {}]}]},
    {"applied_edits": [{"cleared_tool_uses": 2}, {"cleared_tool_uses": -3}, 5]},
)  # fmt: skip
NAMES = ("type", "id", "content", "text", "input", "tool_use_id", "role", "context_management", "thread", "metadata")
HEADERS = (
    ("x-claude-code-agent-id", "\udc80\x00é.2"),
    ("x-claude-code-context-compacted", "auto"),
    ("x-claude-code-compaction", "\u2028"),
    ("anthropic-beta", ",,context-1m-\udcff, ,"),
    ("user-agent", ""),
    ("content-encoding", "gzip"),
    ("x-claude-code-session-id", "s" * 100_000),
)


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where something can be changed."""
    members: Any = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, member in members:
        yield (*path, name)
        yield from places(member, (*path, name))


def mangle(draw: st.DrawFn, document: Any) -> Any:
    """The document with a few wrong values."""
    document = copy.deepcopy(document)
    for _ in range(draw(st.integers(1, 4))):
        found = list(places(document))
        if not found:
            return document
        *way, last = draw(st.sampled_from(found))
        at = document
        for name in way:
            at = at[name]
        change = draw(st.sampled_from(["set", "set", "set", "drop", "twice", "add"]))
        wrong = copy.deepcopy(draw(st.sampled_from(WRONG)))
        if change == "drop":
            del at[last]
        elif change == "twice" and isinstance(at, list):
            at.insert(last, copy.deepcopy(at[last]))
        elif change == "add" and isinstance(at, dict):
            at[draw(st.sampled_from(NAMES))] = wrong
        else:
            at[last] = wrong
    return document


def events(document: Any) -> list[Any]:
    """A reply as the events of its stream."""
    found: list[Any] = [{"type": "message_start", "message": {**document, "content": [], "stop_reason": None}}]
    for index, block in enumerate(document["content"]):
        is_call = block["type"] == "tool_use"
        delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])} if is_call else {
            "type": "text_delta", "text": block.get("text", "")}  # fmt: skip
        empty = {"input": {}} if is_call else {"text": "", "citations": 5}
        found.append({"type": "content_block_start", "index": index, "content_block": {**block, **empty}})
        found.append({"type": "content_block_delta", "index": index, "delta": delta})
        found.append({"type": "content_block_delta", "index": index, "delta": {"type": "citations_delta"}})
        found.append({"type": "content_block_stop", "index": index})
    found.append({"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": document.get("usage")})
    return [*found, {"type": "message_stop"}]


def as_stream(frames: list[Any]) -> bytes:
    """Server-sent events."""
    return b"".join(b"data: " + json.dumps(frame).encode() + b"\n\n" for frame in frames)


def cut(draw: st.DrawFn, body: bytes) -> bytes:
    """Bytes changed anywhere: bad UTF-8, garbage, an early end."""
    at = draw(st.integers(0, len(body)))
    return body[:at] + draw(st.binary(max_size=6)) + body[at + draw(st.integers(0, 5)) :]


@st.composite
def mangled(draw: st.DrawFn, exchange: Exchange) -> Exchange:
    """The exchange with something wrong in it, or as it was."""
    what = draw(st.sampled_from(["request", "reply", "stream", "bytes", "head", "nothing"]))
    asked, said = exchange.request_body, exchange.response_body
    match what:
        case "request":
            return replace(exchange, request_body=json.dumps(mangle(draw, orjson.loads(asked))).encode())
        case "reply":
            return replace(exchange, response_body=json.dumps(mangle(draw, orjson.loads(said))).encode())
        case "stream":
            document = orjson.loads(said)
            frames = events(document) if "content" in document else [document]
            return replace(exchange, response_body=as_stream(mangle(draw, frames)))
        case "bytes":
            return replace(exchange, request_body=cut(draw, asked), response_body=cut(draw, said))
        case "head":
            return replace(
                exchange,
                status=draw(st.sampled_from([None, 0, 204, 99_999])),
                opened_us=draw(st.sampled_from([0, -1, exchange.opened_us - 10**9])),
                duration_us=draw(st.sampled_from([None, 0, 2**62])),
                outcome=draw(st.sampled_from(list(Outcome))),
                request_headers=(*exchange.request_headers[:-1], *draw(st.lists(st.sampled_from(HEADERS), max_size=3))),
            )
    return exchange
