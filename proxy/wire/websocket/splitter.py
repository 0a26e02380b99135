"""One WebSocket of the Responses API to the model calls on it, while it is open.

Pieces of both directions go in as they were recorded; a call comes out at its terminal event. No I/O.

Rules of this file:
- A call begins with `response.create` and ends with `response.completed`, `.incomplete`, `.failed` or an `error`.
  Calls are numbered in the order asked, per socket; those of one lane are answered in that order.
- A response that begins although the one before it on its lane has not ended shows that its end was missed.
- Once a direction cannot be read any more (a breach of the protocol, the recording's cap) calls are still told apart
  as far as the other direction shows them, and each says that it is not wholly recorded.
- What belongs to no call is counted for the socket itself, by kind, without content.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, fields

from proxy.model.exchange import Exchange, Outcome
from proxy.wire.dialect import EndpointKind
from proxy.wire.endpoint import dialect_for
from proxy.wire.json_values import word_of
from proxy.wire.websocket.calls import SOME_BYTES, Call, OpenCalls
from proxy.wire.websocket.events import CREATE, CREATED, STEER, STEER_FAILED, TERMINAL, Event, read_event
from proxy.wire.websocket.inflate import Inflater
from proxy.wire.websocket.messages import Message, MessageReader
from proxy.wire.websocket.negotiation import Compression, UnreadableError, negotiated
from proxy.wire.websocket.steering import Steering

FAULT_KINDS = 16
"""Kinds of faults told apart; the rest is counted as one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SocketExchange(Exchange):
    """A WebSocket as a whole, at its end. Its bodies are empty: what was said on it stands in its calls."""

    unread: str
    """Why its frames were not read, or not to the end (`websocket extension: x-mux`); empty when they were."""
    faults: tuple[str, ...]
    """What of its frames belongs to no call or could not be read, each kind with its number."""


def open_socket(handshake: Exchange) -> ResponsesSocket | None:
    """Begin to read the frames behind an accepted upgrade; None when no model calls are made on such a socket.

    Args:
        handshake: Part 0 as far as it is known at the 101: its ending is not.
    """
    if dialect_for(handshake.method, handshake.target).kind is not EndpointKind.SOCKET:
        return None
    try:
        return ResponsesSocket(handshake, negotiated(handshake.response_headers))
    except UnreadableError as error:
        return ResponsesSocket(handshake, None, unread=error.reason)


class ResponsesSocket:
    """Both directions of one socket."""

    def __init__(
        self,
        handshake: Exchange,
        compression: Compression | None,
        *,
        unread: str = "",
        calls: OpenCalls | None = None,
    ) -> None:
        """Takes the handshake and what it settled; `unread` says why nothing of what follows can be read."""
        self._handshake = handshake
        self._unread = unread
        of_client = Inflater(takeover=compression.client_takeover) if compression else None
        of_server = Inflater(takeover=compression.server_takeover) if compression else None
        self._client = MessageReader(masked=True, inflater=of_client)
        self._server = MessageReader(masked=False, inflater=of_server)
        self._calls = calls or OpenCalls()
        self._steering = Steering()
        self._faults: Counter[str] = Counter()
        self._client_left = False
        """The client said goodbye first."""

    def feed(self, data: bytes, *, from_client: bool, at_us: int) -> Iterator[Exchange]:
        """Take the next piece, `at_us` after the socket's request head; the calls that it ends."""
        reader = self._client if from_client else self._server
        if self._unread or reader.is_over:
            return
        try:
            yield from self._read(reader, data, at_us)
        except Exception as error:  # noqa: BLE001 - one socket must not keep everything behind the journal from being read
            self._unread = f"internal: {type(error).__name__}"
            self._server.stop(self._unread)
            yield from self._lose_unanswered()

    def stop(self, *, from_client: bool) -> Iterator[Exchange]:
        """Nothing more of that direction was recorded; the calls that cannot be followed therefore."""
        (self._client if from_client else self._server).stop("not recorded")
        yield from self._lose_unanswered()

    def close(self, socket: Exchange) -> Iterator[Exchange]:
        """The socket has ended like that: the calls that were open, then the socket itself."""
        outcome = socket.outcome
        if outcome is Outcome.COMPLETE:  # the socket ended in order; its calls did not
            outcome = Outcome.CLIENT_CLOSED if self._client_left else Outcome.UPSTREAM_CUT
        for call in self._calls.remove_all():
            yield call.end(self._handshake, outcome, socket.duration_us)
        if binary := self._client.binary + self._server.binary:
            self._faults["binary message"] = binary
        known = {each.name: getattr(socket, each.name) for each in fields(Exchange)}
        faults = tuple(f"{text} ({number})" for text, number in self._faults.items())
        yield SocketExchange(**known, unread=self._unread, faults=faults)

    def _read(self, reader: MessageReader, data: bytes, at_us: int) -> Iterator[Exchange]:
        for message in reader.feed(data, at_us):
            if reader is self._client:
                self._asked(message)
            else:
                yield from self._said(message, at_us)
        self._client_left = self._client_left or (self._client.closed and not self._server.closed)
        if reader.fault:
            self._count(f"{'client' if reader is self._client else 'server'}: {reader.fault}")
        yield from self._lose_unanswered()

    def _asked(self, message: Message) -> None:
        """The client said something."""
        event = read_event(message.text)
        if event.type == CREATE:
            request = self._steering.join(event, message.text)
            if not self._calls.begin(event.lane, message.began_us, request):
                self._count("response.create above the limit")
        elif event.type == STEER and (steered := self._calls.answering(event.parent)):
            self._steering.queue(event, steered.request)
        else:
            self._count(f"client event {word_of(event.type)}")

    def _said(self, message: Message, at_us: int) -> Iterator[Exchange]:
        """The server said something; the call that it ends."""
        event = read_event(message.text)
        if event.type == CREATED:
            yield from self._begin_answer(event, message.began_us)
        elif event.type == STEER_FAILED:
            self._steering.give_back(event)
        call = self._calls.running(event.lane)
        if call is None:
            if not event.type.startswith(STEER):  # acknowledgements may come behind the answer
                self._count(f"server event {word_of(event.type)}")
            return
        self._calls.add(call, message.text, message.began_us)
        if event.type in TERMINAL:
            yield self._calls.remove(call).end(self._handshake, Outcome.COMPLETE, at_us)

    def _begin_answer(self, event: Event, at_us: int) -> Iterator[Exchange]:
        """A response begins: of the call whose turn it is, of a steered one's successor, or of one nobody saw asked."""
        call = self._calls.running(event.lane)
        if call is not None and call.response_id not in ("", event.response_id):
            yield self._lost(self._calls.remove(call))
            call = self._calls.running(event.lane)
        request = self._steering.successor(event)
        if request is not None:
            call = self._calls.begin_unasked(event.lane, at_us, request)
        elif call is None and self._client.fault:
            call = self._calls.begin_unasked(event.lane, at_us)
        if call is not None:
            call.response_id = event.response_id

    def _lose_unanswered(self) -> Iterator[Exchange]:
        """Without the server's side no call comes to an end."""
        if self._server.fault:
            for call in self._calls.remove_all():
                yield self._lost(call)

    def _lost(self, call: Call) -> Exchange:
        """A call whose answer is not all there: nobody knows how it ended, or when."""
        call.response_lost += SOME_BYTES
        return call.end(self._handshake, Outcome.CUT, None)

    def _count(self, fault: str) -> None:
        is_new = fault not in self._faults and len(self._faults) >= FAULT_KINDS
        self._faults["others" if is_new else fault] += 1
