"""A reply as the bytes of an answer: whole or streamed, encoded, in time, and with what goes wrong on the way."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from proxy.scripted.actions import Fault, FaultKind
from proxy.scripted.cache import encode
from proxy.scripted.clock import Clock
from proxy.scripted.faces.face import OVERLOADED, Asked, Face, Failure, status_of
from proxy.scripted.sending.encoding import encoded, pieces
from proxy.scripted.settings import Encoding, ProviderSettings

Json = Mapping[str, Any]
OVERLOADED_TEXT = "scripted overloaded_error"


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


def plain(face: Face, document: Json, request_id: str) -> Answer:
    """A document that is no reply of a model."""
    return Answer(status=200, headers=_typed(face, "application/json", request_id), pieces=(encode(document),))


def refusal(face: Face, failure: Failure, request_id: str, *, fault: Fault | None = None) -> Answer:
    """An error status with the provider's body for it."""
    retry = {} if fault is None or fault.retry_after_s is None else {"retry-after": str(fault.retry_after_s)}
    headers = {**_typed(face, "application/json", request_id), **retry}
    body = encode(face.failure_document(failure, request_id))
    return Answer(status=failure.status, headers=headers, pieces=(body,))


def _typed(face: Face, content_type: str, request_id: str) -> dict[str, str]:
    return {"content-type": content_type, **face.headers(request_id)}


@dataclass(frozen=True, slots=True)
class Sender:
    """How one face's replies are sent."""

    face: Face
    request_id: str
    settings: ProviderSettings
    clock: Clock

    def send(self, asked: Asked, document: Json, fault: Fault | None) -> Answer:
        """The reply, streamed if that was asked for."""
        breaks = fault is not None and fault.kind is FaultKind.STREAM_ERROR
        failure = Failure(status_of(self.face, OVERLOADED), OVERLOADED_TEXT)
        if not asked.stream:
            if breaks:
                return refusal(self.face, failure, self.request_id)
            return self._answer("application/json", [encode(document)], fault)
        frames = list(self.face.frames(asked, document, self.settings.chunking))
        if breaks:
            frames = [*frames[: len(frames) // 2], self.face.failure_frame(failure)]
        parts = frames if self.face.is_framed else pieces(frames, self.settings.chunking)
        return self._answer(self.face.stream_type, parts, fault)

    def _answer(self, content_type: str, parts: Iterable[bytes], fault: Fault | None) -> Answer:
        kind = None if fault is None else fault.kind
        wrong = kind is FaultKind.WRONG_ENCODING
        encoding = Encoding.IDENTITY if wrong or self.face.is_framed else self.settings.encoding
        written = tuple(encoded(iter(parts), encoding))
        latency, sleeps = self.settings.latency, self.clock.sleeps
        self.clock.advance(latency.per_piece_s * len(written))
        slow_s = fault.delay_s if fault is not None and kind is FaultKind.SLOW else 0.0
        label = Encoding.GZIP if wrong else encoding
        labelled = {} if label is Encoding.IDENTITY else {"content-encoding": label.value}
        return Answer(
            status=200,
            headers={**_typed(self.face, content_type, self.request_id), **labelled},
            pieces=written,
            delay_s=slow_s + (latency.first_byte_s if sleeps else 0.0),
            piece_delay_s=latency.per_piece_s if sleeps else 0.0,
            cut_after=len(written) // 2 if kind is FaultKind.CUT else None,
        )
