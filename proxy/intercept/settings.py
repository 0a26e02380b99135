"""What the intercept door is told."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from proxy.relay.settings import RelaySettings


@dataclass(frozen=True, slots=True, kw_only=True)
class InterceptSettings:
    """What a relay is told, and what is this door's own. `connect_timeout_s` has no effect: mitmproxy has none."""

    relay: RelaySettings
    reverse: str = ""
    """Name of the upstream to stand before; empty: a forward proxy for clients that are told HTTPS_PROXY."""
    authority: Path
    """Folder of the certificate authority; made when it is not there."""
