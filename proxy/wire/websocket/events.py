"""What an event of the Responses API says about itself: its type, its lane, whose it is (wire-formats 2.6)."""

from __future__ import annotations

from typing import Any, NamedTuple

from proxy.wire.json_values import INVALID_UTF8, BadJsonError, parse_json, text_of

CREATE = "response.create"
STEER = "response.steer"
STEER_FAILED = "response.steer.failed"
CREATED = "response.created"
ERROR = "error"
TERMINAL = frozenset({"response.completed", "response.incomplete", "response.failed", ERROR})
"""The one event that ends a call; an `error` frame is one, in whatever form."""


class Event(NamedTuple):
    """One message of either side; everything but `body` is empty where the message does not say it."""

    type: str
    lane: str
    """`stream_id`: calls of one lane are answered one after another, in the order asked."""
    response_id: str
    """Of the response that it tells of."""
    parent: str
    """The response that this one, or this request, continues."""
    body: dict[str, Any]


def read_event(text: bytes) -> Event:
    """Read as much as can be read; whoever reads the call tells what cannot."""
    body = _object_of(text)
    response = body.get("response")
    if not isinstance(response, dict):
        response = {}
    return Event(
        type=text_of(body.get("type")),
        lane=text_of(body.get("stream_id")),
        response_id=text_of(response.get("id")),
        parent=text_of(response.get("previous_response_id")) or text_of(body.get("previous_response_id")),
        body=body,
    )


def _object_of(text: bytes) -> dict[str, Any]:
    try:
        value = parse_json(text)
    except BadJsonError as error:
        if error.reason == INVALID_UTF8:
            return _object_of(text.decode("utf-8", "replace").encode())
        return {}
    return value if isinstance(value, dict) else {}
