"""Records of one writer to exchanges. Bodies stay in the segments until their exchange ends.

An exchange is given out when its `CLOSE` is read and none of its records is missing; never otherwise, and never twice.
The calls on a socket are given out as they end: its bytes go to its splitter at once and are not kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
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
from proxy.journal.sockets import Piece, Sockets, Splitter, in_order, kept_whole
from proxy.model.exchange import Exchange, Outcome
from proxy.model.ids import ExchangeId

SWITCHED = 101
"""Status of an accepted upgrade: frames follow it, in both directions."""


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
    splitter: Splitter | None = None
    """Set for a socket from its 101 on."""


@dataclass(slots=True)
class AssemblyCounters:
    """What became of what was read; integers that only grow."""

    records: int = 0
    exchanges: int = 0
    """Given out, cut ones among them; a socket is one."""
    calls: int = 0
    """Calls on sockets given out."""
    cut: int = 0
    lost: int = 0
    """Begun in the journal and given up by their writer, which counts them by reason."""
    damaged: int = 0
    """Not given out because a record of theirs is missing; of a socket what had not ended before."""
    orphans: int = 0
    """Records of exchanges that began before the place where reading started, or were damaged."""


class Assembler:
    """Exchanges of one writer that are open at the place where its reader stands."""

    def __init__(self, writer: str, fetch: Callable[[Extent], bytes], sockets: Sockets = kept_whole) -> None:
        self.counters = AssemblyCounters()
        self._writer = writer
        self._fetch = fetch
        self._sockets = sockets
        self._open: dict[int, _Open] = {}

    def oldest(self) -> Mark | None:
        """First record of the exchange that is open longest; None when none is open."""
        return next((entry.first for entry in self._open.values()), None)

    def oldest_body(self) -> int | None:
        """First segment with bytes that are still to be read; None when there are none."""
        return next((entry.first.segment for entry in self._open.values() if entry.splitter is None), None)

    def accept(self, record: Record, mark: Mark) -> Iterator[Exchange]:
        """Take the next record, while what it ends is asked for: take all of that before the next record.

        Until its last exchange is given out, `oldest` stays where it was.
        """
        self.counters.records += 1
        head = record.head
        if head.kind == Kind.LOST:
            for number in decode_lost(record.payload):
                self.counters.lost += self._open.pop(number, None) is not None
            return
        if head.open:
            self._open[head.exchange] = _Open(decode_open(record.payload[: head.open]), mark)
        entry = self._open.get(head.exchange)
        if entry is None:
            self.counters.orphans += 1
        elif head.sequence != entry.sequence + 1:
            del self._open[head.exchange]
            self.counters.damaged += 1
        else:
            entry.sequence = head.sequence
            yield from self._take(entry, record, mark.segment)

    def cut_all(self) -> Iterator[Exchange]:
        """Give out what a dead writer left open, each as far as it was recorded."""
        for number, entry in list(self._open.items()):
            self.counters.cut += 1
            yield from self._end(number, entry, None)

    def drop_ended(self, oldest_open: int) -> None:
        """Drop exchanges below that number: the writer says they had ended, so their end was not readable."""
        for number in [number for number in self._open if number < oldest_open]:
            del self._open[number]
            self.counters.damaged += 1

    def forget(self, before: Mark) -> None:
        """Forget what began before that place: another reader gave it out."""
        for number in [number for number, entry in self._open.items() if entry.first < before]:
            del self._open[number]

    def _take(self, entry: _Open, record: Record, segment: int) -> Iterator[Exchange]:
        head = record.head
        parts = _parts(record)
        newly = head.flags & ~entry.flags
        entry.flags = head.flags
        if head.response:
            entry.response = decode_response(parts[Part.RESPONSE].payload)
            if entry.response.status == SWITCHED:
                entry.splitter = self._sockets(self._exchange(head.exchange, entry, None))
        if entry.splitter is None:
            entry.request += _bodies(parts[Part.REQUEST], segment)
            entry.reply += _bodies(parts[Part.REPLY], segment)
        else:
            for piece in in_order(parts[Part.REQUEST].payload, parts[Part.REPLY].payload, newly):
                yield from self._split(entry.head, entry.splitter, piece)
        if head.close:
            yield from self._end(head.exchange, entry, decode_close(parts[Part.CLOSE].payload))

    def _split(self, head: OpenHead, splitter: Splitter, piece: Piece) -> Iterator[Exchange]:
        if piece.data is None:
            calls = splitter.stop(from_client=piece.from_client)
        else:
            at_us = (piece.mono_ns - head.mono_ns) // 1000
            calls = splitter.feed(piece.data, from_client=piece.from_client, at_us=at_us)
        for call in calls:
            self.counters.calls += 1
            yield call

    def _end(self, number: int, entry: _Open, ending: Ending | None) -> Iterator[Exchange]:
        whole = self._exchange(number, entry, ending)
        if entry.splitter is not None:
            *calls, whole = entry.splitter.close(whole)
            self.counters.calls += len(calls)
            yield from calls
        del self._open[number]  # last: a restart that has not seen all of it begins at its beginning
        self.counters.exchanges += 1
        yield whole

    def _exchange(self, number: int, entry: _Open, ending: Ending | None) -> Exchange:
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


class _PartAt(NamedTuple):
    """One part of a record; empty when it is not there."""

    payload: memoryview
    offset: int
    """In its segment."""


def _parts(record: Record) -> list[_PartAt]:
    """In the order of `Part`."""
    ends = list(accumulate(record.head.parts, initial=0))
    return [_PartAt(record.payload[begin:end], record.payload_at + begin) for begin, end in pairwise(ends)]


def _bodies(part: _PartAt, segment: int) -> list[Extent]:
    if not part.payload:
        return []
    table = pieces_size(part.payload)
    return [Extent(segment, part.offset + table, len(part.payload) - table)]
