"""Frames survive the round trip, and nothing else passes for one."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from proxy.journal.layout import (
    RECORD_HEAD_SIZE,
    SEGMENT_HEADER_SIZE,
    VERSION,
    Draft,
    Mark,
    SegmentHeader,
    decode_record_head,
    decode_segment_header,
    encode_record,
    is_intact,
    lost_draft,
    parse_mark,
    segment_version,
    writer_seed,
)

HEADER = SegmentHeader(
    writer=bytes(range(16)),
    boot=bytes(16),
    generation=0xFFFFFFFF,
    segment=3,
    first_number=17,
    oldest_open=5,
    started_us=1,
    created_us=2,
    created_mono_ns=3,
)
SEED = writer_seed(HEADER.writer)
u32, u64 = st.integers(0, 2**32 - 1), st.integers(0, 2**64 - 1)


def framed(payload: bytes, *, generation: int = 7, number: int = 1, seed: int = SEED) -> bytes:
    record = lost_draft(payload)
    return encode_record(record, number=number, generation=generation, seed=seed) + payload


def test_a_segment_header_comes_back_and_has_its_fixed_size() -> None:
    raw = HEADER.encode()
    assert len(raw) == SEGMENT_HEADER_SIZE
    assert decode_segment_header(raw) == HEADER
    assert segment_version(raw) == VERSION


def test_any_flipped_byte_of_a_segment_header_is_noticed() -> None:
    raw = HEADER.encode()
    for at in range(len(raw)):
        assert decode_segment_header(raw[:at] + bytes([raw[at] ^ 1]) + raw[at + 1 :]) is None
        assert decode_segment_header(raw[:at]) is None


def test_what_is_no_segment_claims_no_version() -> None:
    assert segment_version(b"something else".ljust(128)) is None
    assert segment_version(HEADER.encode()[:100]) is None


@settings(max_examples=60, deadline=None)
@given(payload=st.binary(max_size=300), generation=u32, number=u64, flip=st.integers(0, 10**6), bit=st.integers(0, 7))
def test_a_record_is_intact_as_written_and_in_no_other_way(
    payload: bytes, generation: int, number: int, flip: int, bit: int
) -> None:
    raw = framed(payload, generation=generation, number=number)
    head = decode_record_head(raw, 0)
    assert (head.generation, head.number, sum(head.parts)) == (generation, number, len(payload))
    assert is_intact(raw, 0, len(payload), SEED)
    damaged = bytearray(raw)
    damaged[flip % len(raw)] ^= 1 << bit
    assert not is_intact(bytes(damaged), 0, len(payload), SEED)
    assert not is_intact(raw, 0, len(payload), writer_seed(b"another writer"))


def test_a_record_of_an_earlier_life_differs_under_its_crc() -> None:
    old, new = framed(b"same", generation=1), framed(b"same", generation=2)
    assert old[:4] != new[:4]
    assert not is_intact(old[:4] + new[4:], 0, 4, SEED)


def test_the_payload_may_be_in_many_buffers() -> None:
    one = Draft(1, 0, 2, 3, (4, 0, 0, 2, 0), [b"abcdef"], RECORD_HEAD_SIZE + 6)
    many = one._replace(payload=[b"ab", b"", memoryview(b"cdef")])
    assert encode_record(one, number=1, generation=1, seed=0) == encode_record(many, number=1, generation=1, seed=0)


def test_marks_are_text_that_comes_back_and_compare_by_age() -> None:
    mark = Mark(12, 3, 456)
    assert parse_mark(f"{mark}\n") == mark
    assert mark < Mark(13, 1, 0)
    for text in ("", "1 2", "1 2 3 4", "1 2 x", "1 2 -3"):
        assert parse_mark(text) is None
