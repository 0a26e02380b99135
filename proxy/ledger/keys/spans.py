"""The span of an access: which part of a resource it asks for, as one text.

    span     = "" | lines | narrowing | lines "&" narrowing       "" is the whole resource
    lines    = range *("," range)                                  `1-80,120-140`
    range    = FIRST "-" LAST | FIRST "-" | "-" COUNT "-"          `10-20`, from 10 on `10-`, the last 20 `-20-`
    narrowing= NAME "=" VALUE *("&" NAME "=" VALUE)                sorted by name

Lines count from 1. Values are percent-escaped where they hold `%`, `&` or control characters; long ones, and very long
spans, stand as a digest, so that a span never carries more than a line or two of what the model wrote.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from proxy.ledger.keys.paths import digest

_ESCAPED = re.compile(r"[%&\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_LONGEST = 120
_LONGEST_SPAN = 600
LAST_LINE = 10**9
"""Line numbers beyond this are no line numbers."""


class Lines(NamedTuple):
    """A contiguous piece of a text."""

    first: int
    """1-based; negative: counted from the end (`-20` = the last 20 lines)."""
    last: int | None
    """1-based and included; None = to the end."""

    def __str__(self) -> str:
        if self.first < 0:
            return f"{self.first}-"
        return f"{self.first}-{'' if self.last is None else self.last}"


WHOLE = Lines(1, None)


def lines(first: int | None, last: int | None) -> str:
    """The span of one piece; the whole is the empty span."""
    piece = Lines(first or 1, last)
    return "" if piece == WHOLE else str(piece)


def several(pieces: Iterable[Lines]) -> str:
    """The span of some pieces of one text, in the order given."""
    return ",".join(map(str, pieces))


def narrowing(values: Mapping[str, str]) -> str:
    """The span of arguments that narrow an access."""
    return "&".join(f"{name}={_value(values[name])}" for name in sorted(values))


def join(*parts: str) -> str:
    """One span of several parts, empty ones left out; a very long one stands as a digest."""
    text = "&".join(part for part in parts if part)
    return text if len(text) <= _LONGEST_SPAN else digest(text)


def compose(span: str, cut: Lines) -> str | None:
    """The span of a piece cut out of what a span shows: lines 1-10 of `41-50` are `41-50`.

    None when it cannot be said without knowing the text, or the span is no single piece of lines.
    A text that ends early is not foreseen: `head -50 | tail -10` is `41-50` of any file.
    """
    piece = parse(span)
    if piece is None:
        return None
    if cut == WHOLE:
        return span
    if cut.first > 0 and piece.first > 0:
        return _inside(piece, cut)
    if cut.first < 0 and piece.first > 0 and piece.last is not None:
        return lines(max(piece.first, piece.last + cut.first + 1), piece.last)
    if cut.first < 0 and piece.last is None and (piece == WHOLE or piece.first < 0):
        return str(cut if piece == WHOLE else Lines(max(piece.first, cut.first), None))
    return None


def parse(span: str) -> Lines | None:
    """The single piece of lines that a span names; None for anything else."""
    found = re.fullmatch(r"(-?\d{1,10})-(\d{1,10})?", span) if span else None
    if not span:
        return WHOLE
    if found is None:
        return None
    first, last = int(found[1]), found[2]
    return Lines(first, int(last) if last else None)


def line_number(value: object) -> int | None:
    """A line number or count as a model writes it: an integer, or its digits in a string."""
    if isinstance(value, bool):
        return None
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, str) and re.fullmatch(r"\s*[+-]?\d{1,9}\s*", value, re.ASCII):
        value = int(value)
    return value if isinstance(value, int) and abs(value) <= LAST_LINE else None


def line_range(value: object) -> Lines | None:
    """`[first, last]`, `"first-last"` or `"first,last"`; a last of -1 is the end."""
    if isinstance(value, str):
        value = re.split(r"\s*[-,:]\s*", value.strip(), maxsplit=1)
    if not isinstance(value, Sequence) or len(value) != 2:
        return None
    first, last = line_number(value[0]), line_number(value[1])
    if first is None or last is None:
        return None
    return Lines(max(first, 1), None if last < 0 else last)


def _inside(piece: Lines, cut: Lines) -> str:
    first = piece.first + cut.first - 1
    last = piece.last if cut.last is None else piece.first + cut.last - 1
    if piece.last is not None and last is not None:
        last = min(last, piece.last)
    return lines(first, last)


def _value(text: str) -> str:
    if len(text) > _LONGEST:
        return digest(text)
    return _ESCAPED.sub(
        lambda found: "".join(f"%{byte:02X}" for byte in found[0].encode("utf-8", "surrogatepass")), text
    )
