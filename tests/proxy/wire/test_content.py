from __future__ import annotations

import gzip
import random
import zlib

import brotli
import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from proxy.wire.content import ContentDecoder, content_encodings, decode_body
from tests.support.wire import ENCODERS, encoded, pieces_of, raw_deflate

BODY = b'{"said": "Gr\xc3\xbc\xc3\x9fe"}' * 500


def says(*encodings: str) -> tuple[tuple[str, str], ...]:
    return tuple(("content-encoding", encoding) for encoding in encodings)


@pytest.mark.parametrize("name", list(ENCODERS))
def test_every_encoding_gives_the_body_back(name: str) -> None:
    assert decode_body(*encoded(BODY, name)) == (BODY, "")


@pytest.mark.parametrize("headers", [(), says("identity"), says(""), says("IDENTITY, identity")])
def test_a_body_without_encoding_is_itself_and_is_not_copied(headers: tuple[tuple[str, str], ...]) -> None:
    assert decode_body(BODY, headers).body is BODY


def test_stacked_encodings_come_off_in_reverse_order() -> None:
    body, _ = encoded(BODY, "gzip", "br", "zstd")
    assert decode_body(body, says("gzip, br", "zstd")) == (BODY, "")
    assert content_encodings((("X", "y"), ("Content-Encoding", " GZip ,br"), ("CONTENT-ENCODING", "zstd"))) == (
        "gzip", "br", "zstd",
    )  # fmt: skip


def test_raw_deflate_is_told_from_zlib() -> None:
    assert decode_body(raw_deflate(BODY), says("deflate")) == (BODY, "")
    assert decode_body(raw_deflate(b""), says("deflate")) == (b"", "")


@pytest.mark.parametrize(
    ("body", "name"),
    [
        (gzip.compress(BODY) + gzip.compress(BODY), "gzip"),
        (gzip.compress(BODY) + gzip.compress(b"") + gzip.compress(BODY) + bytes(20), "gzip"),
        (zstandard.compress(BODY) + zstandard.compress(BODY), "zstd"),
        (zstandard.compress(BODY) + b"\x50\x2a\x4d\x18\x04\0\0\0skip" + zstandard.compress(BODY), "zstd"),
    ],
    ids=["members", "empty member and padding", "frames", "skippable frame"],
)
def test_bodies_of_several_parts_are_read_to_their_end(body: bytes, name: str) -> None:
    assert decode_body(body, says(name)) == (BODY + BODY, "")


@pytest.mark.parametrize("name", list(ENCODERS))
def test_an_empty_body_is_not_damaged(name: str) -> None:
    assert decode_body(b"", says(name)) == (b"", "")


@pytest.mark.parametrize("name", list(ENCODERS))
def test_a_body_in_another_encoding_is_a_fault(name: str) -> None:
    assert decode_body(b"event: message_start\ndata: {}\n\n", says(name)).fault.startswith(f"undecodable: {name}")


@pytest.mark.parametrize("name", list(ENCODERS))
def test_a_body_that_ends_early_keeps_what_came(name: str) -> None:
    noise = random.Random(1).randbytes(200_000)
    body, headers = encoded(noise, name)
    decoded, fault = decode_body(body[:-20], headers)
    assert fault == f"{name} ends early"
    assert decoded
    assert noise.startswith(decoded)


@pytest.mark.parametrize("name", ["gzip", "br"])
def test_bytes_after_the_end_are_a_fault(name: str) -> None:
    body, headers = encoded(BODY, name)
    assert decode_body(body + b"trailing", headers).fault == f"undecodable: {name}"


@pytest.mark.parametrize(
    ("headers", "fault"),
    [
        (says("aws-chunked"), "undecodable: unknown encoding"),
        (says("gzip, s3cret"), "undecodable: unknown encoding"),
        (says(*["gzip"] * 5), "undecodable: too many encodings"),
    ],
)
def test_unknown_encodings_are_faults_without_their_names(headers: tuple[tuple[str, str], ...], fault: str) -> None:
    assert decode_body(BODY, headers) == (b"", fault)


@pytest.mark.parametrize("name", list(ENCODERS))
def test_a_bomb_stops_at_the_limit(name: str) -> None:
    bomb, headers = encoded(bytes(50 << 20), name)
    decoded, fault = decode_body(bomb, headers, limit=10 << 20)
    assert fault == "too large after decoding"
    assert len(decoded) == 10 << 20


def test_a_bomb_inside_a_bomb_stops_at_the_limit() -> None:
    bomb, headers = encoded(bytes(100 << 20), "zstd", "br", "gzip")
    assert len(bomb) < 1000
    assert decode_body(bomb, headers, limit=1 << 20).fault == "too large after decoding"


def test_a_body_of_exactly_the_limit_passes() -> None:
    body, headers = encoded(BODY, "gzip")
    assert decode_body(body, headers, limit=len(BODY)) == (BODY, "")
    assert decode_body(body, headers, limit=len(BODY) - 1).fault == "too large after decoding"


def flushed(name: str, parts: list[bytes]) -> list[bytes]:
    """One encoded chunk per part, each complete as far as it goes, as a server flushes per event (F29)."""
    match name:
        case "gzip":
            deflate = zlib.compressobj(wbits=31)
            return [deflate.compress(part) + deflate.flush(zlib.Z_SYNC_FLUSH) for part in parts]
        case "br":
            compressor = brotli.Compressor()
            return [compressor.process(part) + compressor.flush() for part in parts]
        case _:
            frame = zstandard.ZstdCompressor().compressobj()
            return [frame.compress(part) + frame.flush(zstandard.COMPRESSOBJ_FLUSH_BLOCK) for part in parts]


@pytest.mark.parametrize("name", ["gzip", "br", "zstd"])
def test_a_flushed_event_is_decoded_before_the_next_one_comes(name: str) -> None:
    events = [b"data: %d\n\n" % number for number in range(5)]
    decoder = ContentDecoder(says(name))
    assert [decoder.feed(chunk) for chunk in flushed(name, events)] == events


@given(
    st.sampled_from([("gzip",), ("deflate",), ("br",), ("zstd",), ("gzip", "br"), ("zstd", "gzip")]),
    st.binary(max_size=300),
    st.lists(st.integers(0, 400), max_size=6),
    st.one_of(st.none(), st.tuples(st.integers(0, 400), st.integers(0, 255))),
)
@settings(max_examples=250, deadline=None)
def test_any_split_of_whole_and_damaged_bodies_gives_the_same(
    names: tuple[str, ...], body: bytes, cuts: list[int], damage: tuple[int, int] | None
) -> None:
    sent, headers = encoded(body, *names)
    if damage is not None and sent:
        place = damage[0] % len(sent)
        sent = sent[:place] + bytes([damage[1]]) + sent[place + 1 :]
    decoder = ContentDecoder(headers)
    decoded = b"".join(decoder.feed(piece) for piece in pieces_of(sent, cuts))
    decoder.close()
    whole = decode_body(sent, headers)
    assert decoder.fault == whole.fault
    if not whole.fault.startswith("undecodable"):
        assert decoded == whole.body
