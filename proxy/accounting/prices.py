"""What one billed sampling cost at the time of its exchange: the user's price file first, then the dated table.

Unpriced is an answer with a reason, never zero (V23). Tiers go by the prompt of the iteration itself, since each
iteration is a sampling of its own.
"""

from __future__ import annotations

import hashlib
from functools import lru_cache

from proxy.accounting import price_table
from proxy.accounting.price_file import PriceFile
from proxy.accounting.price_table import NoPriceError
from proxy.accounting.rates import Rates, pico_usd, unpriced_classes
from proxy.model.usage import Iteration, Price

_NO_FILE = PriceFile(entries=(), sha256="")
_RATES_KEPT = 16
"""One sampling is priced several times over, to take its price apart."""


class Pricer:
    """Prices iterations; `table` is the digest of the table and the price file, kept beside every amount."""

    def __init__(self, own_prices: PriceFile = _NO_FILE) -> None:
        self._own = own_prices
        self._rates = lru_cache(maxsize=_RATES_KEPT)(self._find_rates)
        digest = price_table.table_digest()
        self.table = (
            hashlib.sha256(f"{digest} {own_prices.sha256}".encode()).hexdigest() if own_prices.sha256 else digest
        )

    def price(self, iteration: Iteration, at_us: int) -> Price:
        """The price of an iteration of an exchange that was opened at that time (UTC microseconds)."""
        if iteration.unpriceable:
            return self._unpriced(iteration.unpriceable)
        try:
            rates = self._rates(iteration.model, iteration.terms, at_us)
        except NoPriceError as error:
            return self._unpriced(str(error))
        missing = unpriced_classes(rates, iteration)
        if missing:
            return self._unpriced(f"no price for {', '.join(missing)}")
        return Price(pico_usd=pico_usd(rates, iteration), table=self.table)

    def _find_rates(self, model: str, terms: tuple[tuple[str, str], ...], at_us: int) -> Rates:
        entry = self._own.find(model, terms, at_us)
        if entry is None:
            return price_table.rates_of(model, terms, at_us)
        if entry.times is None:
            return entry.rates
        listed = price_table.rates_of(model, (), at_us)
        return {name: rate.times(entry.times) for name, rate in listed.items()}

    def _unpriced(self, reason: str) -> Price:
        return Price(pico_usd=None, table=self.table, reason=reason)
