from __future__ import annotations

from proxy.model.messages import Reply
from proxy.wire.faults import Faults
from proxy.wire.reply import ReplyReader
from tests.support.wire import encoded


class Recording:
    """An assembler of another dialect, as far as the reader knows."""

    def __init__(self) -> None:
        self.faults = Faults()
        self.seen: list[object] = []

    def event(self, number: int, name: str, payload: object) -> None:
        self.seen.append((number, name, payload))

    def document(self, payload: object) -> None:
        self.seen.append(payload)

    def reply(self) -> Reply:
        return Reply(
            id="", model="", blocks=(), stop_reason="", terminal=False, iterations=(), faults=self.faults.texts()
        )


def test_a_dialect_gets_events_with_place_and_name() -> None:
    assembler = Recording()
    reader = ReplyReader(assembler, ())
    reader.feed(b'data: {"a": 1}\n\nevent: b\nda')
    reader.feed(b"ta: null\n\n")
    reader.close()
    assert assembler.seen == [(1, "", {"a": 1}), (2, "b", None)]


def test_a_dialect_gets_a_document_whole() -> None:
    assembler = Recording()
    reader = ReplyReader(assembler, ())
    for piece in (b" ", b"\n[1", b", 2]"):
        reader.feed(piece)
    reader.close()
    assert assembler.seen == [[1, 2]]


def test_the_same_reply_comes_however_often_it_is_asked_for() -> None:
    reader = ReplyReader(Recording(), ())
    assert reader.close() is reader.close()


def test_a_body_over_the_limit_is_read_up_to_it_and_said() -> None:
    assembler = Recording()
    reader = ReplyReader(assembler, (), limit=20)
    reader.feed(b'data: {"a": 1}\n\ndata: {"b": 2}\n\n')
    assert reader.close().faults == ("too large after decoding", "stream ends inside an event")
    assert assembler.seen == [(1, "", {"a": 1})]


def test_a_bomb_is_bounded_and_said() -> None:
    body, headers = encoded(b"data: 1\n\n" + bytes(30 << 20), "zstd", "gzip")
    reader = ReplyReader(Recording(), headers, limit=1 << 20)
    reader.feed(body)
    assert reader.close().faults[0] == "too large after decoding"


def test_a_huge_event_is_a_fault_and_the_next_one_is_read() -> None:
    assembler = Recording()
    reader = ReplyReader(assembler, ())
    reader.feed(b"data: 1\n\ndata: ")
    for _ in range(17):
        reader.feed(b"x" * (1 << 20))
    reader.feed(b"\n\ndata: 3\n\n")
    assert reader.close().faults == ("event 2: event over 16777216 bytes",)
    assert assembler.seen == [(1, "", 1), (3, "", 3)]


def test_an_array_that_breaks_off_is_read_as_far_as_it_came_and_said() -> None:
    assembler = Recording()
    reader = ReplyReader(assembler, ())
    for piece in (b'[{"a": "]', b'}"},\r\n{"b": [1]}', b',\r\n{"c": "x'):
        reader.feed(piece)
    assert reader.close().faults == ("body: invalid JSON",)
    assert assembler.seen == [[{"a": "]}"}, {"b": [1]}]]
