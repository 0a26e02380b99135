"""What the journal may cost the live path, why an exchange may be lost, and what is counted about both."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

MIB = 1 << 20


class Clock(Protocol):
    """What time it is; the standard module `time` is such a clock."""

    def monotonic_ns(self) -> int:
        """Nanoseconds that never go back."""

    def time_ns(self) -> int:
        """UTC nanoseconds since 1970."""


class LossReason(StrEnum):
    """Why recording was switched off for a while."""

    SLOW_DISK = "slow_disk"
    """One write took longer than `slow_write_s`."""
    NO_SPACE = "no_space"
    """The file system or a quota is full."""
    DISK_FLOOR = "disk_floor"
    """Free space fell below `free_floor_bytes`."""
    JOURNAL_FULL = "journal_full"
    """Unread segments reached `journal_cap_bytes`: nobody reads, or too slowly."""
    IO_ERROR = "io_error"
    """Any other error of the disk or its file system."""
    CLOSED = "closed"
    """The writer was closed before the exchange ended."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JournalLimits:
    """Bounds of one writer."""

    batch_bytes: int = 64 * 1024
    """Pieces of one direction are held back until they make this many bytes, or `batch_age_s` have passed."""
    batch_age_s: float = 0.1
    body_cap_bytes: int = 256 * MIB
    """Per direction of one exchange; above it that direction is no longer recorded, and counted."""
    first_segment_bytes: int = 1 * MIB
    """Each segment is twice as long as the one before it, from here to `segment_bytes`."""
    segment_bytes: int = 4 * MIB
    slow_write_s: float = 0.5
    free_floor_bytes: int = 5 << 30
    floor_check_s: float = 1.0
    journal_cap_bytes: int = 8 << 30
    """All segments of this writer together."""
    backoff_first_s: float = 1.0
    """Recording stays off this long; twice as long each next time, up to `backoff_most_s`."""
    backoff_most_s: float = 60.0


@dataclass(slots=True)
class JournalCounters:
    """Plain integers that only grow, unless said otherwise; the relay copies them to its page."""

    exchanges: int = 0
    """Exchanges whose `close` is in the kernel."""
    records: int = 0
    bytes_written: int = 0
    writes: int = 0
    segments: int = 0
    """Segments begun, recycled ones among them."""
    recycled: int = 0
    capped_bytes: int = 0
    """Body bytes above `body_cap_bytes`."""
    lost: dict[LossReason, int] = field(default_factory=lambda: dict.fromkeys(LossReason, 0))
    """Exchanges that are not in the journal, or not to their end."""
    free_bytes: int | None = None
    """Last reading of the file system's free space; None before the first. Not a counter."""
    switched_off: LossReason | None = None
    """Why nothing is recorded just now; None while recording. Not a counter."""
