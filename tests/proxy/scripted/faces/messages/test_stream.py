from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from proxy.scripted.faces.messages.stream import error_frame, frames
from proxy.scripted.settings import Chunking

USAGE = {"input_tokens": 3, "output_tokens": 9, "cache_creation": {}, "service_tier": "standard", "iterations": []}
BLOCKS: list[dict[str, Any]] = [
    {"type": "thinking", "thinking": "so", "signature": "sig"},
    {"type": "text", "text": "héllo 😀"},
    {"type": "tool_use", "id": "toolu_1", "name": "Read", "input": {"file_path": "/a", "limit": 3}},
    {"type": "tool_use", "id": "toolu_2", "name": "List", "input": {}},
    {"type": "compaction", "content": "summary"},
    {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}},
]
WHOLE = {"id": "msg_1", "role": "assistant", "content": BLOCKS, "stop_reason": "tool_use", "usage": USAGE}


def events_of(raw: bytes) -> list[dict[str, Any]]:
    found = []
    for part in raw.decode().split("\n\n")[:-1]:
        name, data = part.split("\n")
        event = json.loads(data.removeprefix("data: "))
        assert name == f"event: {event['type']}"
        found.append(event)
    return found


def rebuilt(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Blocks put together again as an SDK does."""
    blocks: list[dict[str, Any]] = []
    pieces_of_json = ""
    for event in events:
        if event["type"] == "content_block_start":
            blocks.append(dict(event["content_block"]))
            pieces_of_json = ""
        elif event["type"] == "content_block_delta":
            delta = dict(event["delta"])
            kind = delta.pop("type")
            if kind == "input_json_delta":
                pieces_of_json += delta["partial_json"]
                blocks[-1]["input"] = json.loads(pieces_of_json) if pieces_of_json.endswith("}") else {}
            elif kind in {"compaction_delta", "signature_delta"}:
                blocks[-1] |= delta
            else:
                ((name, text),) = delta.items()
                blocks[-1][name] += text
    return blocks


@given(st.integers(1, 50))
def test_events_build_the_message_up_whatever_the_delta_size(size: int) -> None:
    events = events_of(b"".join(frames(WHOLE, Chunking(delta_chars=size))))
    assert rebuilt(events) == BLOCKS
    assert [events[0]["type"], events[-2]["type"], events[-1]["type"]] == [
        "message_start",
        "message_delta",
        "message_stop",
    ]


def test_the_closing_usage_is_cumulative_and_holds_the_iterations() -> None:
    events = events_of(b"".join(frames(WHOLE, Chunking())))
    start, closing = events[0]["message"]["usage"], events[-2]["usage"]
    assert (start["output_tokens"], closing["output_tokens"]) == (1, 9)
    assert "cache_creation" in start
    assert "cache_creation" not in closing
    assert "iterations" in closing
    assert "iterations" not in start


def test_without_usage_no_event_names_it() -> None:
    events = events_of(b"".join(frames({**WHOLE, "usage": None}, Chunking(pings=False))))
    assert not any(event.get("usage") for event in events)
    assert all(event["type"] != "ping" for event in events)


def test_edits_come_with_the_closing_delta() -> None:
    events = events_of(b"".join(frames({**WHOLE, "context_management": {"applied_edits": [1]}}, Chunking())))
    assert events[-2]["context_management"] == {"applied_edits": [1]}
    assert "context_management" not in events[0]["message"]


def test_an_error_frame_is_an_event() -> None:
    assert events_of(error_frame("overloaded_error", "t"))[0]["error"]["type"] == "overloaded_error"
