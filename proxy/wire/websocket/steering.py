"""Input that a client adds while a response runs (`response.steer`), and the call that takes it up.

The server queues such input and brings it into the response that follows: into one that it starts by itself with the
settings of the steered one, or into the client's next `response.create` with that parent, before its own input. So a
steer is no call; its input stands in the request of the call that took it up. What the server gives back
(`response.steer.failed`) was never taken up.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import orjson

from proxy.wire.json_values import BadJsonError, require_shallow
from proxy.wire.websocket.events import STEER, Event, read_event

STEERED_LIMIT = 8
"""Steered responses of one socket that are remembered until somebody takes their input up; the oldest leaves first."""

_INPUT = "input"


@dataclass(slots=True)
class _Steered:
    settings: dict[str, Any]
    """Of the steered call: its request without its input."""
    inputs: list[Any] = field(default_factory=list)
    """As sent, in the order sent."""


class Steering:
    """Input on its way from a steered response to the one that follows."""

    def __init__(self) -> None:
        self._by_parent: dict[str, _Steered] = {}

    def queue(self, event: Event, request: bytes) -> None:
        """A client steers the response `event.parent`, which answers that request."""
        settings = {name: value for name, value in read_event(request).body.items() if name != _INPUT}
        if not (_can_be_written(event.body) and _can_be_written(settings)):
            return
        steered = self._by_parent.get(event.parent)
        if steered is None:
            steered = self._by_parent[event.parent] = _Steered(settings)
            if len(self._by_parent) > STEERED_LIMIT:
                del self._by_parent[next(iter(self._by_parent))]
        steered.inputs.append(event.body.get(_INPUT))

    def give_back(self, event: Event) -> None:
        """The server could not take it up."""
        steer = event.body.get("steer")
        if not isinstance(steer, dict):
            return
        steered = self._by_parent.get(str(steer.get("previous_response_id")))
        if steered is not None and steer.get(_INPUT) in steered.inputs:
            steered.inputs.remove(steer.get(_INPUT))

    def join(self, event: Event, text: bytes) -> bytes:
        """The request as the model sees it: what was queued for its parent stands before its own input."""
        steered = self._by_parent.pop(event.parent, None)
        if steered is None or not steered.inputs or not _can_be_written(event.body):
            return text
        return _request(event.body, event.parent, [*steered.inputs, event.body.get(_INPUT)])

    def successor(self, event: Event) -> bytes | None:
        """The request of a response that the server began by itself; None when nothing was queued for its parent."""
        steered = self._by_parent.pop(event.parent, None)
        if steered is None or not steered.inputs:
            return None
        return _request({**steered.settings, "type": STEER}, event.parent, steered.inputs)


def _can_be_written(value: object) -> bool:
    try:
        require_shallow(value)
    except BadJsonError:
        return False
    return True


def _request(settings: dict[str, Any], parent: str, inputs: list[Any]) -> bytes:
    return orjson.dumps(
        {**settings, "previous_response_id": parent, _INPUT: [item for one in inputs for item in _items(one)]}
    )


def _items(given: object) -> list[Any]:
    """Input is a list of items, or the text of one message of the user."""
    if isinstance(given, str):
        return [{"type": "message", "role": "user", "content": given}]
    return given if isinstance(given, list) else []
