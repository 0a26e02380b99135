"""How a new history follows a former one, by content alone.

Histories are sequences of 8-byte digests. The relation says what happened to the former one; whether a loss is
a compaction is decided where the evidence is (`placement`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from proxy.sessions.normalise import DIGEST_SIZE


class Relation(StrEnum):
    """How a request's history follows its thread's former one."""

    FIRST = "first"
    EXTENDS = "extends"
    RETRIED = "retried"
    """The same history again: the former reply never reached it."""
    REWIND = "rewind"
    """The former history's end is gone, nothing after the cut stayed: an edit, a fork, a rewind."""
    COMPACTED = "compacted"
    EDITED = "edited"
    """Changed in the middle, but nothing that was seen left the view."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Overlap:
    """What a new history shares with a former one."""

    shared: int
    """Length of the common prefix, in units."""
    former: int
    """Length of the former request's history, without its reply."""
    kept_later: bool
    """Something of the former history beyond the common prefix still stands, after a loss."""


def pack(digests: Sequence[bytes]) -> bytes:
    """Digests as one byte string, 8 bytes each."""
    return b"".join(digests)


def unpack(packed: bytes) -> list[bytes]:
    """The reverse of `pack`."""
    return [packed[i : i + DIGEST_SIZE] for i in range(0, len(packed), DIGEST_SIZE)]


def common_prefix(left: Sequence[bytes], right: Sequence[bytes]) -> int:
    """Number of equal leading digests."""
    limit = min(len(left), len(right))
    if list(left[:limit]) == list(right[:limit]):
        return limit
    return next(i for i in range(limit) if left[i] != right[i])


def compare(former: Sequence[bytes], reply: Sequence[bytes], new: Sequence[bytes]) -> Overlap:
    """Compare a new history with a former request and its reply."""
    whole = [*former, *reply]
    shared = common_prefix(whole, new)
    present = set(new[shared:])
    lost = False
    kept_later = False
    for digest in whole[shared:]:
        if digest not in present:
            lost = True
        elif lost:
            kept_later = True
            break
    return Overlap(shared=shared, former=len(former), kept_later=kept_later)
