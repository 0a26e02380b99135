"""Token usage and money of one billed sampling.

Identity (design §6): `uncached + cache_read + cache_write_5m + _1h + _30m + _12h = input`. Every field is the
provider's own count (`_billed`); reference tokens never enter here.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from enum import StrEnum

PICO_PER_USD = 10**12


class IterationKind(StrEnum):
    """What a billed sampling was for; the names are the provider's (wire-formats 1.5)."""

    MESSAGE = "message"
    COMPACTION = "compaction"
    ADVISOR = "advisor_message"
    FALLBACK = "fallback_message"


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Disjoint classes of billed tokens. Addition is by field."""

    uncached: int = 0
    """Input tokens neither read from nor written to the prompt cache."""
    cache_read: int = 0
    cache_write_5m: int = 0
    """Written with the 5-minute lifetime; a write of Anthropic's whose lifetime is not stated counts here."""
    cache_write_1h: int = 0
    cache_write_30m: int = 0
    """A write of OpenAI's whose lifetime is not stated counts here."""
    cache_write_12h: int = 0
    output: int = 0
    """All billed output, reasoning included."""
    reasoning: int = 0
    """The part of `output` spent on thinking; informative, never added."""

    @property
    def cache_write(self) -> int:
        """Tokens written to the prompt cache, all lifetimes."""
        return self.cache_write_5m + self.cache_write_1h + self.cache_write_30m + self.cache_write_12h

    @property
    def input(self) -> int:
        """The whole prompt as billed."""
        return self.uncached + self.cache_read + self.cache_write

    def __add__(self, other: Usage) -> Usage:
        return Usage(**{f.name: getattr(self, f.name) + getattr(other, f.name) for f in fields(self)})


@dataclass(frozen=True, slots=True, kw_only=True)
class Iteration:
    """One billed sampling inside a turn."""

    kind: IterationKind
    model: str
    """The model that did this sampling, as answered."""
    usage: Usage
    server_tool_calls: int = 0
    """Provider-run tool requests billed apart from tokens (web searches)."""
    terms: tuple[tuple[str, str], ...] = ()
    """Pricing terms that the provider stated and that are not its defaults, by name: `("speed", "fast")`."""
    unpriceable: str = ""
    """What about this sampling no price table can price; empty when there is nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """What one iteration cost, or why that is not known."""

    pico_usd: int | None
    """Integer 10^-12 USD; None = unpriced, never zero by default."""
    table: str
    """Digest of the price table (and override) used."""
    reason: str = ""
    """Why it is unpriced; empty when priced."""
