"""Prices by billed class, and the arithmetic from an iteration to integer 10^-12 USD. `Decimal` throughout.

A class with tokens and without a price leaves the whole iteration unpriced (V23): the nearest price would be a guess.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import ROUND_HALF_EVEN, Context, Decimal
from operator import attrgetter
from typing import NamedTuple

from proxy.model.usage import Iteration

WEB_SEARCH = "web_search"

TOKEN_CLASSES = {
    "input": "uncached",
    "cache_read": "cache_read",
    "cache_write_5m": "cache_write_5m",
    "cache_write_1h": "cache_write_1h",
    "cache_write_30m": "cache_write_30m",
    "cache_write_12h": "cache_write_12h",
    "output": "output",
}
"""Name of each price, and the field of Usage that it prices. USD per million tokens."""

PICO_PER_TOKEN = 10**6
"""1 USD per million tokens, in 10^-12 USD per token."""
PICO_PER_REQUEST = 10**9
"""1 USD per thousand requests, in 10^-12 USD per request."""

_EXACT = Context(prec=60)
"""More digits than any price times any count has, so that nothing is rounded before the end."""

_NAMES = (*TOKEN_CLASSES, WEB_SEARCH)
_tokens_of = attrgetter(*TOKEN_CLASSES.values())


class Rate(NamedTuple):
    """One price, with the prices of longer prompts."""

    base: Decimal
    tiers: tuple[tuple[int, Decimal], ...] = ()
    """Ascending: from more than so many prompt tokens on, all tokens of the sampling cost this."""

    def at(self, prompt: int) -> Decimal:
        """The price when the sampling's whole prompt has so many tokens."""
        if not self.tiers:
            return self.base
        return next((price for start, price in reversed(self.tiers) if prompt > start), self.base)

    def times(self, factor: Decimal) -> Rate:
        """Every tier multiplied."""
        return Rate(self.base * factor, tuple((start, price * factor) for start, price in self.tiers))


Rates = Mapping[str, Rate]
"""By the names of TOKEN_CLASSES, and WEB_SEARCH (USD per thousand requests)."""


def unpriced_classes(rates: Rates, iteration: Iteration) -> list[str]:
    """Classes that the iteration has and the rates have not."""
    return [name for name, _ in _counts(iteration) if name not in rates]


def pico_usd(rates: Rates, iteration: Iteration) -> int:
    """What the iteration costs, exact; a fraction of 10^-12 USD is rounded half to even once, at the end."""
    prompt = iteration.usage.input
    total = Decimal(0)
    for name, count in _counts(iteration):
        unit = PICO_PER_REQUEST if name == WEB_SEARCH else PICO_PER_TOKEN
        total = _EXACT.fma(rates[name].at(prompt), count * unit, total)
    return int(total.to_integral_value(ROUND_HALF_EVEN, _EXACT))


def _counts(iteration: Iteration) -> list[tuple[str, int]]:
    """What there is of each class; those without anything are left out."""
    counts = (*_tokens_of(iteration.usage), iteration.server_tool_calls)
    return [(name, count) for name, count in zip(_NAMES, counts, strict=True) if count]
