from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proxy.framing.chunked import ChunkedBody
from proxy.framing.faults import FramingError


def whole(buffer: bytes) -> tuple[int, bytes, bool]:
    end, payload, last = ChunkedBody().read(buffer, 0)
    return end, bytes(payload), last


@pytest.mark.parametrize(
    ("body", "payload"),
    [
        (b"0\r\n\r\n", b""),
        (b"5\r\nhello\r\n0\r\n\r\n", b"hello"),
        (b'0005;name="v";x\r\nhello\r\n000;last\r\n\r\n', b"hello"),
        (b"A\r\n0123456789\r\na\r\n0123456789\r\n0\r\n\r\n", b"0123456789" * 2),
        (b"2\r\n\r\n\r\n0\r\n\r\n", b"\r\n"),
        (b"1\r\nx\r\n0\r\nX-Sum: 1\r\nX-More: 2\r\n\r\n", b"x"),
        (b"1388\r\n" + b"z" * 5000 + b"\r\n0\r\n\r\n", b"z" * 5000),
    ],
)
def test_a_body_is_followed_to_its_end_and_not_further(body: bytes, payload: bytes) -> None:
    assert whole(body + b"GET / HTTP/1.1") == (len(body), payload, True)


@pytest.mark.parametrize(
    "body",
    [
        b"\r\n", b"x\r\n", b"-1\r\n", b"+1\r\n", b"0x1\r\n", b" 1\r\n", b"1 \r\n", b"1 ;x\r\n", b"1_0\r\n", b";x\r\n",
        b"1\n", b"1\rx", b"1\r\nab", b"1\r\na\rb", b"1\r\na\n", b"F" * 16 + b"\r\n", b"1" * 17 + b"\r\n",
        b"8000000000000000\r\n", b"1;\x00\r\n", b"1;" + b"x" * 2000 + b"\r\n",
        b"0\r\nContent-Length: 5\r\n\r\n", b"0\r\nTransfer-Encoding: chunked\r\n\r\n", b"0\r\nHost: b\r\n\r\n",
        b"0\r\nno colon\r\n\r\n", b"0\r\n folded: x\r\n\r\n", b"0\r\nX: a\rb\r\n\r\n", b"0\r\nX: y\n\r\n\r\n",
        b"0\r\n" + b"X: y\r\n" * 300 + b"\r\n", b"0\r\nX: " + b"y" * 70_000,
    ],
)  # fmt: skip
def test_malformed_framing_is_refused(body: bytes) -> None:
    with pytest.raises(FramingError):
        ChunkedBody().read(body, 0)


def test_payload_comes_out_before_its_chunk_is_complete() -> None:
    chunks = ChunkedBody()
    assert chunks.read(b"A\r\n0123", 0) == (7, b"0123", False)
    assert chunks.read(b"456789\r", 0) == (6, b"456789", False)
    assert chunks.read(b"\r\n0", 0) == (2, b"", False)


def test_framing_is_held_back_until_it_is_certain() -> None:
    chunks = ChunkedBody()
    assert chunks.read(b"5", 0) == (0, b"", False)
    assert chunks.read(b"5\r", 0) == (0, b"", False)
    assert chunks.read(b"0\r\nX: y\r\n", 0) == (0, b"", False)
    assert chunks.read(b"0\r\nX: y\r\n\r\n", 0) == (11, b"", True)


@st.composite
def chunked_bodies(draw: st.DrawFn) -> tuple[bytes, bytes]:
    """A valid body and its payload."""
    pieces = draw(st.lists(st.binary(min_size=1, max_size=40), max_size=6))
    extension = st.sampled_from([b"", b";a", b';a="b c"'])
    framed = b"".join(b"%x%s\r\n%s\r\n" % (len(piece), draw(extension), piece) for piece in pieces)
    trailers = draw(st.sampled_from([b"", b"X-Sum: 1\r\n", b"A: b\r\nC:\r\n"]))
    return framed + b"0\r\n" + trailers + b"\r\n", b"".join(pieces)


@settings(max_examples=200)
@given(body=chunked_bodies(), cuts=st.lists(st.integers(0, 400), max_size=12))
def test_any_split_gives_the_same_payload_and_end(body: tuple[bytes, bytes], cuts: list[int]) -> None:
    framed, payload = body
    chunks = ChunkedBody()
    held, found, passed = b"", b"", b""
    ended = False
    marks = sorted({cut for cut in cuts if cut < len(framed)} | {0, len(framed)})
    for start, end in itertools.pairwise(marks):
        assert not ended
        held += framed[start:end]
        at, piece, ended = chunks.read(held, 0)
        found += piece
        passed += held[:at]
        held = held[at:]
    assert (found, passed, held, ended) == (payload, framed, b"", True)
