"""One exchange on its way into the journal: pieces are kept as they came until they make a batch.

The methods are on the live path: they do the least that keeps lengths and times, and never raise.
"""

from __future__ import annotations

from typing import Protocol

from proxy.journal.layout import (
    RECORD_HEAD_SIZE,
    REQUEST_CAPPED,
    REQUEST_COMPLETE,
    RESPONSE_CAPPED,
    RESPONSE_COMPLETE,
    Buffer,
    Draft,
    Kind,
)
from proxy.journal.payloads import (
    Ending,
    HeaderLines,
    OpenHead,
    encode_close,
    encode_open,
    encode_pieces,
    encode_response,
)
from proxy.model.exchange import Outcome

_FEW_PIECES = 4
_JOINED_BELOW = 16 * 1024
"""Few large buffers go to the kernel as they are; many or small ones are joined first, which is cheaper."""


class RecordSink(Protocol):
    """Where a recorder's records go."""

    def flush(self, recorder: ExchangeRecorder, /) -> None:
        """Write what it holds back."""

    def finish(self, recorder: ExchangeRecorder, /) -> None:
        """Write what it holds back; it has ended."""


class _Body:
    """Pieces of one direction that are not in the kernel yet."""

    __slots__ = ("capped", "pieces", "room", "size", "times")

    def __init__(self, cap: int) -> None:
        self.pieces: list[Buffer] = []
        self.times: list[int] = []
        self.size = 0
        self.room = cap
        self.capped = 0

    def take(self) -> list[Buffer]:
        """Payload of the pieces held so far, without what is above the cap; empty when nothing remains."""
        pieces, times = self.pieces, self.times
        if not pieces:
            return []
        self.pieces, self.times = [], []
        size, self.size = self.size, 0
        if size > self.room:
            self.capped += size - self.room
            pieces = _first_bytes(pieces, self.room)
            times = times[: len(pieces)]
            size = self.room
        self.room -= size
        if not pieces:
            return []
        table = encode_pieces(map(len, pieces), times)
        return [table, *pieces] if len(pieces) <= _FEW_PIECES else [table, b"".join(pieces)]


def _first_bytes(pieces: list[Buffer], size: int) -> list[Buffer]:
    kept = []
    for piece in pieces:
        if size <= 0:
            break
        kept.append(piece[:size])
        size -= len(piece)
    return kept


def _steady(payload: Buffer) -> Buffer:
    """A view whose bytes nobody can change before they are written, or a copy."""
    return payload if isinstance(payload, memoryview) and type(payload.obj) is bytes else bytes(payload)


class ExchangeRecorder:
    """Records one exchange. Once `lost` is true nothing more of it is recorded."""

    __slots__ = (
        "_batch",
        "_ending",
        "_flags",
        "_head",
        "_head_ns",
        "_open",
        "_request",
        "_response",
        "_sequence",
        "_sink",
        "lost",
        "number",
    )

    def __init__(self, number: int, head: OpenHead, sink: RecordSink, *, batch_bytes: int, body_cap: int) -> None:
        self.number = number
        self.lost = False
        self._sink = sink
        self._batch = batch_bytes
        self._open: OpenHead | None = head
        self._head: bytes | None = None
        self._head_ns = 0
        self._ending: tuple[Outcome, int] | None = None
        self._request = _Body(body_cap)
        self._response = _Body(body_cap)
        self._flags = 0
        self._sequence = 0

    def request_piece(self, payload: Buffer, mono_ns: int, /) -> None:
        """Transfer-decoded bytes of the request body as they arrived."""
        if type(payload) is not bytes:
            payload = _steady(payload)
        body = self._request
        body.pieces.append(payload)
        body.times.append(mono_ns)
        body.size = size = body.size + len(payload)
        if size >= self._batch:
            self._sink.flush(self)

    def request_done(self) -> None:
        """The request's last framing byte arrived."""
        self._flags |= REQUEST_COMPLETE

    def response_head(self, status: int, headers: HeaderLines, mono_ns: int, /) -> None:
        """Final response head; values of head secrets are already redacted."""
        self._head = encode_response(status, headers, mono_ns)
        self._head_ns = mono_ns

    def response_piece(self, payload: Buffer, mono_ns: int, /) -> None:
        """Transfer-decoded bytes of the response body as they arrived."""
        if type(payload) is not bytes:
            payload = _steady(payload)
        body = self._response
        body.pieces.append(payload)
        body.times.append(mono_ns)
        body.size = size = body.size + len(payload)
        if size >= self._batch:
            self._sink.flush(self)

    def leave_trace(self) -> None:
        """Be in the kernel before a part of the response, not its end, goes to the client; free after once."""
        if self._open is not None:
            self._sink.flush(self)

    def close(self, outcome: Outcome, mono_ns: int, *, response_complete: bool) -> None:
        """End the exchange; everything of it is in the kernel when this returns, or it is `lost`."""
        if response_complete:
            self._flags |= RESPONSE_COMPLETE
        self._ending = (outcome, mono_ns)
        self._sink.finish(self)

    @property
    def capped_bytes(self) -> int:
        """Body bytes of both directions above the cap, as far as taken."""
        return self._request.capped + self._response.capped

    def held_since_ns(self) -> int | None:
        """Monotonic time of the oldest thing that is not in the kernel; None when nothing is held back."""
        if self._open is not None:
            return self._open.mono_ns
        held = [times[0] for times in (self._request.times, self._response.times) if times]
        if self._head is not None:
            held.append(self._head_ns)
        return min(held, default=None)

    def take(self) -> Draft | None:
        """One record of all that is held back; None when that is nothing."""
        opened = encode_open(self._open) if self._open is not None else b""
        request = self._request.take()
        head = self._head or b""
        reply = self._response.take()
        close = self._encode_ending() if self._ending is not None else b""
        self._open = self._head = None
        parts = (len(opened), sum(map(len, request)), len(head), sum(map(len, reply)), len(close))
        size = sum(parts)
        if size == 0:
            return None
        payload = [opened, *request, head, *reply, close]
        self._flags |= (self._request.capped and REQUEST_CAPPED) | (self._response.capped and RESPONSE_CAPPED)
        if size < _JOINED_BELOW:
            payload = [b"".join(payload)]
        self._sequence += 1
        return Draft(Kind.EXCHANGE, self._flags, self.number, self._sequence, parts, payload, size + RECORD_HEAD_SIZE)

    def _encode_ending(self) -> bytes:
        assert self._ending is not None
        outcome, mono_ns = self._ending
        return encode_close(Ending(mono_ns, self._request.capped, self._response.capped, outcome))


class Unrecorded(ExchangeRecorder):
    """Stands in while recording is switched off: takes everything, keeps nothing."""

    __slots__ = ()

    def __init__(self, number: int) -> None:
        self.number = number
        self.lost = True

    def request_piece(self, payload: Buffer, mono_ns: int, /) -> None:
        """Keep nothing."""

    def request_done(self) -> None:
        """Keep nothing."""

    def response_head(self, status: int, headers: HeaderLines, mono_ns: int, /) -> None:
        """Keep nothing."""

    def response_piece(self, payload: Buffer, mono_ns: int, /) -> None:
        """Keep nothing."""

    def leave_trace(self) -> None:
        """Keep nothing."""

    def close(self, outcome: Outcome, mono_ns: int, *, response_complete: bool) -> None:
        """Keep nothing."""
