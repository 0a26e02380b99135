from __future__ import annotations

import gzip
from typing import Any

import brotli
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from proxy.scripted.sending.encoding import decoded, encoded, pieces
from proxy.scripted.settings import Chunking, Encoding


@given(st.integers(1, 300), st.integers(1, 5))
def test_pieces_hold_the_same_bytes_however_they_are_cut(split: int, count: int) -> None:
    events = [f"event {number}\n\n".encode() for number in range(40)]
    for chunking in (Chunking(split_bytes=split), Chunking(frames_per_piece=count)):
        assert b"".join(pieces(events, chunking)) == b"".join(events)


@pytest.mark.parametrize("encoding", list(Encoding))
def test_each_piece_can_be_decoded_when_it_arrives(encoding: Encoding) -> None:
    parts = [b"one ", b"two ", b"three"]
    written = list(encoded(iter(parts), encoding))
    readers: dict[Encoding, Any] = {
        Encoding.IDENTITY: lambda raw: raw,
        Encoding.GZIP: gzip.decompress,
        Encoding.BR: brotli.decompress,
        Encoding.ZSTD: lambda raw: zstandard.ZstdDecompressor().decompressobj().decompress(raw),
    }
    assert readers[encoding](b"".join(written)) == b"one two three"
    assert len(written) >= len(parts)


@pytest.mark.parametrize(
    ("encoding", "body"),
    [
        ("", b"{}"),
        ("identity", b"{}"),
        ("gzip", gzip.compress(b"{}")),
        ("br", brotli.compress(b"{}")),
        ("zstd", zstandard.compress(b"{}")),
    ],
)
def test_request_bodies_may_be_encoded(encoding: str, body: bytes) -> None:
    assert decoded(body, encoding) == b"{}"


@pytest.mark.parametrize("encoding", ["gzip", "br", "zstd", "rot13"])
def test_a_body_that_is_not_in_its_encoding_is_refused(encoding: str) -> None:
    with pytest.raises(ValueError, match=encoding):
        decoded(b"plain", encoding)
