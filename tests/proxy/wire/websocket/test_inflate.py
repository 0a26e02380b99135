from __future__ import annotations

import zlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proxy.wire.websocket.inflate import InflateError, Inflater

ROOM = 1 << 20


class Deflater:
    """The other end."""

    def __init__(self, *, takeover: bool, bits: int = 15) -> None:
        self._takeover, self._bits = takeover, bits
        self._stream = self._fresh()

    def message(self, text: bytes) -> bytes:
        packed = self._stream.compress(text) + self._stream.flush(zlib.Z_SYNC_FLUSH)
        if not self._takeover:
            self._stream = self._fresh()
        return packed.removesuffix(b"\x00\x00\xff\xff")

    def _fresh(self) -> zlib._Compress:
        return zlib.compressobj(wbits=-self._bits)


def inflated(inflater: Inflater, *pieces: bytes) -> bytes:
    return b"".join(inflater.feed(piece, ROOM) for piece in pieces) + inflater.end_message(ROOM)


@settings(deadline=None, max_examples=100)
@given(
    texts=st.lists(st.text("abc \n", max_size=400), max_size=6),
    takeover=st.booleans(),
    bits=st.integers(9, 15),
    cut=st.integers(0, 40),
)
def test_messages_come_back_however_they_were_packed_and_cut(
    texts: list[str], takeover: bool, bits: int, cut: int
) -> None:
    there, here = Deflater(takeover=takeover, bits=bits), Inflater(takeover=takeover)
    for text in texts:
        packed = there.message(text.encode())
        assert inflated(here, packed[:cut], packed[cut:]) == text.encode()


def test_a_message_that_refers_to_an_earlier_one_needs_takeover() -> None:
    there, here = Deflater(takeover=True), Inflater(takeover=False)
    text = b"say it once, refer to it for ever after"
    assert inflated(here, there.message(text)) == text
    with pytest.raises(InflateError):
        inflated(here, there.message(text))


def test_a_stream_may_be_closed_inside_and_between_messages() -> None:
    text = b"words that stand in the window " * 3
    here = Inflater(takeover=True)

    def closed(stream: zlib._Compress) -> bytes:
        return stream.compress(text) + stream.flush(zlib.Z_FINISH)

    first = closed(zlib.compressobj(wbits=-15))
    again = closed(zlib.compressobj(wbits=-15, zdict=text))
    assert len(again) < 8
    assert inflated(here, first + b"\0") == text
    assert inflated(here, again, again + b"\0") == text + text


def test_a_bomb_stops_at_the_room_there_is() -> None:
    bomb = Deflater(takeover=True).message(bytes(50 << 20))
    assert len(bomb) < 60_000
    assert len(Inflater(takeover=True).feed(bomb, 1000)) == 1001


def test_what_is_no_compressed_data_says_so() -> None:
    with pytest.raises(InflateError, match="compressed data"):
        Inflater(takeover=True).feed(b"\xff\xff\xff", ROOM)
