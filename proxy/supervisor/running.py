"""What runs on a data folder: written by whoever started it, read by `status`, `wrap` and the next `serve`."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from proxy.supervisor.children import Identity
from proxy.wiring.folder import write_private


@dataclass(frozen=True, slots=True, kw_only=True)
class Running:
    """The processes of one data folder."""

    by: str
    """`serve` or `wrap`."""
    since_us: int
    supervisor: Identity
    door: str = "relay"
    """What the live door is: `relay` or `intercept`."""
    relay: Identity
    """The live door's process."""
    relay_url: str
    relay_spec: str
    """Digest of what the door was told."""
    observer: Identity | None
    admin_url: str
    """Empty without an admin listener."""

    def write(self, path: Path) -> None:
        """Replace the file. Raises CannotWriteError."""
        write_private(path, json.dumps(asdict(self)))


def read_running(path: Path) -> Running | None:
    """What the file says; None when there is none that can be read. Whether it still runs is another question."""
    try:
        told = json.loads(path.read_text("utf-8"))
        processes = {
            name: Identity(*told[name]) if told[name] else None for name in ("supervisor", "relay", "observer")
        }
        return Running(**told | processes)
    except (OSError, ValueError, TypeError, KeyError):
        return None
