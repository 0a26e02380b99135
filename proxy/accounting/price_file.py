"""The user's own prices: a TOML file that replaces or scales what the table says.

    [[price]]                      # USD per million tokens; web_search per thousand requests
    model = "claude-opus-5-5"      # as the provider answers it; a * at the end stands for any ending
    from = 2026-11-01              # optional: UTC day from which it holds
    inference_geo = "us"           # optional terms: inference_geo, service_tier, speed
    input = 4.40
    output = 22.00
    above = [{ prompt = 200000, input = 8.80 }]

    [[price]]
    model = "*"
    times = 0.85                   # instead of prices: the table's, times this

The last entry that fits counts. An entry with prices is the model's whole price: a class it leaves out is unpriced.
"""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple

from proxy.accounting.rates import TOKEN_CLASSES, WEB_SEARCH, Rate, Rates
from proxy.model.errors import InputError

TERMS = ("inference_geo", "service_tier", "speed")
PRICES = (*TOKEN_CLASSES, WEB_SEARCH)
_OTHER_KEYS = ("model", "from", "times", "above")
_HIGHEST = 1000
_DECIMALS = 6
"""Six decimals per million are whole 10^-12 USD per token: amounts stay exact."""
_DAY_US = 86_400_000_000
_ENTRY = re.compile(r"^[ \t]*\[\[\s*price\s*\]\]", re.MULTILINE)


class PriceEntry(NamedTuple):
    """One `[[price]]`."""

    model: str
    from_us: int
    terms: tuple[tuple[str, str], ...]
    rates: Rates
    times: Decimal | None

    def fits(self, model: str, terms: tuple[tuple[str, str], ...], at_us: int) -> bool:
        """Whether it prices that model under these terms at that moment."""
        named = model.startswith(self.model[:-1]) if self.model.endswith("*") else model == self.model
        return named and self.terms == terms and self.from_us <= at_us


class PriceFile(NamedTuple):
    """All entries of a file, and its digest."""

    entries: tuple[PriceEntry, ...]
    sha256: str

    def find(self, model: str, terms: tuple[tuple[str, str], ...], at_us: int) -> PriceEntry | None:
        """The last entry that fits."""
        return next((entry for entry in reversed(self.entries) if entry.fits(model, terms, at_us)), None)


def load_prices(path: Path) -> PriceFile:
    """Read and check a price file.

    Raises:
        InputError: Not readable, no TOML, an unknown key, or a value that is no price; file, line of the entry and
            key are named.
    """
    try:
        content = path.read_bytes()
        text = content.decode()
        document = tomllib.loads(text, parse_float=Decimal)
    except OSError as error:
        raise InputError(str(path), "", error.strerror or "an error", "a readable file") from None
    except UnicodeDecodeError:
        raise InputError(str(path), "", "bytes that are not UTF-8", "TOML") from None
    except tomllib.TOMLDecodeError as error:
        raise InputError(str(path), "", str(error), "TOML") from None
    _refuse_unknown(_Place(path, ""), document, ("price",))
    lines = [text.count("\n", 0, match.start()) + 1 for match in _ENTRY.finditer(text)]
    raw_entries = document.get("price", [])
    if not isinstance(raw_entries, list) or not all(isinstance(raw, dict) for raw in raw_entries):
        raise InputError(str(path), "price", "another type", "[[price]] tables")
    entries = [
        _entry(_Place(path, f"line {lines[index]}" if index < len(lines) else f"price {index + 1}"), raw)
        for index, raw in enumerate(raw_entries)
    ]
    return PriceFile(tuple(entries), hashlib.sha256(content).hexdigest())


class _Place(NamedTuple):
    path: Path
    where: str

    def refuse(self, key: str, found: object, expected: str) -> InputError:
        where = f"{self.where}, {key}" if self.where else key
        return InputError(str(self.path), where, str(found), expected)


def _refuse_unknown(place: _Place, table: Mapping[str, Any], known: tuple[str, ...]) -> None:
    for key in table:
        if key not in known:
            raise place.refuse(key, "an unknown key", f"one of {', '.join(known)}")


def _entry(place: _Place, raw: Mapping[str, Any]) -> PriceEntry:
    _refuse_unknown(place, raw, (*_OTHER_KEYS, *TERMS, *PRICES))
    model = raw.get("model")
    if not isinstance(model, str) or not model or "*" in model[:-1]:
        raise place.refuse("model", repr(model), "a model name, with a * at its end at most")
    rates = _rates(place, raw)
    times = _factor(place, raw["times"]) if "times" in raw else None
    if (times is None) == (not rates):
        raise place.refuse("price", "both" if rates else "neither", "either prices or `times`")
    terms = tuple((name, _term(place, name, raw[name])) for name in TERMS if name in raw)
    return PriceEntry(model, _from_us(place, raw.get("from")), terms, rates, times)


def _rates(place: _Place, raw: Mapping[str, Any]) -> Rates:
    tiers = _tiers(place, raw.get("above", []))
    rates: dict[str, Rate] = {}
    for name in PRICES:
        above = tuple((start, prices[name]) for start, prices in tiers if name in prices)
        if name in raw:
            rates[name] = Rate(_price(place, name, raw[name]), above)
        elif above:
            raise place.refuse(f"above, {name}", "a price for longer prompts", f"a price `{name}` of the entry too")
    return rates


def _tiers(place: _Place, raw: object) -> list[tuple[int, dict[str, Decimal]]]:
    if not isinstance(raw, list) or not all(isinstance(tier, dict) for tier in raw):
        raise place.refuse("above", "another type", "a list of tables")
    tiers: list[tuple[int, dict[str, Decimal]]] = []
    for tier in raw:
        _refuse_unknown(place, tier, ("prompt", *PRICES))
        start = tier.get("prompt")
        if type(start) is not int or start <= (tiers[-1][0] if tiers else 0):
            raise place.refuse("above, prompt", repr(start), "tokens, ascending")
        tiers.append((start, {name: _price(place, name, tier[name]) for name in PRICES if name in tier}))
    return tiers


def _price(place: _Place, key: str, value: object) -> Decimal:
    price = _decimal(value)
    if price is None or not 0 <= price <= _HIGHEST or price != round(price, _DECIMALS):
        raise place.refuse(key, repr(value), f"USD from 0 to {_HIGHEST} with up to {_DECIMALS} decimals")
    return price


def _factor(place: _Place, value: object) -> Decimal:
    factor = _decimal(value)
    if factor is None or not 0 <= factor <= 10 or factor != round(factor, _DECIMALS):
        raise place.refuse("times", repr(value), f"a factor from 0 to 10 with up to {_DECIMALS} decimals")
    return factor


def _decimal(value: object) -> Decimal | None:
    if type(value) is int:
        return Decimal(value)
    return value if isinstance(value, Decimal) and value.is_finite() else None


def _term(place: _Place, key: str, value: object) -> str:
    if not isinstance(value, str) or not value:
        raise place.refuse(key, repr(value), "a name as the provider states it")
    return value


def _from_us(place: _Place, value: object) -> int:
    if value is None:
        return 0
    if type(value) is not date:
        raise place.refuse("from", repr(value), "a day, such as 2026-11-01")
    return (value - date(1970, 1, 1)).days * _DAY_US
