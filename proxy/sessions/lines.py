"""Content by line: packed line digests, containment, and which lines are worth counting.

Contents are compared without being kept: an observation is stored as 8 bytes per line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from hashlib import blake2b

from proxy.sessions.phrases import REMINDER_END

LINE_SIZE = 8
SIGNIFICANT = 4
"""A line with fewer word characters (`}`, `else:` is over it) shows nothing by standing in two places."""
_ENOUGH = re.compile(r"\w" + r"\W*\w" * (SIGNIFICANT - 1))

_NUMBERED = re.compile(r"^\s*\d+(?:\t|→|: ?)")


def line_digest(line: str) -> bytes:
    """8 bytes for one line, trailing white space aside."""
    return blake2b(line.rstrip().encode("utf-8", "surrogatepass"), digest_size=LINE_SIZE).digest()


def is_significant(line: str) -> bool:
    """True when the line says enough to be counted."""
    return _ENOUGH.search(line) is not None


def significant_of(lines: Iterable[str]) -> tuple[str, ...]:
    """Of some lines those that say enough."""
    return tuple(filter(_ENOUGH.search, lines))


def pack(lines: Iterable[str]) -> bytes:
    """Line digests as one byte string, 8 bytes each."""
    texts = [line.rstrip().encode("utf-8", "surrogatepass") for line in lines]
    return b"".join([blake2b(text, digest_size=LINE_SIZE).digest() for text in texts])


@lru_cache(maxsize=1024)
def unpack(packed: bytes) -> tuple[bytes, ...]:
    """The reverse of `pack`. What was seen of a file is compared again and again while it is worked on."""
    return tuple([packed[i : i + LINE_SIZE] for i in range(0, len(packed), LINE_SIZE)])


@lru_cache(maxsize=1024)
def distinct(packed: bytes) -> frozenset[bytes]:
    """The digests, each once."""
    return frozenset(unpack(packed))


def contains(hay: bytes, needle: bytes) -> bool:
    """True when the needle's lines stand in the hay one after the other."""
    if not needle:
        return False
    at = hay.find(needle)
    while at >= 0:
        if at % LINE_SIZE == 0:
            return True
        at = hay.find(needle, at + 1)
    return False


def without_numbers(lines: Sequence[str]) -> list[str]:
    """Lines without a reader's line-number prefix (number and tab, arrow or colon)."""
    return [_NUMBERED.sub("", line, count=1) for line in lines]


def runs(text: str) -> tuple[bytes, ...]:
    """A text's significant lines, and those without line numbers where it has some."""
    split = text.replace(REMINDER_END, "").split("\n")
    bare = without_numbers(split)
    return tuple([significant(variant) for variant in ([split] if bare == split else [split, bare])])


def significant(lines: Sequence[str]) -> bytes:
    """Digests of the significant lines alone, in order."""
    return pack(significant_of(lines))
