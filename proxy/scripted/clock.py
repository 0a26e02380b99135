"""Time for the provider: the wall's, or a logical one that only declared latencies move."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Protocol


class Clock(Protocol):
    """UTC microseconds, and what to do about a declared wait."""

    @property
    def sleeps(self) -> bool:
        """Whether a declared wait is slept."""
        ...

    def now_us(self) -> int:
        """UTC microseconds."""
        ...

    def advance(self, seconds: float, /) -> None:
        """A declared wait goes by."""
        ...


@dataclass(frozen=True, slots=True)
class WallClock:
    """Real time; declared waits are slept by whoever answers."""

    sleeps: bool = True

    def now_us(self) -> int:
        """UTC microseconds."""
        return time.time_ns() // 1000

    def advance(self, seconds: float, /) -> None:
        """Nothing to do: real time goes by itself."""


@dataclass(slots=True)
class LogicalClock:
    """Starts at a fixed moment; a declared wait moves it and costs nothing."""

    at_us: int = 1_767_225_600_000_000
    """2026-01-01 00:00:00 UTC."""
    sleeps: bool = False

    def now_us(self) -> int:
        """UTC microseconds."""
        return self.at_us

    def advance(self, seconds: float, /) -> None:
        """Move on."""
        self.at_us += round(seconds * 1_000_000)
