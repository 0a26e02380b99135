"""Records of one writer to exchanges. Bodies stay in the segments until their exchange ends.

An exchange is given out when its `CLOSE` is read and none of its records is missing; never otherwise, and never twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from proxy.journal.files import Record
from proxy.journal.layout import REQUEST_COMPLETE, RESPONSE_COMPLETE, Kind, Mark, Part
from proxy.journal.payloads import (
    Ending,
    OpenHead,
    ResponseHead,
    decode_close,
    decode_lost,
    decode_open,
    decode_response,
    pieces_size,
)
from proxy.model.exchange import Exchange, Outcome
from proxy.model.ids import ExchangeId


class Extent(NamedTuple):
    """Body bytes where they stand in the journal."""

    segment: int
    offset: int
    length: int


@dataclass(slots=True)
class _Open:
    """What is known of an exchange that has not ended."""

    head: OpenHead
    first: Mark
    sequence: int = 0
    flags: int = 0
    request: list[Extent] = field(default_factory=list)
    response: ResponseHead | None = None
    reply: list[Extent] = field(default_factory=list)


@dataclass(slots=True)
class AssemblyCounters:
    """What became of what was read; integers that only grow."""

    records: int = 0
    exchanges: int = 0
    """Given out, cut ones among them."""
    cut: int = 0
    lost: int = 0
    """Begun in the journal and given up by their writer, which counts them by reason."""
    damaged: int = 0
    """Not given out because a record of theirs is missing."""
    orphans: int = 0
    """Records of exchanges that began before the place where reading started, or were damaged."""


class Assembler:
    """Exchanges of one writer that are open at the place where its reader stands."""

    def __init__(self, writer: str, fetch: Callable[[Extent], bytes]) -> None:
        self.counters = AssemblyCounters()
        self._writer = writer
        self._fetch = fetch
        self._open: dict[int, _Open] = {}

    def oldest(self) -> Mark | None:
        """First record of the exchange that is open longest; None when none is open."""
        return next((entry.first for entry in self._open.values()), None)

    def accept(self, record: Record, mark: Mark) -> Exchange | None:
        """Take the next record; the exchange it ends, if it ends one."""
        self.counters.records += 1
        head = record.head
        if head.kind == Kind.LOST:
            for number in decode_lost(record.payload):
                self.counters.lost += self._open.pop(number, None) is not None
            return None
        if head.open:
            self._open[head.exchange] = _Open(decode_open(record.payload[: head.open]), mark)
        entry = self._open.get(head.exchange)
        if entry is None:
            self.counters.orphans += 1
            return None
        if head.sequence != entry.sequence + 1:
            del self._open[head.exchange]
            self.counters.damaged += 1
            return None
        entry.sequence = head.sequence
        entry.flags = head.flags
        return self._take(entry, record, mark.segment)

    def cut_all(self) -> Iterator[Exchange]:
        """Give out what a dead writer left open, each as far as it was recorded."""
        for number in list(self._open):
            entry = self._open.pop(number)
            self.counters.cut += 1
            yield self._exchange(number, entry, None)

    def drop_ended(self, oldest_open: int) -> None:
        """Drop exchanges below that number: the writer says they had ended, so their end was not readable."""
        for number in [number for number in self._open if number < oldest_open]:
            del self._open[number]
            self.counters.damaged += 1

    def forget(self, before: Mark) -> None:
        """Forget what began before that place: another reader gave it out."""
        for number in [number for number, entry in self._open.items() if entry.first < before]:
            del self._open[number]

    def _take(self, entry: _Open, record: Record, segment: int) -> Exchange | None:
        at = 0
        ending = None
        for part, length in zip(Part, record.head.parts, strict=True):
            payload = record.payload[at : at + length]
            place = record.payload_at + at
            at += length
            match part:
                case Part.REQUEST if length:
                    entry.request.append(_body(payload, segment, place))
                case Part.REPLY if length:
                    entry.reply.append(_body(payload, segment, place))
                case Part.RESPONSE if length:
                    entry.response = decode_response(payload)
                case Part.CLOSE if length:
                    ending = decode_close(payload)
        if ending is None:
            return None
        del self._open[record.head.exchange]
        return self._exchange(record.head.exchange, entry, ending)

    def _exchange(self, number: int, entry: _Open, ending: Ending | None) -> Exchange:
        self.counters.exchanges += 1
        head, response = entry.head, entry.response
        return Exchange(
            id=ExchangeId(self._writer, number),
            opened_us=head.wall_us,
            upstream=head.upstream,
            door=head.door,
            tag=head.tag,
            method=head.method,
            target=head.target,
            request_headers=tuple(head.headers),
            request_body=b"".join(map(self._fetch, entry.request)),
            request_complete=bool(entry.flags & REQUEST_COMPLETE),
            request_lost=ending.request_lost if ending else 0,
            status=response.status if response else None,
            response_headers=response.headers if response else (),
            response_body=b"".join(map(self._fetch, entry.reply)),
            response_complete=ending is not None and bool(entry.flags & RESPONSE_COMPLETE),
            response_lost=ending.response_lost if ending else 0,
            first_byte_us=(response.mono_ns - head.mono_ns) // 1000 if response else None,
            duration_us=(ending.mono_ns - head.mono_ns) // 1000 if ending else None,
            outcome=ending.outcome if ending else Outcome.CUT,
        )


def _body(payload: memoryview, segment: int, offset: int) -> Extent:
    table = pieces_size(payload)
    return Extent(segment, offset + table, len(payload) - table)
