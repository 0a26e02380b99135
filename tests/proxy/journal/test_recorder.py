"""What one exchange holds back, and when it lets go."""

from __future__ import annotations

from proxy.journal.layout import REQUEST_CAPPED, REQUEST_COMPLETE, RESPONSE_CAPPED, RESPONSE_COMPLETE, RecordHead
from proxy.journal.recorder import ExchangeRecorder, Unrecorded
from proxy.model.exchange import Outcome
from tests.support.journal import open_head


class Sink:
    """Remembers who asked to be written."""

    def __init__(self) -> None:
        self.calls: list[str] = []

    def flush(self, recorder: ExchangeRecorder, /) -> None:
        self.calls.append(f"flush {recorder.number}")
        recorder.take()

    def finish(self, recorder: ExchangeRecorder, /) -> None:
        self.calls.append(f"finish {recorder.number}")


def recorder_into(sink: Sink, *, cap: int = 1 << 20) -> ExchangeRecorder:
    return ExchangeRecorder(5, open_head(mono_ns=100), sink, batch_bytes=10, body_cap=cap)


def test_each_direction_is_let_go_when_it_makes_a_batch() -> None:
    sink = Sink()
    recorder = recorder_into(sink)
    recorder.request_piece(b"123456789", 1)
    recorder.response_piece(b"123456789", 2)
    assert sink.calls == []
    recorder.request_piece(b"0", 3)
    recorder.response_piece(b"1234567890", 4)
    assert sink.calls == ["flush 5", "flush 5"]


def test_all_parts_of_a_small_exchange_make_one_record() -> None:
    recorder = recorder_into(Sink())
    recorder.request_piece(b"q", 1)
    recorder.request_done()
    recorder.response_head(200, (), 2)
    recorder.response_piece(b"a", 3)
    recorder.close(Outcome.COMPLETE, 4, response_complete=True)
    record = recorder.take()
    assert record is not None
    assert (record.sequence, record.flags) == (1, REQUEST_COMPLETE | RESPONSE_COMPLETE)
    assert len(record.parts) == 5
    assert all(record.parts)
    assert sum(record.parts) == sum(map(len, record.payload))
    assert RecordHead._fields[-5:] == ("open", "request", "response", "reply", "close")


def test_nothing_held_back_makes_no_record() -> None:
    recorder = recorder_into(Sink())
    assert recorder.take() is not None
    assert recorder.take() is None
    assert recorder.held_since_ns() is None


def test_what_is_held_is_as_old_as_its_oldest_part() -> None:
    recorder = recorder_into(Sink())
    assert recorder.held_since_ns() == 100
    recorder.take()
    recorder.response_head(200, (), 300)
    assert recorder.held_since_ns() == 300
    recorder.request_piece(b"late", 250)
    assert recorder.held_since_ns() == 250


def test_each_record_says_which_direction_reached_its_cap_before_it() -> None:
    recorder = recorder_into(Sink(), cap=4)
    flags = []
    for number, (request, response) in enumerate([(b"1234", b"1"), (b"5", b"2"), (b"6", b"345")]):
        recorder.request_piece(request, number)
        recorder.response_piece(response, number)
        record = recorder.take()
        assert record is not None
        flags.append(record.flags)
    assert flags == [0, REQUEST_CAPPED, REQUEST_CAPPED | RESPONSE_CAPPED]


def test_above_the_cap_nothing_is_kept_and_all_is_counted() -> None:
    recorder = recorder_into(Sink(), cap=4)
    recorder.take()
    recorder.response_piece(b"abcdef", 1)
    first = recorder.take()
    assert first is not None
    assert b"abcd" in b"".join(first.payload)
    assert b"e" not in b"".join(first.payload)
    recorder.response_piece(b"gh", 2)
    assert recorder.take() is None
    assert recorder.capped_bytes == 4


def test_the_stand_in_keeps_nothing() -> None:
    nobody = Unrecorded(9)
    nobody.request_piece(b"q", 1)
    nobody.request_done()
    nobody.response_head(200, (), 2)
    nobody.response_piece(b"a", 3)
    nobody.leave_trace()
    nobody.close(Outcome.COMPLETE, 4, response_complete=True)
    assert (nobody.number, nobody.lost) == (9, True)
