"""The dated price table of genai-prices as rates; it comes with the package, nothing is fetched.

A model is looked up at its maker only, since a reseller's price is not the maker's: what was bought elsewhere needs
the user's price file. Before the first dated price of a model its earliest one holds.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from functools import lru_cache
from importlib.metadata import version
from importlib.resources import files

from genai_prices.data import providers
from genai_prices.types import ModelInfo, ModelPrice, TieredPrices

from proxy.accounting.rates import WEB_SEARCH, Rate, Rates

_KEYS = {
    "input": ("input_mtok",),
    "cache_read": ("cache_read_mtok",),
    "cache_write_5m": ("cache_write_5m_mtok", "cache_write_mtok"),
    "cache_write_1h": ("cache_write_1h_mtok",),
    "cache_write_30m": ("cache_write_mtok",),
    "output": ("output_mtok",),
    WEB_SEARCH: ("web_searches_kcount",),
}
"""Where the table keeps each price. The undated write price is that of the maker's shortest lifetime, and 12 hours are
not in the table (wire-formats 6)."""

_UNRELATED = re.compile(r"audio|document|hours|image|mchars|messages|storage|video")
"""Prices of what no token class counts. Any other price that is not in `_KEYS` makes a model unpriced."""

_CONTEXTS = {
    ("service_tier", "batch"): ("processing", "batch"),
    ("service_tier", "flex"): ("service_tier", "flex"),
    ("service_tier", "priority"): ("service_tier", "priority"),
    ("service_tier", "fast"): ("service_tier", "fast"),
    ("speed", "fast"): ("speed", "fast"),
}
"""Pricing terms as the provider states them, and as the table does."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MODELS_KEPT = 1024


class NoPriceError(Exception):
    """The table does not price this; `str()` says what. Caught by Pricer."""


def table_digest() -> str:
    """Version and content of the table, as hex digits."""
    content = hashlib.sha256((files("genai_prices") / "data.py").read_bytes()).hexdigest()
    return hashlib.sha256(f"genai-prices {version('genai-prices')} {content}".encode()).hexdigest()


def rates_of(model: str, terms: Sequence[tuple[str, str]], at_us: int) -> Rates:
    """Rates of a model at a moment.

    Args:
        model: As the provider answered it.
        terms: Pricing terms that are not the provider's defaults.
        at_us: UTC microseconds.

    Raises:
        NoPriceError: Unknown model, terms without price, or a price this product does not understand.
    """
    found = _model(model.lower())
    if found is None:
        raise NoPriceError("unknown model")
    moment = _EPOCH + timedelta(microseconds=at_us)
    price = found.get_prices(moment, _context(found, terms, moment))
    if terms:  # made for this question
        return _understood(price)
    kept = _UNDERSTOOD.get(id(price))
    if kept is None or kept[0] is not price:
        kept = _UNDERSTOOD[id(price)] = (price, _understood(price))
    return kept[1]


_UNDERSTOOD: dict[int, tuple[ModelPrice, Rates]] = {}
"""What the table's own entries say, by their identity: there are no others, and reading one takes its time."""


def _understood(price: ModelPrice) -> Rates:
    prices = {name: value for name, value in vars(price).items() if value is not None}
    known = {key for keys in _KEYS.values() for key in keys}
    strange = sorted(name for name in prices if name not in known and not _UNRELATED.search(name))
    if strange:
        raise NoPriceError(f"price {strange[0]} is not understood")
    return {name: rate for name, keys in _KEYS.items() if (rate := _rate(price, keys)) is not None}


@lru_cache(maxsize=_MODELS_KEPT)
def _model(reference: str) -> ModelInfo | None:
    makers = (maker for maker in providers if maker.model_match is not None and maker.model_match.is_match(reference))
    maker = next(makers, None)
    return maker.find_model(reference) if maker is not None else None


def _context(model: ModelInfo, terms: Sequence[tuple[str, str]], moment: datetime) -> dict[str, str]:
    if not terms:
        return {}
    said = " with ".join(f"{name} {value}" for name, value in terms)
    context = dict([_CONTEXTS[term] for term in terms if term in _CONTEXTS])
    # Variants of two terms at once are not in the table, and their product would be a guess.
    if len(terms) > 1 or not any(
        variant.when == context and (variant.constraint is None or variant.constraint.active(moment))
        for variant in model.price_variants or ()
    ):
        raise NoPriceError(f"no price for {said}")
    return context


def _rate(price: ModelPrice, keys: Sequence[str]) -> Rate | None:
    value = next((found for key in keys if (found := getattr(price, key, None)) is not None), None)
    if isinstance(value, TieredPrices):
        return Rate(value.base, tuple((tier.start, tier.price) for tier in value.tiers))
    return Rate(value) if isinstance(value, Decimal) else None
