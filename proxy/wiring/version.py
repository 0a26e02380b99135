"""What is installed."""

from __future__ import annotations

from importlib import metadata

DISTRIBUTION = "compaction-gate"


def product_version() -> str:
    """The installed distribution's version; a checkout that is run without being installed says so."""
    try:
        return metadata.version(DISTRIBUTION)
    except metadata.PackageNotFoundError:
        return "unknown (not installed)"
