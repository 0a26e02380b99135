"""What the global options say."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(slots=True)
class Invocation:
    """One run of the program. `settings.read` makes settings of it; not every command needs them."""

    data: Path | None = None
    config: Path | None = None
