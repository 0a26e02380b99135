"""The frame of the journal: segment header, record head, and places in between. No I/O.

A record is what one write holds of one exchange. All numbers are little-endian. A record's CRC-32 starts from the
writer's id and covers everything after itself: generation, number, exchange, kind, lengths and payload. Each life of a
recycled file has a generation of its own, so bytes of an earlier life, of another writer, or from inside a body never
pass for a record.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from struct import Struct
from typing import NamedTuple

from isal.isal_zlib import crc32

VERSION = 1
MAGIC = b"CGATEJNL"

Buffer = bytes | memoryview


class Kind(IntEnum):
    """What a record is about."""

    EXCHANGE = 1
    """What was held back of one exchange: up to five parts."""
    LOST = 2
    """In place of the first part a list of exchanges whose recording stopped: they never get a `close`."""


class Part(IntEnum):
    """Parts of a record in the order in which they stand in its payload; one of length 0 is not there."""

    OPEN = 0
    REQUEST = 1
    """Request body bytes with the length and time of each piece."""
    RESPONSE = 2
    """Final response head."""
    REPLY = 3
    """Response body bytes with the length and time of each piece."""
    CLOSE = 4


REQUEST_COMPLETE = 1
RESPONSE_COMPLETE = 2
REQUEST_CAPPED = 4
RESPONSE_CAPPED = 8
"""Flags of every record, as known when it was written, so that a cut or open exchange has them too. A capped direction
is not recorded any further."""


class Mark(NamedTuple):
    """A place in one writer's journal: everything before it is done with. Marks of one writer compare by age."""

    number: int
    """Of the record that begins there, counted from 1 over the writer's life."""
    segment: int
    offset: int
    """Bytes from the start of the segment's file."""

    def __str__(self) -> str:
        return f"{self.number} {self.segment} {self.offset}"


def parse_mark(text: str) -> Mark | None:
    """Read what `str(mark)` wrote; None when it is something else."""
    words = text.split()
    if len(words) != len(Mark._fields) or not all(word.isdecimal() for word in words):
        return None
    return Mark(*map(int, words))


_SEGMENT = Struct("<8sI16s16sIQQQqqq")
_CRC = Struct("<I")
SEGMENT_HEADER_SIZE = 128
FIRST_RECORD = SEGMENT_HEADER_SIZE


@dataclass(frozen=True, slots=True, kw_only=True)
class SegmentHeader:
    """First 128 bytes of a segment."""

    writer: bytes
    """16 random bytes; the folder's name is their hex."""
    boot: bytes
    """The machine's boot id: monotonic times compare only inside one boot."""
    generation: int
    """Differs for every life of every file of one writer; starts at a random number."""
    segment: int
    first_number: int
    """Number of the segment's first record."""
    oldest_open: int
    """Exchanges below this number had ended when the segment was begun."""
    started_us: int
    """UTC microseconds when the writer started; orders the writers of one journal."""
    created_us: int
    created_mono_ns: int

    def encode(self) -> bytes:
        """Bytes of the header, its own CRC-32 in the last four."""
        fields = (self.writer, self.boot, self.generation, self.segment, self.first_number, self.oldest_open)
        times = (self.started_us, self.created_us, self.created_mono_ns)
        body = _SEGMENT.pack(MAGIC, VERSION, *fields, *times).ljust(SEGMENT_HEADER_SIZE - _CRC.size, b"\0")
        return body + _CRC.pack(crc32(body))


def segment_version(raw: bytes) -> int | None:
    """Format version a segment claims, readable for ever at the same place; None when it is no segment."""
    return int.from_bytes(raw[8:12], "little") if len(raw) >= SEGMENT_HEADER_SIZE and raw[:8] == MAGIC else None


def decode_segment_header(raw: bytes) -> SegmentHeader | None:
    """Read the header of a segment of this version; None when it is damaged."""
    body, check = raw[: SEGMENT_HEADER_SIZE - _CRC.size], raw[SEGMENT_HEADER_SIZE - _CRC.size : SEGMENT_HEADER_SIZE]
    if len(check) < _CRC.size or _CRC.unpack(check)[0] != crc32(body):
        return None
    _, _, writer, boot, generation, segment, first, oldest, started, created, mono = _SEGMENT.unpack_from(body)
    return SegmentHeader(
        writer=writer,
        boot=boot,
        generation=generation,
        segment=segment,
        first_number=first,
        oldest_open=oldest,
        started_us=started,
        created_us=created,
        created_mono_ns=mono,
    )


_RECORD = Struct("<IQQIBB2x5I")
RECORD_HEAD_SIZE = _CRC.size + _RECORD.size
GENERATION = Struct("<I")
GENERATION_AT = _CRC.size
"""Where in a record head its generation stands."""


class RecordHead(NamedTuple):
    """What stands before every payload, without its CRC."""

    generation: int
    number: int
    """Counts the records of one writer from 1."""
    exchange: int
    sequence: int
    """Counts the records of one exchange from 1: a missing one shows."""
    kind: int
    flags: int
    open: int
    """This and the next four: bytes of each part."""
    request: int
    response: int
    reply: int
    close: int

    @property
    def parts(self) -> tuple[int, ...]:
        """Bytes of each part, in order."""
        return self[-len(Part) :]


class Draft(NamedTuple):
    """A record that has no place in a segment yet."""

    kind: int
    flags: int
    exchange: int
    sequence: int
    parts: tuple[int, int, int, int, int]
    payload: list[Buffer]
    size: int
    """Bytes of head and payload."""


def lost_draft(payload: bytes) -> Draft:
    """Record with that list of lost exchanges."""
    return Draft(Kind.LOST, 0, 0, 0, (len(payload), 0, 0, 0, 0), [payload], RECORD_HEAD_SIZE + len(payload))


def writer_seed(writer: bytes) -> int:
    """Where the CRC of every record of that writer starts."""
    return crc32(writer)


def encode_record(record: Draft, *, number: int, generation: int, seed: int) -> bytes:
    """Record head for that place; the payload's buffers follow it as they are."""
    kind, flags, exchange, sequence, parts, payload, _ = record
    rest = _RECORD.pack(generation, number, exchange, sequence, kind, flags, *parts)
    crc = crc32(rest, seed)
    for buffer in payload:
        crc = crc32(buffer, crc)
    return _CRC.pack(crc) + rest


def decode_record_head(raw: Buffer, at: int) -> RecordHead:
    """Read the head that begins there, without a judgement; `raw` is long enough."""
    return RecordHead._make(_RECORD.unpack_from(raw, at + _CRC.size))


def is_intact(raw: Buffer, at: int, length: int, seed: int) -> bool:
    """Do the CRC and the bytes of the record that begins there agree?"""
    body = memoryview(raw)[at + _CRC.size : at + RECORD_HEAD_SIZE + length]
    return bool(_CRC.unpack_from(raw, at)[0] == crc32(body, seed))
