from __future__ import annotations

from collections.abc import Iterable

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from proxy.wire.websocket.inflate import Inflater
from proxy.wire.websocket.messages import Message, MessageReader
from tests.support.websocket import BINARY, CLOSE, MASK, PING, TEXT, frame, peer_frames
from tests.support.wire import pieces_of

QUICK = settings(deadline=None, max_examples=80)
CUTS = st.lists(st.integers(0, 200), max_size=8)
COMPRESSED = 0x40


def texts_of(reader: MessageReader, *pieces: bytes) -> list[bytes]:
    return [message.text for piece in pieces for message in reader.feed(piece, 0)]


@QUICK
@given(
    texts=st.lists(st.one_of(st.text(max_size=80).map(str.encode), st.sampled_from([b"x" * 126, b"y" * 70_000]))),
    masked=st.booleans(),
    takeover=st.sampled_from([None, True, False]),
    cuts=CUTS,
)
def test_any_split_of_what_a_real_peer_sends_gives_its_messages(
    texts: list[bytes], masked: bool, takeover: bool | None, cuts: list[int]
) -> None:
    sent = peer_frames(texts, masked=masked, takeover=takeover)
    inflater = None if takeover is None else Inflater(takeover=takeover)
    reader = MessageReader(masked=masked, inflater=inflater)
    assert texts_of(reader, *pieces_of(sent, cuts)) == texts
    assert reader.fault == ""


@QUICK
@given(sent=st.binary(max_size=60), masked=st.booleans(), deflate=st.booleans(), cuts=CUTS)
@example(sent=b"\x81\x05hello\x81", masked=False, deflate=False, cuts=[3])
@example(sent=b"\xc1\x05hello\x81", masked=False, deflate=True, cuts=[3])
def test_any_bytes_give_the_same_however_they_are_cut(
    sent: bytes, masked: bool, deflate: bool, cuts: list[int]
) -> None:
    def read(pieces: Iterable[bytes]) -> tuple[list[bytes], str, int, bool]:
        reader = MessageReader(masked=masked, inflater=Inflater(takeover=True) if deflate else None, limit=50)
        return texts_of(reader, *pieces), reader.fault, reader.binary, reader.closed

    assert read(pieces_of(sent, cuts)) == read([sent])


def test_fragments_are_one_message_and_control_frames_may_stand_between_them() -> None:
    reader = MessageReader(masked=False)
    sent = frame(b"frag", final=False) + frame(b"are you there", PING) + frame(b"men", 0, final=False) + frame(b"ts", 0)
    assert texts_of(reader, sent, frame(b"next")) == [b"fragments", b"next"]


def test_a_compressed_message_in_fragments_is_decompressed_as_one() -> None:
    whole = peer_frames([b"the same again " * 20] * 2, masked=False, takeover=True)
    payloads = [whole[2 : 2 + whole[1]], whole[4 + whole[1] :]]
    frames = b"".join(
        frame(payload[:5], bits=COMPRESSED, final=False) + frame(b"", 0, final=False) + frame(payload[5:], 0)
        for payload in payloads
    )
    reader = MessageReader(masked=False, inflater=Inflater(takeover=True))
    assert texts_of(reader, frames + frame(b"plain all the same")) == [
        b"the same again " * 20,
        b"the same again " * 20,
        b"plain all the same",
    ]


def test_a_message_has_the_time_of_its_first_byte() -> None:
    reader = MessageReader(masked=False)
    first, second = frame(b"one", final=False), frame(b" two", 0) + frame(b"three")
    assert reader.feed(first[:1], 10) == []
    assert reader.feed(first[1:], 20) == []
    assert reader.feed(second[:-2], 30) == [Message(b"one two", 10)]
    assert reader.feed(second[-2:], 40) == [Message(b"three", 30)]


def test_binary_messages_are_counted_and_keep_the_window_right() -> None:
    hello = b"hello hello hello"
    sent = bytearray(peer_frames([hello, hello], masked=False, takeover=True))
    sent[0] = sent[0] & 0xF0 | BINARY
    reader = MessageReader(masked=False, inflater=Inflater(takeover=True))
    assert texts_of(reader, bytes(sent)) == [hello]
    assert reader.binary == 1


def test_nothing_counts_behind_a_close() -> None:
    reader = MessageReader(masked=False)
    assert texts_of(reader, frame(b"last") + frame(b"\x03\xe8", CLOSE) + b"\xff garbage", b"more") == [b"last"]
    assert (reader.closed, reader.fault) == (True, "")


def test_lengths_written_longer_than_need_be_are_read() -> None:
    assert texts_of(MessageReader(masked=False), b"\x81\x7e\x00\x01a\x81\x7f" + (1).to_bytes(8) + b"b") == [b"a", b"b"]


@pytest.mark.parametrize(
    ("sent", "fault"),
    [
        (frame(b"a", mask=MASK), "masked frame"),
        (frame(b"a", bits=0x20), "reserved bits"),
        (frame(b"a", bits=COMPRESSED), "reserved bits"),
        (frame(b"a", 3), "unknown opcode"),
        (frame(b"a", 11), "unknown opcode"),
        (frame(b"a", 0), "continuation of no message"),
        (frame(b"a", final=False) + frame(b"b"), "message inside a message"),
        (frame(b"a", PING, final=False), "control frame in parts or over 125 bytes"),
        (frame(b"a" * 126, PING), "control frame in parts or over 125 bytes"),
        (frame(b"a", PING, bits=COMPRESSED), "reserved bits"),
        (frame(b"a" * 101), "message over 100 bytes"),
        (frame(b"a" * 60, final=False) + frame(b"a" * 41, 0), "message over 100 bytes"),
        (b"\x81\x7f" + b"\xff" * 8, "message over 100 bytes"),
    ],
)
def test_a_breach_is_told_once_and_the_rest_is_not_read(sent: bytes, fault: str) -> None:
    reader = MessageReader(masked=False, limit=100)
    assert texts_of(reader, frame(b"before") + sent + frame(b"behind"), frame(b"later")) == [b"before"]
    assert reader.fault == fault


def test_a_client_has_to_mask() -> None:
    reader = MessageReader(masked=True)
    assert texts_of(reader, frame(b"masked", mask=MASK) + frame(b"plain")) == [b"masked"]
    assert reader.fault == "unmasked frame"


@pytest.mark.parametrize(
    ("sent", "fault"),
    [
        (frame(b"\xff\xff\xff", bits=COMPRESSED), "compressed data"),
        (peer_frames([b"a" * 10_000], masked=False, takeover=True), "message over 100 bytes"),
        (frame(b"a", final=False) + frame(b"b", 0, bits=COMPRESSED), "reserved bits"),
    ],
)
def test_compressed_data_can_be_wrong_or_too_much(sent: bytes, fault: str) -> None:
    reader = MessageReader(masked=False, inflater=Inflater(takeover=True), limit=100)
    assert texts_of(reader, sent + frame(b"behind", TEXT)) == []
    assert reader.fault == fault


def test_a_reader_that_was_stopped_reads_nothing_more_and_keeps_its_first_reason() -> None:
    reader = MessageReader(masked=False)
    reader.feed(frame(b"half of it")[:5], 0)
    reader.stop("not recorded")
    reader.stop("for another reason")
    assert texts_of(reader, frame(b"half of it")[5:], frame(b"more")) == []
    assert (reader.fault, reader.is_over) == ("not recorded", True)
