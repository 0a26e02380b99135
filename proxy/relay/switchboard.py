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

    def __init__(self, kind: Kind, detail: str = "") -> None:
        super().__init__(kind.value)
        self.kind = kind
        self.detail = detail

    @property
    def recorded(self) -> bool:
        """Strangers are counted, not recorded: they must not fill the disk."""
        return self.kind not in {Kind.TOKEN, Kind.ORIGIN}


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
        try:
            route = self.router.route(head.target)
        except AddressError as error:
            if error.kind is not Kind.UNKNOWN_RUN:
                self._check_token(head, vouched=False)
            raise AccessError(error.kind) from None
        self._check_token(head, vouched=bool(route.tag))
        return route

    def _check_token(self, head: RequestHead, *, vouched: bool) -> None:
        """A valid run tag is a secret of ours as good as the token. Raises AccessError."""
        if vouched:
            return
        if self.token_sha256:
            if not any(self._is_token(line) for line in head.special):
                raise AccessError(Kind.TOKEN)
        elif _ORIGIN in [line.role for line in head.special]:
            raise AccessError(Kind.ORIGIN)

    def _is_token(self, line: Line) -> bool:
        if line.name != _TOKEN:
            return False
        return hmac.compare_digest(hashlib.sha256(line.value).hexdigest(), self.token_sha256)
