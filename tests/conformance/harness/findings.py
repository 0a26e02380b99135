"""What a probe can end with besides passing, and how the bytes of a failure are shown."""

from __future__ import annotations

from collections.abc import Sequence

SHOWN = 140
"""Bytes of context printed of a long value; the place of the first difference is kept in sight."""


class FindingError(Exception):
    """The target did not do what the probe asks for; `str()` is the sentence printed."""


class MismatchError(FindingError):
    """Other bytes or another value than expected."""

    def __init__(self, what: str, found: object, expected: object) -> None:
        at = 0
        if isinstance(found, bytes) and isinstance(expected, bytes):
            at = max(0, alike(found, expected) - 40)
        elif isinstance(found, tuple) and isinstance(expected, tuple):
            same = alike(found, expected)
            what, found, expected = f"{what}, no. {same + 1} of {len(expected)}", found[same:], expected[same:]
        super().__init__(f"{what}: found {short(found, at)}, expected {short(expected, at)}")


class SilentError(FindingError):
    """Nothing more came while bytes were due."""


class EndedError(FindingError):
    """The connection ended while bytes were due."""

    def __init__(self, text: str, *, was_reset: bool = False) -> None:
        super().__init__(text)
        self.was_reset = was_reset


REFUSED = "answered by itself"
"""How the finding of a refusal begins."""


class RefusedError(FindingError):
    """The target answered by itself where it should have forwarded: `unsupported` for a proxy that is not ours."""


class NotApplicableError(Exception):
    """The probe does not apply here; `str()` is the reason."""


def alike(one: Sequence[object], other: Sequence[object]) -> int:
    """How many elements both have in common at their beginning."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (left, right) in pairs if left != right), min(len(one), len(other)))


def short(value: object, at: int = 0) -> str:
    """`repr` of a value, cut to a line; bytes are shown from `at`."""
    if isinstance(value, bytes):
        shown = repr(value[at : at + SHOWN])
        more = len(value) - at - SHOWN
        return (f"…[{at}]" if at else "") + shown + (f"… ({len(value)} bytes)" if more > 0 else "")
    text = repr(value)
    return text if len(text) <= 2 * SHOWN else text[: 2 * SHOWN] + "…"


def equal(what: str, found: object, expected: object) -> None:
    """Raise unless both are the same."""
    if found != expected:
        raise MismatchError(what, found, expected)


def true(what: str, found: object) -> None:
    """Raise unless `found` holds; `what` says what was expected."""
    if not found:
        raise FindingError(what)
