"""Model calls that run on a WebSocket, and the form in which each becomes an exchange of its own.

A call is given out as if it had been a POST whose answer was streamed: the text of its `response.create` is the
request's body, each message of the server one server-sent event. So one dialect reads both.
"""

from __future__ import annotations

import re
from collections import deque
from dataclasses import dataclass, field, replace

from proxy.model.exchange import Exchange, Headers, Outcome
from proxy.wire.openai_responses.dialect import WEBSOCKET

HELD_LIMIT = 128 << 20
"""Bytes of requests and answers that the calls of one socket may hold together while they run."""
OPEN_LIMIT = 1024
"""Calls of one socket that run at the same time."""
SOME_BYTES = 1
"""Stands for a loss whose size nobody knows: frames that were not recorded, or cannot be read."""

_STREAM: Headers = (("content-type", "text/event-stream"),)
_END_OF_LINE = re.compile(rb"\r\n|\r|\n")


@dataclass(slots=True, eq=False)
class Call:
    """One model call that has not ended. Times are microseconds since the socket's request head."""

    part: int
    lane: str
    opened_us: int
    request: bytes
    request_lost: int = 0
    asked: bool = True
    """A `response.create` of its own was read; without one nobody knows when the call began."""
    response_id: str = ""
    """Set once the server has begun to answer."""
    events: list[bytes] = field(default_factory=list)
    response_lost: int = 0
    first_us: int | None = None

    @property
    def held(self) -> int:
        """Bytes that it holds."""
        return len(self.request) + sum(map(len, self.events))

    def end(self, socket: Exchange, outcome: Outcome, ended_us: int | None) -> Exchange:
        """The call as an exchange of its own."""
        answered = self.first_us is not None
        return replace(
            socket,
            id=socket.id._replace(part=self.part),
            opened_us=socket.opened_us + self.opened_us,
            method=WEBSOCKET,
            request_body=self.request,
            request_complete=not self.request_lost,
            request_lost=self.request_lost,
            status=200 if answered else None,
            response_headers=_STREAM if answered else (),
            response_body=b"".join(self.events),
            response_complete=outcome is Outcome.COMPLETE,
            response_lost=self.response_lost,
            first_byte_us=self._since_opened(self.first_us),
            duration_us=self._since_opened(ended_us),
            outcome=outcome,
        )

    def _since_opened(self, at_us: int | None) -> int | None:
        return max(0, at_us - self.opened_us) if self.asked and at_us is not None else None


class OpenCalls:
    """Calls that run, by lane; those of one lane are answered first in, first out. Bounded in number and bytes."""

    def __init__(self, *, held_limit: int = HELD_LIMIT, open_limit: int = OPEN_LIMIT) -> None:
        self._lanes: dict[str, deque[Call]] = {}
        self._parts = 0
        self._open = 0
        self._open_limit = open_limit
        self._room = held_limit

    def begin(self, lane: str, opened_us: int, request: bytes) -> Call | None:
        """The client asked for the next call; None when too many run."""
        call = self._number(lane, opened_us, request)
        if call is not None:
            self._lanes.setdefault(lane, deque()).append(call)
        return call

    def begin_unasked(self, lane: str, opened_us: int, request: bytes | None = None) -> Call | None:
        """The server answers what was not seen asked, ahead of what is due; without `request` nobody knows what."""
        call = self._number(lane, opened_us, request or b"")
        if call is not None:
            call.asked = False
            call.request_lost += SOME_BYTES if request is None else 0
            self._lanes.setdefault(lane, deque()).appendleft(call)
        return call

    def running(self, lane: str) -> Call | None:
        """The call whose answer is due on that lane; an event that names none is about the only lane there is."""
        if not lane and len(self._lanes) == 1:
            (lane,) = self._lanes
        return self._lanes[lane][0] if lane in self._lanes else None

    def answering(self, response_id: str) -> Call | None:
        """The call whose answer has that id, and has not ended."""
        heads = (calls[0] for calls in self._lanes.values())
        return next((call for call in heads if response_id and call.response_id == response_id), None)

    def add(self, call: Call, text: bytes, began_us: int) -> None:
        """Keep a message of the server as part of a call's answer."""
        if call.first_us is None:
            call.first_us = began_us
        event = b"data: " + _END_OF_LINE.sub(b"\ndata: ", text) + b"\n\n"
        if self._take_room(event):
            call.events.append(event)
        else:
            call.response_lost += len(event)

    def remove(self, call: Call) -> Call:
        """A running call has ended."""
        calls = self._lanes[call.lane]
        calls.remove(call)
        if not calls:
            del self._lanes[call.lane]
        self._open -= 1
        self._room += call.held
        return call

    def remove_all(self) -> list[Call]:
        """Every call has ended, in the order asked."""
        calls = [call for lane in self._lanes.values() for call in lane]
        return [self.remove(call) for call in sorted(calls, key=lambda call: call.part)]

    def _number(self, lane: str, opened_us: int, request: bytes) -> Call | None:
        if self._open == self._open_limit:
            return None
        self._parts += 1
        self._open += 1
        has_room = self._take_room(request)
        return Call(self._parts, lane, opened_us, request if has_room else b"", 0 if has_room else len(request))

    def _take_room(self, kept: bytes) -> bool:
        if len(kept) > self._room:
            return False
        self._room -= len(kept)
        return True
