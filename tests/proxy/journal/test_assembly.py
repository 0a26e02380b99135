"""Records to exchanges: complete, cut, lost, damaged or orphaned, and each counted."""

from __future__ import annotations

from proxy.journal.assembly import Assembler
from proxy.journal.files import Record
from proxy.journal.layout import Draft, Kind, Mark, RecordHead
from proxy.journal.payloads import encode_lost
from proxy.journal.recorder import ExchangeRecorder
from proxy.model.exchange import Exchange, Outcome
from tests.support.journal import Play


class Desk:
    """Hands records over as if they came from a segment; keeps their bytes."""

    def __init__(self) -> None:
        self.assembler = Assembler("w" * 32, lambda extent: self._bytes[extent.offset : extent.offset + extent.length])
        self._bytes = b""
        self._number = 0

    def flush(self, recorder: ExchangeRecorder, /) -> None:
        """Not asked for: tests take records themselves."""

    finish = flush

    def recorder(self, script: Play, number: int = 1) -> ExchangeRecorder:
        return ExchangeRecorder(number, script.head(), self, batch_bytes=1 << 20, body_cap=1 << 20)

    def hand_over(self, record: Draft | None) -> Exchange | None:
        assert record is not None
        self._number += 1
        payload = b"".join(record.payload)
        head = RecordHead(1, self._number, record.exchange, record.sequence, record.kind, record.flags, *record.parts)
        at = len(self._bytes)
        self._bytes += payload
        given = list(self.assembler.accept(Record(head, memoryview(payload), at), Mark(self._number, 1, at)))
        assert len(given) <= 1
        return given[0] if given else None


def test_an_exchange_in_many_records_comes_out_whole_at_its_close() -> None:
    desk, script = Desk(), Play(request=(b"a", b"bc"), response=(b"d", b"", b"ef"))
    recorder = desk.recorder(script)
    given = []
    for number in range(1, script.steps()):
        script.step(recorder, number)
        record = recorder.take()
        if record is not None:
            given.append(desk.hand_over(record))
    assert given[:-1] == [None] * (len(given) - 1)
    assert given[-1] == script.expected("w" * 32, 1)
    assert desk.assembler.oldest() is None


def test_the_oldest_open_exchange_holds_the_mark() -> None:
    desk = Desk()
    first, second = desk.recorder(Play(), 1), desk.recorder(Play(), 2)
    desk.hand_over(second.take())
    desk.hand_over(first.take())
    assert desk.assembler.oldest() == Mark(1, 1, 0)
    second.close(Outcome.COMPLETE, 1, response_complete=True)
    desk.hand_over(second.take())
    oldest = desk.assembler.oldest()
    assert oldest is not None
    assert oldest.number == 2


def test_an_exchange_with_a_missing_record_is_damaged_and_never_given_out() -> None:
    desk = Desk()
    recorder = desk.recorder(Play())
    desk.hand_over(recorder.take())
    recorder.request_piece(b"missing", 1)
    recorder.take()
    recorder.close(Outcome.COMPLETE, 2, response_complete=True)
    assert desk.hand_over(recorder.take()) is None
    assert (desk.assembler.counters.damaged, desk.assembler.counters.exchanges) == (1, 0)
    assert list(desk.assembler.cut_all()) == []


def test_records_of_an_exchange_that_began_earlier_are_orphans() -> None:
    desk = Desk()
    recorder = desk.recorder(Play())
    recorder.take()
    recorder.close(Outcome.COMPLETE, 2, response_complete=True)
    assert desk.hand_over(recorder.take()) is None
    assert desk.assembler.counters.orphans == 1


def test_exchanges_their_writer_gave_up_are_dropped() -> None:
    desk = Desk()
    desk.hand_over(desk.recorder(Play(), 4).take())
    payload = encode_lost([4, 99])
    assert desk.hand_over(Draft(Kind.LOST, 0, 0, 0, (len(payload), 0, 0, 0, 0), [payload], 0)) is None
    assert desk.assembler.counters.lost == 1
    assert desk.assembler.oldest() is None


def test_what_is_cut_comes_out_in_the_order_of_the_journal_each_once() -> None:
    desk = Desk()
    for number in (3, 1, 2):
        desk.hand_over(desk.recorder(Play(), number).take())
    assert [exchange.id.number for exchange in desk.assembler.cut_all()] == [3, 1, 2]
    assert list(desk.assembler.cut_all()) == []
    assert desk.assembler.counters.cut == 3


def test_exchanges_that_must_have_ended_and_those_given_out_elsewhere_are_dropped() -> None:
    desk = Desk()
    for number in (1, 2, 3):
        desk.hand_over(desk.recorder(Play(), number).take())
    desk.assembler.drop_ended(2)
    assert desk.assembler.counters.damaged == 1
    desk.assembler.forget(Mark(3, 0, 0))
    assert [exchange.id.number for exchange in desk.assembler.cut_all()] == [3]
