"""A bounded list of what could not be read; the rest of the message was read."""

from __future__ import annotations

FAULT_LIMIT = 16
"""Faults kept per message; a garbled stream has thousands of the same kind."""


class Faults:
    """Collects distinct fault texts in order. Texts name places and kinds, never content."""

    def __init__(self) -> None:
        self._texts: dict[str, None] = {}
        self._dropped = 0

    def add(self, text: str) -> None:
        """Note a fault once; past the limit only the number of further ones is kept."""
        if text in self._texts:
            return
        if len(self._texts) < FAULT_LIMIT:
            self._texts[text] = None
        else:
            self._dropped += 1

    def texts(self) -> tuple[str, ...]:
        """All faults in the order met, with `and N more` at the end when some were not kept."""
        more = (f"and {self._dropped} more",) if self._dropped else ()
        return (*self._texts, *more)


def error_of(status: int) -> str:
    """What an HTTP status says about a reply whose body names no error: nothing for 2xx; 0 when no head came."""
    return "" if 200 <= status < 300 else f"http_{status}" if status else "no_response"
