"""What a child process is told, as a small file: addresses, limits and names of files, never a secret itself."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path

from proxy.model.errors import InputError

GIB, MIB = 1 << 30, 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class RelaySpec:
    """A live door's process: a relay's, or an intercept door's."""

    data: str
    host: str
    port: int
    listen_fd: int | None
    upstreams: dict[str, str]
    """Name to address."""
    default_upstream: str
    token_file: str
    connect_timeout_s: float
    drain_s: float
    egress_proxy: str
    """`env`, `none` or an address."""
    ca_bundle: str
    body_cap_bytes: int
    free_floor_bytes: int
    log: str
    intercept: str = ""
    """Mode of the intercept door: `regular` or `reverse:NAME`; empty: this is a relay."""

    @property
    def process(self) -> str:
        """Name of the process that is told this."""
        return "intercept" if self.intercept else "relay"

    def digest(self) -> str:
        """Names what a relay was told, but for the number of its socket."""
        told = asdict(self) | {"listen_fd": None}
        return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()

    def encode(self) -> str:
        """As a file."""
        return json.dumps(asdict(self), indent=1, sort_keys=True)


def read_relay_spec(path: Path) -> RelaySpec:
    """What `RelaySpec.encode` wrote.

    Raises:
        InputError: it is something else.
    """
    try:
        return RelaySpec(**json.loads(path.read_text("utf-8")))
    except (OSError, ValueError, TypeError) as error:
        raise InputError(str(path), "", type(error).__name__, "a relay's spec") from None
