"""One finished exchange as the journal gives it to the journey."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from proxy.model.ids import ExchangeId

Headers = tuple[tuple[str, str], ...]
"""Header lines in the order, case and number received; values of head secrets are already redacted."""


class Outcome(StrEnum):
    """How an exchange ended on the live path."""

    COMPLETE = "complete"
    """The response's last framing byte was handed to the client's socket."""
    CLIENT_CLOSED = "client_closed"
    """The client went away first."""
    UPSTREAM_CUT = "upstream_cut"
    """The provider ended the connection inside its response, or never answered."""
    REFUSED = "refused"
    """We answered with an error of our own; nothing came from the provider."""
    SHUTDOWN = "shutdown"
    """Cut by our own drain deadline."""
    CUT = "cut"
    """`open` without `close` from a writer that is dead: what was recorded may be incomplete."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """Request and response as bytes with times. Bodies are transfer-decoded, content-encoded as sent."""

    id: ExchangeId
    opened_us: int
    """UTC microseconds when the request head was complete."""
    upstream: str
    """Configured name of the upstream; empty when the request was refused before one was chosen."""
    door: str
    """`base_url` (relay) or `intercept`; doors are never pooled (V27)."""
    tag: str
    """Digest of the run tag in the path, empty without one; the tag itself is a head secret."""
    method: str
    target: str
    """Path and query as sent upstream, secret query values redacted."""
    request_headers: Headers
    request_body: bytes
    request_complete: bool
    request_lost: int
    """Body bytes that were relayed and not recorded (cap, or recording switched off)."""
    status: int | None
    """None when no final response head arrived."""
    response_headers: Headers
    response_body: bytes
    response_complete: bool
    response_lost: int
    first_byte_us: int | None
    """Microseconds from `opened_us` to the first response byte, by the monotonic clock of one process."""
    duration_us: int | None
    """Microseconds from `opened_us` to the end, by the monotonic clock; None for `cut`."""
    outcome: Outcome

    def header(self, name: str) -> str | None:
        """First request header of that name, compared without case."""
        return first_header(self.request_headers, name)


def first_header(headers: Headers, name: str) -> str | None:
    """First header of that name, compared without case."""
    return _by_name(headers).get(name.lower())


@lru_cache(maxsize=64)
def _by_name(headers: Headers) -> Mapping[str, str]:
    """First values by name in small letters: one exchange is asked for many."""
    return {name.lower(): value for name, value in reversed(headers)}
