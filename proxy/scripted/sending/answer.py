"""A message as the bytes of an answer: whole or streamed, encoded, in time, and with what goes wrong on the way."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from proxy.scripted import reply
from proxy.scripted.actions import Fault, FaultKind
from proxy.scripted.cache import encode
from proxy.scripted.clock import Clock
from proxy.scripted.settings import Encoding, ProviderSettings
from proxy.scripted.stream import encoded, error_frame, frames, pieces

Json = Mapping[str, Any]
OVERLOADED = 529


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What goes back, ready to be written."""

    status: int
    headers: Mapping[str, str]
    pieces: tuple[bytes, ...]
    delay_s: float = 0.0
    piece_delay_s: float = 0.0
    cut_after: int | None = None
    """Pieces after which the connection ends without an end."""


def refusal(status: int, request_id: str, text: str = "", *, fault: Fault | None = None) -> Answer:
    """An error status with the provider's body for it."""
    kind = reply.STATUS_OF_ERROR.get(status, "api_error")
    retry = {} if fault is None or fault.retry_after_s is None else {"retry-after": str(fault.retry_after_s)}
    headers = {"content-type": "application/json", "request-id": request_id, **retry}
    body = encode(reply.error(kind, text or f"scripted {kind}", request_id))
    return Answer(status=status, headers=headers, pieces=(body,))


def write(whole: Json, request_id: str, *, settings: ProviderSettings, clock: Clock, fault: Fault | None) -> Answer:
    """The message as one JSON document."""
    if fault is not None and fault.kind is FaultKind.STREAM_ERROR:
        return refusal(OVERLOADED, request_id)
    sent = _Sent("application/json", request_id, settings, clock)
    return sent.answer([encode(whole)], fault)


def write_stream(
    whole: Json, request_id: str, *, settings: ProviderSettings, clock: Clock, fault: Fault | None
) -> Answer:
    """The message as server-sent events."""
    events = list(frames(whole, settings.chunking))
    if fault is not None and fault.kind is FaultKind.STREAM_ERROR:
        events = [*events[: len(events) // 2], error_frame("overloaded_error", "scripted overloaded_error")]
    sent = _Sent("text/event-stream", request_id, settings, clock)
    return sent.answer(pieces(events, settings.chunking), fault)


@dataclass(frozen=True, slots=True)
class _Sent:
    """How pieces are sent."""

    content_type: str
    request_id: str
    settings: ProviderSettings
    clock: Clock

    def answer(self, parts: Iterable[bytes], fault: Fault | None) -> Answer:
        kind = None if fault is None else fault.kind
        wrong = kind is FaultKind.WRONG_ENCODING
        encoding = Encoding.IDENTITY if wrong else self.settings.encoding
        written = tuple(encoded(iter(parts), encoding))
        latency, sleeps = self.settings.latency, self.clock.sleeps
        self.clock.advance(latency.per_piece_s * len(written))
        slow_s = fault.delay_s if fault is not None and kind is FaultKind.SLOW else 0.0
        return Answer(
            status=200,
            headers=self._headers(Encoding.GZIP if wrong else encoding),
            pieces=written,
            delay_s=slow_s + (latency.first_byte_s if sleeps else 0.0),
            piece_delay_s=latency.per_piece_s if sleeps else 0.0,
            cut_after=len(written) // 2 if kind is FaultKind.CUT else None,
        )

    def _headers(self, label: Encoding) -> dict[str, str]:
        labelled = {} if label is Encoding.IDENTITY else {"content-encoding": label.value}
        return {"content-type": self.content_type, "request-id": self.request_id, **labelled}
