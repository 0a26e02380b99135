"""One request and its response: how far they got, what is recorded and counted of them."""

from __future__ import annotations

from proxy.framing.framer import Data
from proxy.framing.head import RequestHead, ResponseHead
from proxy.journal.payloads import OpenHead
from proxy.model.exchange import Outcome
from proxy.relay.addressing import Route
from proxy.relay.redaction import redact_target, redacted_headers
from proxy.relay.switchboard import Switchboard

_NS = 1e9
_COMPLETE = Outcome.COMPLETE


class Exchange:
    """Begins with a complete request head and ends exactly once."""

    __slots__ = (
        "_board",
        "_first_ns",
        "_held_ns",
        "_opened_ns",
        "_recorder",
        "_request_bytes",
        "_response_bytes",
        "_slots",
        "answered",
        "closes",
        "ended",
        "method",
        "request_done",
        "spliced",
        "traced",
        "until_close",
        "websocket",
    )

    def __init__(self, board: Switchboard, head: RequestHead, route: Route | None, now_ns: int) -> None:
        upstream = route.address.upstream.name if route else ""
        self._board = board
        self._opened_ns = now_ns
        self._first_ns = 0
        self._held_ns = 0
        self._request_bytes = len(head.raw)
        self._response_bytes = 0
        self.method = head.method
        self.websocket = head.websocket
        self.closes = not head.keep_alive or head.minor == 0
        """The client's connection ends with this exchange."""
        self.request_done = head.last
        self.answered = False
        """A final response head went to the client."""
        self.spliced = False
        self.traced = False
        """It is in the kernel, at least as begun."""
        self.until_close = False
        """The client can tell a cut from an end only by how the connection ends."""
        self.ended = False
        counters = board.counters
        counters.add(counters.in_flight, 1)
        self._slots = counters.upstreams[upstream] if route else None
        if self._slots:
            counters.add(self._slots.requests, 1)
        self._recorder = board.journal.begin(
            OpenHead(
                wall_us=board.clock.time_ns() // 1000,
                mono_ns=now_ns,
                upstream=upstream,
                door="base_url",
                tag=route.tag if route else "",
                method=head.method.decode("ascii"),
                target=route.address.shown if route else redact_target(head.target),
                headers=redacted_headers(head.lines),
            )
        )
        if head.last:
            self._recorder.request_done()

    def request_data(self, data: Data, now_ns: int) -> None:
        """Bytes of the request's body."""
        self._request_bytes += len(data.raw)
        if data.payload:
            self._recorder.request_piece(data.payload, now_ns)
        if data.last:
            self.request_done = True
            self._recorder.request_done()

    def request_sent(self, now_ns: int) -> None:
        """The request head was written at once; told so that our own share of the time is known."""
        self._held_ns += now_ns - self._opened_ns

    def interim_head(self, head: ResponseHead) -> None:
        """A 1xx: passed on, not recorded."""
        self._response_bytes += len(head.raw)

    def response_head(self, head: ResponseHead, now_ns: int) -> None:
        """The final response head."""
        self.answered = True
        self._first_ns = now_ns
        self._response_bytes += len(head.raw)
        self._recorder.response_head(head.status, redacted_headers(head.lines), now_ns)
        if self._slots:
            hundreds = head.status // 100
            self._board.counters.add(self._slots.responses[hundreds if hundreds < 6 else 0], 1)

    def splice(self, head: ResponseHead, now_ns: int) -> None:
        """The upstream accepted the upgrade: bytes follow, and the connection ends with them."""
        self.response_head(head, now_ns)
        self.spliced = self.closes = self.until_close = True

    def response_data(self, data: Data, now_ns: int) -> None:
        """Bytes of the response's body."""
        raw, payload, _ = data
        self._response_bytes += len(raw)
        if payload:
            self._recorder.response_piece(payload, now_ns)

    def leave_trace(self) -> None:
        """Be in the kernel before a part of the response goes to the client."""
        self.traced = True
        self._recorder.leave_trace()

    def splice_data(self, data: bytes, now_ns: int, *, from_client: bool) -> None:
        """Bytes behind an accepted upgrade."""
        if from_client:
            self._request_bytes += len(data)
            self._recorder.request_piece(data, now_ns)
        else:
            self._response_bytes += len(data)
            self._recorder.response_piece(data, now_ns)

    def finish(self, outcome: Outcome, now_ns: int) -> None:
        """End it. When this returns the journal has everything; only then may the last bytes go to the client."""
        if self.ended:
            return
        self.ended = True
        self._recorder.close(outcome, now_ns, response_complete=outcome is _COMPLETE)
        counters = self._board.counters
        add = counters.add
        add(counters.in_flight, -1)
        add(counters.request_bytes, self._request_bytes)
        add(counters.response_bytes, self._response_bytes)
        slots = self._slots
        if slots is None:
            return
        if outcome is not _COMPLETE:
            counters.ended(slots, outcome)
        counters.observe(slots.exchange, (now_ns - self._opened_ns) / _NS)
        if self._first_ns:
            counters.observe(slots.first_byte, (self._first_ns - self._opened_ns) / _NS)

    def written(self, read_ns: int, now_ns: int) -> None:
        """The last byte, read at `read_ns`, was written."""
        counters = self._board.counters
        counters.observe(counters.overhead, (self._held_ns + now_ns - read_ns) / _NS)
