"""The exchanges under way, one for each client connection, and what is known of the connection itself."""

from __future__ import annotations

from dataclasses import dataclass, field

from proxy.framing.head import RequestHead
from proxy.intercept.exchange import Exchange
from proxy.model.exchange import Outcome
from proxy.relay.refusals import Kind

CAME_FROM_UPSTREAM = frozenset({None, Kind.UPSTREAM_CLOSED, Kind.UPSTREAM_FRAMING})


@dataclass(slots=True)
class Connection:
    """A client's connection: HTTP/1.1 without pipelining, so one exchange at a time."""

    tag: str = ""
    """Digest of the run tag that its CONNECT showed."""
    is_tunnel: bool = False
    """Its CONNECT was admitted; what comes through it need not ask again."""
    exchange: Exchange | None = None
    head: RequestHead | None = None
    """Of the last request."""
    trouble: Kind | None = None
    """What has kept that request from being answered."""


@dataclass(slots=True)
class Observed:
    """All client connections by mitmproxy's id."""

    connections: dict[str, Connection] = field(default_factory=dict)

    def of(self, client: str) -> Connection:
        """That connection; made when it is new."""
        return self.connections.setdefault(client, Connection())

    def exchange_of(self, client: str) -> Exchange | None:
        """What is under way on it."""
        connection = self.connections.get(client)
        exchange = connection.exchange if connection else None
        return None if exchange is None or exchange.ended else exchange

    def forget(self, client: str, outcome: Outcome) -> None:
        """It is over; what was under way ended with it."""
        connection = self.connections.pop(client, None)
        if connection is not None and connection.exchange is not None:
            connection.exchange.finish(outcome)

    def under_way(self) -> int:
        """Exchanges that have begun and not ended."""
        return sum(self.exchange_of(client) is not None for client in self.connections)


def outcome_of(trouble: Kind | None, *, has_left: bool, is_draining: bool) -> Outcome:
    """How an exchange ended that is not complete: by the client's going, by our own end, or by its upstream."""
    if is_draining:
        return Outcome.SHUTDOWN
    if has_left:
        return Outcome.CLIENT_CLOSED
    return Outcome.UPSTREAM_CUT if trouble in CAME_FROM_UPSTREAM else Outcome.REFUSED
