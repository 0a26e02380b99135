"""JSON from the wire, read within bounds, and its canonical form.

Repeated keys: the last one counts, as in every reader the providers use. Integers over 64 bit become floats and are
then no counts. NaN, infinities, lone surrogates and bad UTF-8 are refused, never repaired.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from typing import Any

import orjson

EMPTY = "empty"
INVALID_UTF8 = "invalid UTF-8"
INVALID_JSON = "invalid JSON"
TOO_DEEP = "too deeply nested"

_CAN_BE_DEEP = 2 * (254 - 8)
"""Bytes of the shortest document that is too deep to be written: every level is opened and closed."""
_STRUCTURE = re.compile(rb'"(?:[^"\\]|\\.)*"?|[\[\]{}]', re.DOTALL)
"""Texts, whole or cut, and the brackets between them."""
_OPENING, _CLOSING = (b"[", b"{"), (b"]", b"}")
_INSIDE = 2
"""Depth of an item of the outermost array."""
_WORD = re.compile(r"[A-Za-z0-9_.:-]{1,60}")


type Json = Any
"""Whatever a document holds; it is looked at before it is used."""


class BadJsonError(Exception):
    """Not JSON, or JSON that must not travel further; `reason` is one of the constants above, without content."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def read_json(data: bytes) -> Json:
    """Parse a document.

    Raises:
        BadJsonError: With one of the reasons above. Whatever passes can be written again by `canonical`.
    """
    value = parse_json(data)
    if len(data) >= _CAN_BE_DEEP:
        require_shallow(value)
    return value


def parse_json(data: bytes) -> Json:
    """Parse a document whose depth is looked at part by part, with `require_shallow`. Raises BadJsonError."""
    if not data or data.isspace():
        raise BadJsonError(EMPTY)
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError as error:
        raise BadJsonError(_reason(str(error))) from None


def whole_items(data: bytes) -> list[Json]:
    """The objects and arrays of an array that ends anywhere, up to the first that is damaged; none of anything else."""
    items: list[Json] = []
    depth = start = 0
    for token in _STRUCTURE.finditer(data if data.lstrip().startswith(b"[") else b""):
        if token.group() in _OPENING:
            depth += 1
            start = token.start() if depth == _INSIDE else start
        elif token.group() in _CLOSING:
            depth -= 1
            if depth == _INSIDE - 1:
                try:
                    items.append(read_json(data[start : token.end()]))
                except BadJsonError:
                    break
    return items


def require_shallow(value: Json) -> None:
    """The value can be written again by `canonical`, also inside up to eight more levels. Raises BadJsonError.

    orjson reads 1024 levels and writes 254.
    """
    try:
        orjson.dumps([[[[[[[[value]]]]]]]])
    except orjson.JSONEncodeError:
        raise BadJsonError(TOO_DEEP) from None


def _reason(message: str) -> str:
    if "UTF-8" in message and "BOM" not in message:
        return INVALID_UTF8
    return TOO_DEEP if "depth" in message else INVALID_JSON


def canonical(value: object) -> bytes:
    """Sorted keys, no blanks, UTF-8: equal values give equal bytes."""
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)


def sha256_of(value: object) -> str:
    """SHA-256 of the canonical form, as hex digits."""
    return hashlib.sha256(canonical(value)).hexdigest()


def text_of(value: object) -> str:
    """The value if it is a string, else the empty string."""
    return value if isinstance(value, str) else ""


def object_of(value: object) -> Mapping[str, Any]:
    """The value if it is an object, else an empty one."""
    return value if isinstance(value, Mapping) else {}


def word_of(value: object, *, otherwise: str = "(no name)") -> str:
    """The value if it is a plain name, else `otherwise`: what a provider calls a thing may go into facts, text not."""
    return value if isinstance(value, str) and _WORD.fullmatch(value) else otherwise


def count_of(value: object) -> int:
    """The value if it is a count that fits 64 bit, else 0. Not for tokens that are billed."""
    return value if type(value) is int and 0 <= value < 1 << 62 else 0
