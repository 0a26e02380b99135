"""Parts of a record survive the round trip."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proxy.journal.payloads import (
    Ending,
    decode_close,
    decode_lost,
    decode_open,
    decode_pieces,
    decode_response,
    encode_close,
    encode_lost,
    encode_open,
    encode_pieces,
    encode_response,
    pieces_size,
)
from proxy.model.exchange import Outcome
from tests.support.journal import open_head

fields = st.text(st.characters(codec="latin-1", exclude_characters="\n"), max_size=20)
header_lines = st.lists(st.tuples(fields, fields), max_size=6).map(tuple)
times = st.integers(-(2**63), 2**63 - 1)


@settings(max_examples=60, deadline=None)
@given(headers=header_lines, target=fields, wall_us=times, mono_ns=times)
def test_an_open_part_comes_back(headers: tuple[tuple[str, str], ...], target: str, wall_us: int, mono_ns: int) -> None:
    head = open_head(headers=headers, target=target, wall_us=wall_us, mono_ns=mono_ns)
    assert decode_open(encode_open(head)) == head


@settings(max_examples=60, deadline=None)
@given(headers=header_lines, status=st.integers(0, 999), mono_ns=times)
def test_a_response_head_comes_back(headers: tuple[tuple[str, str], ...], status: int, mono_ns: int) -> None:
    assert decode_response(encode_response(status, headers, mono_ns)) == (mono_ns, status, headers)


@pytest.mark.parametrize("outcome", Outcome)
def test_every_outcome_comes_back(outcome: Outcome) -> None:
    ending = Ending(7, 1 << 40, 2, outcome)
    assert decode_close(encode_close(ending)) == ending


@pytest.mark.parametrize("lengths", [[5], [1, 2, 3], [0] * 200])
def test_lengths_and_times_of_pieces_stand_before_their_bytes(lengths: list[int]) -> None:
    times_ns = [1_000 + n for n in range(len(lengths))]
    table = encode_pieces(lengths, times_ns)
    count = len(lengths)
    assert struct.unpack(f"<I{count}I{count}q", table) == (count, *lengths, *times_ns)
    assert pieces_size(table) == len(table)
    body = b"".join(bytes([number]) * length for number, length in enumerate(lengths))
    pieces = [
        (time_ns, bytes([number]) * length)
        for number, (time_ns, length) in enumerate(zip(times_ns, lengths, strict=True))
    ]
    assert list(decode_pieces(table + body)) == pieces


def test_lost_exchanges_come_back() -> None:
    assert decode_lost(memoryview(encode_lost([1, 1 << 60]))) == (1, 1 << 60)
