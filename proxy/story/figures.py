"""Numbers as a person reads them. What was not measured is said, never shown as 0."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import UTC, datetime, tzinfo
from decimal import ROUND_HALF_EVEN, Decimal

from proxy.model.usage import PICO_PER_USD

NOT_MEASURED = "not measured"
TIMES = "\u00d7"
"""The multiplication sign."""
_SECOND_US = 1_000_000


def short(count: int | None) -> str:
    """`950`, `14.9k`, `118k`, `1.2M`."""
    if count is None:
        return NOT_MEASURED
    for unit, size in (("M", 1_000_000), ("k", 1_000)):
        if count >= size:
            scaled = count / size
            return f"{scaled:.1f}{unit}" if scaled < 100 else f"{scaled:.0f}{unit}"
    return str(count)


def whole(count: int | None) -> str:
    """`61,240`."""
    return NOT_MEASURED if count is None else f"{count:,}"


def usd(pico: int | None, *, is_column: bool = False) -> str:
    """`$6.41`; below ten cents, and in a column that adds up, four digits; what has no price is said to have none."""
    if pico is None:
        return "unpriced"
    amount = Decimal(pico) / PICO_PER_USD
    is_large = not is_column and (abs(amount) >= Decimal("0.1") or not amount)
    digits = Decimal("0.01") if is_large else Decimal("0.0001")
    rounded = amount.quantize(digits, ROUND_HALF_EVEN)
    if amount and not rounded:
        return "<$0.0001"
    return f"-${-rounded}" if rounded < 0 else f"${rounded}"


def span(us: int | None) -> str:
    """`350 ms`, `4.2 s`, `2m05s`, `3h12m`, `4d07h`."""
    if us is None:
        return NOT_MEASURED
    seconds, minutes = us / _SECOND_US, int(us // _SECOND_US // 60)
    if seconds < 1:
        return f"{us // 1000} ms"
    if seconds < 60:
        return f"{seconds:.1f} s"
    if minutes < 60:
        return f"{minutes}m{int(seconds) % 60:02}s"
    if minutes < 48 * 60:
        return f"{minutes // 60}h{minutes % 60:02}m"
    return f"{minutes // 1440}d{minutes % 1440 // 60:02}h"


def ago(then_us: int | None, now_us: int) -> str:
    """`12 s ago`; `never`."""
    if then_us is None:
        return "never"
    seconds = max(0, now_us - then_us) // _SECOND_US
    return f"{seconds} s ago" if seconds < 60 else f"{span(seconds * _SECOND_US)} ago"


def share(part: int, of: int) -> str:
    """`4 %`; without anything to divide by, not measured."""
    if of == 0:
        return NOT_MEASURED
    percent = 100 * part / of
    if 0 < percent < 1:
        return "<1 %"
    return ">99 %" if 99 < percent < 100 else f"{percent:.0f} %"


def size(octets: int) -> str:
    """`1.5 MiB`."""
    value = float(octets)
    for unit in ("B", "KiB", "MiB", "GiB"):
        if value < 1024 or unit == "GiB":
            return f"{value:.0f} {unit}" if unit == "B" else f"{value:.1f} {unit}"
        value /= 1024
    raise AssertionError("unreachable")


def moment(us: int, zone: tzinfo | None = UTC) -> str:
    """`2026-11-30 16:20`."""
    return datetime.fromtimestamp(us / _SECOND_US, zone).strftime("%Y-%m-%d %H:%M")


def plural(count: int, word: str, several: str = "") -> str:
    """`1 turn`, `2 turns`, `2 boundaries`."""
    return f"{count:,} {word if count == 1 else several or word + 's'}"


def round_top(values: Sequence[int | None]) -> int:
    """A round number that is not below any value."""
    most = max((value for value in values if value is not None), default=0)
    if most == 0:
        return 1_000
    step: int = 10 ** int(math.log10(most))
    return next(step * part // 2 for part in (2, 3, 4, 6, 8, 10, 12, 16, 20) if step * part // 2 >= most)


def shortened(text: str, most: int) -> str:
    """The text, or its beginning and end when it is longer."""
    if len(text) <= most:
        return text
    head = (most - 1) // 3
    return f"{text[:head]}\u2026{text[len(text) - (most - 1 - head) :]}"
