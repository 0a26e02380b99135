"""What may be stored: figures only, hashes and names, or contents; body secrets never."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from enum import StrEnum
from typing import Any

from proxy.model.facts import CallFact, ExchangeFact, Fact, IterationFact, ObservationFact, SessionFact, TurnFact
from proxy.observer.ports import Observed
from proxy.store.writer import Content

Redact = Callable[[str], str]
"""Text without body secrets; the same text when there are none."""


class Capture(StrEnum):
    """How much of the traffic is kept (`[capture] contents`)."""

    OFF = "off"
    """Figures: nothing that was said, named or hashed."""
    HASHES = "hashes"
    """And tool names, paths, content hashes."""
    FULL = "full"
    """And contents."""


FREE_TEXT: dict[type[Any], tuple[str, ...]] = {
    SessionFact: ("labels",),
    ExchangeFact: ("path", "faults"),
    TurnFact: ("model_asked", "model_answered", "message_id", "stop_reason"),
    IterationFact: ("model",),
    CallFact: ("resource", "span", "because"),
    ObservationFact: ("key", "resource", "span"),
}
"""Fields that hold words of clients and tools."""

NOT_FIGURES: dict[type[Any], tuple[str, ...]] = {
    TurnFact: ("tools_sha256", "system_sha256"),
    CallFact: ("tool", "resource", "span", "arguments_sha256", "result_sha256", "because"),
    ObservationFact: ("key", "resource", "span", "content_sha256"),
}
"""Fields that are empty when only figures are kept."""


class Keeper:
    """Applies one capture level and one set of secret patterns."""

    def __init__(self, capture: Capture, redact: Redact) -> None:
        self._capture = capture
        self._redact = redact

    def fact[F: Fact](self, fact: F) -> F:
        """The fact as it may be stored."""
        if self._capture is Capture.OFF:
            blank: dict[str, Any] = dict.fromkeys(NOT_FIGURES.get(type(fact), ()), "")
            fact = replace(fact, **blank) if blank else fact
        said = {name: getattr(fact, name) for name in FREE_TEXT.get(type(fact), ())}
        redacted: dict[str, Any] = {name: clean for name, text in said.items() if (clean := self._redact(text)) != text}
        return replace(fact, **redacted) if redacted else fact

    def contents(self, observed: Observed) -> list[Content]:
        """Contents as they may be stored: none below a full capture."""
        return [self._content(*each) for each in observed.contents] if self._capture is Capture.FULL else []

    def _content(self, sha256: str, data: bytes) -> Content:
        clean = self._redact(data.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")
        return Content(sha256, clean, redacted=clean != data)
