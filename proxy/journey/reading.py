"""An exchange's bytes as a request and a reply in canonical form."""

from __future__ import annotations

from typing import NamedTuple

from proxy.model.exchange import Exchange
from proxy.model.facts import ExchangeKind
from proxy.model.messages import Reply, Request
from proxy.wire.dialect import EndpointKind, Unparsed
from proxy.wire.endpoint import dialect_for
from proxy.wire.websocket import SocketExchange

SWITCHING = 101
"""The status of an accepted upgrade."""


class NotACall(NamedTuple):
    """An exchange that is no readable model call, and why."""

    kind: ExchangeKind
    reason: str
    faults: tuple[str, ...] = ()


class Reading(NamedTuple):
    """A model call."""

    request: Request
    reply: Reply

    @property
    def is_answered(self) -> bool:
        """The provider's terminal event arrived, and it is no error."""
        return self.reply.terminal and not self.reply.error

    @property
    def is_turn(self) -> bool:
        """It was answered with what the model sampled."""
        return self.is_answered and not self.request.prewarm

    @property
    def is_prewarm(self) -> bool:
        """It asked for no output and got none: what it billed counts, it is no turn."""
        return self.is_answered and self.request.prewarm


def read(exchange: Exchange, former: Request | None = None) -> Reading | NotACall:
    """Read an exchange; nothing here raises on what the wire brought.

    What stands in the caller's former request is taken from there.
    """
    endpoint = dialect_for(exchange.method, exchange.target)
    match endpoint.kind:
        case EndpointKind.OTHER:
            return NotACall(ExchangeKind.OTHER, "")
        case EndpointKind.OUT_OF_SCOPE:
            return NotACall(ExchangeKind.OUT_OF_SCOPE, "")
        case EndpointKind.SOCKET:
            return _socket(exchange)
        case EndpointKind.UNKNOWN_DIALECT:
            return NotACall(ExchangeKind.UNPARSED, f"dialect: {endpoint.name}")
        case EndpointKind.MODEL_CALL:
            pass
    if exchange.request_lost or exchange.response_lost:
        return NotACall(ExchangeKind.UNPARSED, "not wholly recorded")
    if not exchange.request_complete:  # refused, or somebody left, before it had come whole
        return NotACall(ExchangeKind.ATTEMPT, exchange.outcome)
    request = endpoint.read_request(exchange.request_body, exchange.request_headers, former)
    if isinstance(request, Unparsed):
        return NotACall(ExchangeKind.OUT_OF_SCOPE if request.out_of_scope else ExchangeKind.UNPARSED, request.reason)
    reader = endpoint.open_reply(exchange.status or 0, exchange.response_headers, request)
    reader.feed(exchange.response_body)
    return Reading(request, reader.close())


def _socket(exchange: Exchange) -> NotACall:
    """A WebSocket as a whole; the calls on it were read one by one."""
    if exchange.status != SWITCHING:
        return NotACall(ExchangeKind.OTHER, "websocket refused")
    if not isinstance(exchange, SocketExchange):
        return NotACall(ExchangeKind.SOCKET, "")
    kind = ExchangeKind.UNPARSED if exchange.unread else ExchangeKind.SOCKET
    return NotACall(kind, exchange.unread, exchange.faults)
