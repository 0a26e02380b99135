"""How far the observer is behind, told from its snapshot."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

SILENCE_US = 30_000_000
"""An observer writes its snapshot every second, every ten while its store cannot be used; after this it is not well."""


def lag_s(snapshot: Mapping[str, Any], now_us: int) -> float:
    """Age of what it works on; when it gives no sign of life, the time since the last one if that is longer."""
    behind, written = snapshot["behind_since_us"], snapshot["written_us"]
    age_us = 0 if behind is None else now_us - behind
    silent_us = now_us - written
    return max(age_us, silent_us if silent_us > SILENCE_US else 0, 0) / 1_000_000
