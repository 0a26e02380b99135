from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from proxy.wire.sse import SseDecoder, SseEvent
from tests.support.wire import pieces_of


def decode(*chunks: bytes, limit: int = 1 << 20) -> list[SseEvent]:
    decoder = SseDecoder(limit=limit)
    return [event for chunk in chunks for event in decoder.feed(chunk)]


def data_of(*chunks: bytes) -> list[bytes]:
    return [event.data for event in decode(*chunks)]


@pytest.mark.parametrize("end", [b"\n", b"\r", b"\r\n"])
def test_every_line_end_ends_a_line(end: bytes) -> None:
    stream = end.join([b"event: ping", b"data: {}", b"", b"data: 2", b"", b""])
    assert decode(stream) == [SseEvent("ping", b"{}"), SseEvent("", b"2")]


@pytest.mark.parametrize(
    ("stream", "data"),
    [
        (b"data:no space\n\n", [b"no space"]),
        (b"data:  two spaces\n\n", [b" two spaces"]),
        (b"data: a\ndata: b\n\n", [b"a\nb"]),
        (b"data\n\n", [b""]),
        (b"data:\ndata:\n\n", [b"\n"]),
        (b"\xef\xbb\xbfdata: after a mark\n\n", [b"after a mark"]),
        (b": keepalive\n\ndata: x\n\n", [b"x"]),
        (b":\n\n:\n\n", []),
        (b"id: 7\n\n", []),
        (b"id: 7\nretry: 10\nunknown: field\ndata: x\n\n", [b"x"]),
        (b"event: named only\n\ndata: x\n\n", [b"x"]),
        (b"DATA: names are exact\n\n", []),
        (b"data: x: y\n\n", [b"x: y"]),
        (b"\n\n\n", []),
        (b"", []),
    ],
)
def test_the_grammar(stream: bytes, data: list[bytes]) -> None:
    assert data_of(stream) == data


def test_a_name_belongs_to_its_own_frame_only() -> None:
    assert decode(b"event: a\ndata: 1\n\ndata: 2\n\n") == [SseEvent("a", b"1"), SseEvent("", b"2")]
    assert decode(b"event: a\n\ndata: 2\n\n") == [SseEvent("", b"2")]


def test_a_character_split_between_chunks_is_whole_again() -> None:
    said = "data: Grüße, 世界 🚀\n\n".encode()
    assert all(data_of(said[:cut], said[cut:]) == [said[6:-2]] for cut in range(len(said)))


@pytest.mark.parametrize("separator", ["\u2028", "\u2029", "\x85", "\x0b", "\x0c", "\x1e"])
def test_other_line_separators_are_text(separator: str) -> None:
    assert data_of(f"data: a{separator}b\n\n".encode()) == [f"a{separator}b".encode()]


def test_bad_bytes_pass_as_they_are() -> None:
    assert data_of(b"data: \xff\xfe\n\n") == [b"\xff\xfe"]


def test_a_frame_without_its_blank_line_did_not_happen() -> None:
    decoder = SseDecoder()
    assert decoder.feed(b"data: 1\n\ndata: 2\n") == [SseEvent("", b"1")]
    assert decoder.inside_event


@pytest.mark.parametrize("start", [b"", b"data: 1\n\n", b"data: 1\r\n\r\n", b": comment\n\n", b"\n"])
def test_between_events_nothing_is_unfinished(start: bytes) -> None:
    decoder = SseDecoder()
    decoder.feed(start)
    assert not decoder.inside_event


@pytest.mark.parametrize("start", [b"d", b"data: 1", b"data: 1\n", b"event: x\n", b":"])
def test_inside_a_frame_something_is_unfinished(start: bytes) -> None:
    decoder = SseDecoder()
    decoder.feed(start)
    assert decoder.inside_event


@pytest.mark.parametrize(
    "huge", [b"data: " + b"x" * 200, b"\n".join([b"data: " + b"x" * 40] * 4), b":" + b"x" * 200, b"x" * 200]
)
def test_a_huge_line_or_event_is_one_fault_and_the_next_event_is_read(huge: bytes) -> None:
    stream = b"data: 1\n\n" + huge + b"\n\ndata: 2\n\n"
    events = decode(stream, limit=100)
    assert [event.data for event in events] == [b"1", b"", b"2"]
    assert [event.fault for event in events] == ["", "event over 100 bytes", ""]


def test_a_huge_line_is_not_kept_in_memory() -> None:
    decoder = SseDecoder(limit=1000)
    for _ in range(1000):
        decoder.feed(b"x" * 1000)
    assert sum(map(len, decoder._line)) <= 1000


STREAM_ALPHABET = st.sampled_from(
    [
        b"\r",
        b"\n",
        b"\r\n",
        b"data:",
        b"data: ",
        b"event: a",
        b":",
        b" ",
        b"x",
        b"\xef\xbb\xbf",
        "ü".encode(),
        b"id",
        b"\xff",
    ]
)


@given(st.lists(STREAM_ALPHABET, max_size=30).map(b"".join), st.lists(st.integers(0, 60), max_size=8))
@example(b"data: 1\r\n\r\ndata: 2\r\r", [8, 9, 10])
@settings(max_examples=400, deadline=None)
def test_any_split_gives_the_same_events(stream: bytes, cuts: list[int]) -> None:
    whole, split = SseDecoder(limit=40), SseDecoder(limit=40)
    expected = whole.feed(stream)
    assert [event for piece in pieces_of(stream, cuts) for event in split.feed(piece)] == expected
    assert split.inside_event == whole.inside_event
