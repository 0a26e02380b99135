"""One request and its response on their way through the door: recorded and counted as the relay does.

What mitmproxy hands out is payload: the bytes of framing, and the time the door itself takes, are not measured here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from proxy.journal.limits import Clock
from proxy.journal.payloads import OpenHead
from proxy.journal.writer import JournalWriter
from proxy.model.exchange import Headers, Outcome
from proxy.relay.counters import RelayCounters
from proxy.relay.refusals import Kind

DOOR = "intercept"
UNSEEN = frozenset({Kind.BAD_FRAMING, Kind.HEAD_TOO_LARGE, Kind.UPSTREAM_FRAMING, Kind.CONNECT_TIMEOUT})
"""Counted nowhere, as only some would be: mitmproxy answers what it cannot parse without asking an addon, and gives
connecting no time of its own."""
_NS = 1e9


@dataclass(frozen=True, slots=True)
class Desk:
    """What all exchanges share."""

    journal: JournalWriter
    counters: RelayCounters
    clock: Clock

    def own_error(self, kind: Kind) -> None:
        """Somebody was answered in our name, or cut off by us."""
        if kind not in UNSEEN:
            self.counters.own_error(kind)


class Request(NamedTuple):
    """A request head, secrets redacted."""

    upstream: str
    tag: str
    method: str
    target: str
    headers: Headers


class Exchange:
    """Begins with a complete request head and ends exactly once."""

    def __init__(self, desk: Desk, request: Request) -> None:
        self._desk = desk
        self._counters = desk.counters
        self._slots = desk.counters.upstreams[request.upstream]
        self._opened_ns = desk.clock.monotonic_ns()
        self._first_ns = 0
        self._left: int | None = None
        self.upstream = request.upstream
        self.answered = False
        self.spliced = False
        """A WebSocket was agreed upon: bytes pass both ways."""
        self.ended = False
        self._counters.add(self._counters.in_flight, 1)
        self._counters.add(self._slots.requests, 1)
        self._recorder = desk.journal.begin(
            OpenHead(
                wall_us=desk.clock.time_ns() // 1000,
                mono_ns=self._opened_ns,
                upstream=request.upstream,
                door=DOOR,
                tag=request.tag,
                method=request.method,
                target=request.target,
                headers=request.headers,
            )
        )

    def request_piece(self, data: bytes) -> bytes:
        """A piece of the request's body, which passes as it is; nothing at its end."""
        if data and not self.ended:
            self._recorder.request_piece(data, self._desk.clock.monotonic_ns())
        return data

    def request_done(self) -> None:
        """The request is complete."""
        if not self.ended:
            self._recorder.request_done()

    def response_head(self, status: int, headers: Headers, *, length: int | None) -> None:
        """The final response head; `length` of the body when the head tells it."""
        self.answered = True
        self._left = length
        self._first_ns = now = self._desk.clock.monotonic_ns()
        self._recorder.response_head(status, headers, now)
        hundreds = status // 100
        self._counters.add(self._slots.responses[hundreds if hundreds < len(self._slots.responses) else 0], 1)

    def response_piece(self, data: bytes) -> bytes:
        """A piece of the response's body, which passes as it is.

        The journal has the last one before the client: what has ended at a client is complete whatever dies then.
        """
        if not data or self.ended:
            return data
        self._recorder.response_piece(data, self._desk.clock.monotonic_ns())
        if self._left is not None:
            self._left -= len(data)
        if self._left == 0:
            self.finish(Outcome.COMPLETE)
        else:
            self._recorder.leave_trace()
        return data

    def splice(self) -> None:
        """Both sides have agreed on a WebSocket."""
        self.spliced = True
        self._recorder.leave_trace()

    def spliced_piece(self, data: bytes, *, from_client: bool) -> None:
        """Bytes of one direction behind an accepted upgrade."""
        if self.ended:
            return
        record = self._recorder.request_piece if from_client else self._recorder.response_piece
        record(data, self._desk.clock.monotonic_ns())

    def finish(self, outcome: Outcome) -> None:
        """End it; when this returns the journal has everything."""
        if self.ended:
            return
        self.ended = True
        now = self._desk.clock.monotonic_ns()
        self._recorder.close(outcome, now, response_complete=outcome is Outcome.COMPLETE)
        counters = self._counters
        counters.add(counters.in_flight, -1)
        if outcome is not Outcome.COMPLETE:
            counters.ended(self._slots, outcome)
        counters.observe(self._slots.exchange, (now - self._opened_ns) / _NS)
        if self._first_ns:
            counters.observe(self._slots.first_byte, (self._first_ns - self._opened_ns) / _NS)
