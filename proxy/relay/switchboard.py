"""What all connections of one relay share: where things go, who records and counts, and who is connected."""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass, field
from typing import Protocol

from proxy.framing.head import RequestHead
from proxy.framing.lines import Line, Role
from proxy.journal.limits import Clock
from proxy.journal.writer import JournalWriter
from proxy.relay.addressing import AddressError, Route, Router
from proxy.relay.counters import RelayCounters
from proxy.relay.dial import Dialler
from proxy.relay.redaction import names_a_credential
from proxy.relay.refusals import Kind

_ORIGIN = Role.ORIGIN
_TOKEN = "x-compaction-token"  # noqa: S105 the name of a header


class Attended(Protocol):
    """A client connection as the switchboard sees it."""

    def look(self, now_ns: int) -> None:
        """Called every 100 ms while it is paused or departing."""

    def drain(self) -> None:
        """End once nothing is pending."""

    def cut(self) -> None:
        """End now."""


class AccessError(Exception):
    """A request that is not let through."""

    def __init__(self, kind: Kind, detail: str = "", *, recorded: bool = True) -> None:
        super().__init__(kind.value)
        self.kind = kind
        self.detail = detail
        self.recorded = recorded
        """Strangers are counted, not recorded: they must not fill the disk."""


@dataclass(slots=True)
class Switchboard:
    """Shared by all connections; nothing in it belongs to one of them."""

    router: Router
    dialler: Dialler
    journal: JournalWriter
    counters: RelayCounters
    clock: Clock
    token_sha256: str = ""
    draining: bool = False
    clients: set[Attended] = field(default_factory=set)
    watched: set[Attended] = field(default_factory=set)
    """Clients that cannot be seen leaving by reading from them, or that are on their way out."""

    def admit(self, head: RequestHead) -> Route:
        """Where a request goes. Raises AccessError."""
        if head.named and names_a_credential(head.named):
            raise AccessError(Kind.BAD_FRAMING, "Connection names a credential")
        distrust = self._distrust(head)
        try:
            route = self.router.route(head.target)
        except AddressError as error:
            kind = error.kind if distrust is None or error.kind is Kind.UNKNOWN_RUN else distrust
            raise AccessError(kind, recorded=distrust is None) from None
        # A valid run tag is a secret of ours, as good as the token.
        if distrust is not None and not route.tag:
            raise AccessError(distrust, recorded=False)
        return route

    def _distrust(self, head: RequestHead) -> Kind | None:
        """What keeps the sender from being trusted, whatever it asks for."""
        if self.token_sha256:
            return None if any(self._is_token(line) for line in head.special) else Kind.TOKEN
        return Kind.ORIGIN if _ORIGIN in [line.role for line in head.special] else None

    def _is_token(self, line: Line) -> bool:
        if line.name != _TOKEN:
            return False
        return hmac.compare_digest(hashlib.sha256(line.value).hexdigest(), self.token_sha256)
