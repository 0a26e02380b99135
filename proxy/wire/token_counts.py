"""Token counts of a usage object: what is no count makes the whole object unreadable, never a zero in its place."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, TypeGuard

from proxy.model.usage import Iteration
from proxy.wire.json_values import Json

MAX_COUNT = 10**9
"""Larger numbers are no token counts of one sampling; the bound keeps money inside 64 bit."""


class Billed(NamedTuple):
    """What was billed, and why the reported sums do not reconcile (empty when they do)."""

    iterations: tuple[Iteration, ...]
    disagrees: str


class NotACountError(Exception):
    """A token field holds something else; `str()` names the field. Stays inside the dialects' `usage` modules."""


def is_count(value: Json) -> TypeGuard[int]:
    """Whether the value can be a number of tokens or of requests."""
    return type(value) is int and 0 <= value <= MAX_COUNT


def count_in(raw: Mapping[str, Any], field: str, *, required: bool = False) -> int:
    """The count in a field; a missing or null one is zero unless it is required. Raises NotACountError."""
    value = raw.get(field)
    if value is None and not required:
        return 0
    if not is_count(value):
        raise NotACountError(field)
    return value
