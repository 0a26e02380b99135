"""Few bounded writes, nothing raised, and every loss counted with its reason."""

from __future__ import annotations

import resource
from pathlib import Path

import pytest

from proxy.journal.limits import LossReason
from proxy.journal.reader import JournalReader
from proxy.journal.writer import JournalWriter
from proxy.model.errors import CannotWriteError
from proxy.model.exchange import Outcome
from tests.support.journal import (
    MS,
    Play,
    StillClock,
    broken_file,
    open_head,
    play,
    read_all,
    segments,
    small,
)


def writer_at(folder: Path, clock: StillClock | None = None, **changes: object) -> JournalWriter:
    return JournalWriter(folder, settings=small(**changes), clock=clock or StillClock())


def test_a_small_exchange_costs_one_write(tmp_path: Path) -> None:
    writer = writer_at(tmp_path)
    play(writer, Play())
    assert writer.counters.writes == 1
    assert read_all(tmp_path) == [Play().expected(writer.writer_id, 1)]


def test_pieces_are_written_in_batches_and_never_one_by_one(tmp_path: Path) -> None:
    writer = writer_at(tmp_path, batch_bytes=1000, segment_bytes=1 << 20, first_segment_bytes=1 << 20)
    play(writer, Play(response=(b"x" * 10,) * 1000))
    assert writer.counters.writes == 11
    assert read_all(tmp_path)[0].response_body == b"x" * 10_000


def test_everything_is_in_the_kernel_when_close_returns(tmp_path: Path) -> None:
    writer = writer_at(tmp_path)
    play(writer, Play(response=(b"the last byte",)))
    assert b"the last byte" in segments(tmp_path)[0].read_bytes()


def test_an_open_exchange_leaves_a_trace_after_a_batch_s_age(tmp_path: Path) -> None:
    clock = StillClock()
    writer = writer_at(tmp_path, clock)
    writer.begin(open_head())
    clock.advance(0.09)
    writer.flush_due()
    assert writer.counters.records == 0
    clock.advance(0.02)
    writer.flush_due()
    writer.flush_due()
    assert writer.counters.records == 1


def test_an_exchange_whose_client_gets_a_part_has_left_a_trace_before(tmp_path: Path) -> None:
    writer = writer_at(tmp_path)
    recorder = writer.begin(open_head())
    recorder.response_piece(b"first", 1)
    recorder.leave_trace()
    recorder.response_piece(b"second", 2)
    recorder.leave_trace()
    assert writer.counters.writes == 1
    writer.close()
    assert [exchange.response_body for exchange in read_all(tmp_path)] == [b"firstsecond"]


def test_held_pieces_and_a_held_response_head_are_written_when_they_are_old(tmp_path: Path) -> None:
    clock = StillClock()
    writer = writer_at(tmp_path, clock)
    recorder = writer.begin(open_head())
    clock.advance(1)
    writer.flush_due()
    recorder.response_head(200, (), clock.mono_ns)
    writer.flush_due()
    assert writer.counters.records == 1
    clock.advance(0.1)
    writer.flush_due()
    recorder.response_piece(b"a", clock.mono_ns)
    clock.advance(0.1)
    writer.flush_due()
    assert writer.counters.records == 3


def test_many_late_exchanges_share_a_write(tmp_path: Path) -> None:
    clock = StillClock()
    writer = writer_at(tmp_path, clock, segment_bytes=1 << 20, first_segment_bytes=1 << 20)
    for _ in range(200):
        writer.begin(open_head())
    clock.advance(1)
    writer.flush_due()
    assert (writer.counters.records, writer.counters.writes) == (200, 4)


def test_recording_of_a_direction_stops_at_its_cap_and_the_rest_is_counted(tmp_path: Path) -> None:
    writer = writer_at(tmp_path, body_cap_bytes=300)
    play(writer, Play(request=(b"q" * 299,), response=(b"a" * 100,) * 5))
    (exchange,) = read_all(tmp_path)
    assert (len(exchange.request_body), exchange.request_lost) == (299, 0)
    assert (exchange.response_body, exchange.response_lost) == (b"a" * 300, 200)
    assert writer.counters.capped_bytes == 200
    assert writer.counters.lost[LossReason.SLOW_DISK] == 0


def test_a_piece_that_straddles_the_cap_is_cut_there(tmp_path: Path) -> None:
    writer = writer_at(tmp_path, body_cap_bytes=5)
    play(writer, Play(response=(b"abc", b"defg", b"h")))
    (exchange,) = read_all(tmp_path)
    assert (exchange.response_body, exchange.response_lost) == (b"abcde", 3)


def test_a_reused_buffer_is_copied(tmp_path: Path) -> None:
    writer = writer_at(tmp_path)
    buffer = bytearray(b"first")
    recorder = writer.begin(open_head())
    recorder.request_piece(memoryview(buffer), 1)
    recorder.response_piece(memoryview(b"kept as it is")[5:], 1)
    buffer[:] = b"other"
    recorder.close(Outcome.COMPLETE, 2, response_complete=True)
    (exchange,) = read_all(tmp_path)
    assert (exchange.request_body, exchange.response_body) == (b"first", b"as it is")


def test_a_head_with_a_line_feed_or_a_lone_surrogate_is_recorded_all_the_same(tmp_path: Path) -> None:
    writer = writer_at(tmp_path)
    recorder = writer.begin(open_head(headers=(("a\nb", "c"), ("d", "\ud800é"))))
    recorder.close(Outcome.COMPLETE, 1, response_complete=True)
    assert read_all(tmp_path)[0].request_headers == (("a b", "c"), ("d", "\ud800é"))


def test_a_full_disk_loses_the_exchange_and_switches_recording_off_for_a_while(tmp_path: Path) -> None:
    clock = StillClock()
    writer = writer_at(tmp_path, clock)
    play(writer, Play(target="/before"))
    with broken_file(writer, "/dev/full"):
        assert play(writer, Play(target="/during")).lost
    assert play(writer, Play(target="/while-off")).lost
    assert writer.counters.switched_off is LossReason.NO_SPACE
    assert writer.counters.lost[LossReason.NO_SPACE] == 2
    clock.advance(1)
    writer.flush_due()
    play(writer, Play(target="/after"))
    assert [exchange.target for exchange in read_all(tmp_path)] == ["/before", "/after"]


def test_any_other_error_of_the_disk_is_an_io_error(tmp_path: Path) -> None:
    writer = writer_at(tmp_path)
    with broken_file(writer, "/proc/self/mem"):
        play(writer, Play())
    assert writer.counters.lost[LossReason.IO_ERROR] == 1


def test_nothing_is_written_after_a_torn_record(tmp_path: Path) -> None:
    """A short write, made by the kernel: the file-size limit lies inside the second record."""
    clock = StillClock()
    writer = writer_at(tmp_path, clock, segment_bytes=1 << 20, first_segment_bytes=1 << 20)
    play(writer, Play(target="/whole"))
    assert writer._segment is not None
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (writer._segment.offset + 200, hard))
    try:
        play(writer, Play(target="/torn", response=(b"x" * 2000,)))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    clock.advance(1)
    writer.flush_due()
    play(writer, Play(target="/next"))
    reader = JournalReader(tmp_path)
    assert [exchange.target for exchange in reader.poll()] == ["/whole", "/next"]
    assert (reader.counters.torn, reader.counters.gaps) == (1, 0)


def test_an_exchange_that_lost_a_part_is_never_given_out_and_never_holds_the_mark(tmp_path: Path) -> None:
    clock = StillClock()
    writer = writer_at(tmp_path, clock)
    recorder = writer.begin(open_head())
    clock.advance(1)
    writer.flush_due()
    with broken_file(writer, "/dev/full"):
        recorder.response_piece(b"x" * 300, clock.mono_ns)
    clock.advance(1)
    writer.flush_due()
    recorder.response_piece(b"y" * 300, clock.mono_ns)
    recorder.close(Outcome.COMPLETE, clock.mono_ns, response_complete=True)
    play(writer, Play(target="/after"))
    reader = JournalReader(tmp_path)
    assert [exchange.target for exchange in reader.poll()] == ["/after"]
    assert reader.counters.lost == 1
    assert reader.mark(writer.writer_id).number == writer.counters.records + 1
    assert writer.counters.lost[LossReason.NO_SPACE] == 1


def test_an_idle_exchange_survives_while_recording_is_off(tmp_path: Path) -> None:
    clock = StillClock()
    writer = writer_at(tmp_path, clock)
    idle = writer.begin(open_head(target="/idle"))
    clock.advance(1)
    writer.flush_due()
    with broken_file(writer, "/dev/full"):
        play(writer, Play())
    clock.advance(1)
    writer.flush_due()
    idle.close(Outcome.COMPLETE, clock.mono_ns, response_complete=True)
    assert [exchange.target for exchange in read_all(tmp_path)] == ["/idle"]


def test_a_slow_write_keeps_what_it_wrote_and_switches_recording_off(tmp_path: Path) -> None:
    class SlowClock(StillClock):
        def monotonic_ns(self) -> int:
            self.mono_ns += 600 * MS
            return self.mono_ns

    writer = writer_at(tmp_path, SlowClock(), slow_write_s=0.5)
    assert not play(writer, Play()).lost
    assert writer.counters.switched_off is LossReason.SLOW_DISK
    assert play(writer, Play()).lost
    assert writer.counters.lost[LossReason.SLOW_DISK] == 1
    assert len(read_all(tmp_path)) == 1


def test_the_pause_doubles_up_to_its_bound_and_starts_anew_after_a_good_time(tmp_path: Path) -> None:
    clock = StillClock()
    writer = writer_at(tmp_path, clock, backoff_first_s=1, backoff_most_s=4)
    pauses = []
    for quiet_s in (0, 0, 0, 0, 5):
        clock.advance(quiet_s)
        with broken_file(writer, "/dev/full"):
            play(writer, Play())
        pause = 0.0
        while writer.counters.switched_off is not None:
            clock.advance(0.5)
            pause += 0.5
            writer.flush_due()
        pauses.append(pause)
    assert pauses == [1, 2, 4, 4, 1]


def test_below_the_floor_of_free_space_nothing_is_recorded(tmp_path: Path) -> None:
    writer = writer_at(tmp_path, free_floor_bytes=1 << 62)
    assert play(writer, Play()).lost
    assert writer.counters.lost[LossReason.DISK_FLOOR] == 1
    assert writer.counters.free_bytes is not None
    assert segments(tmp_path) == []


def test_the_floor_is_looked_after_while_recording(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = StillClock()
    writer = writer_at(tmp_path, clock, free_floor_bytes=1)
    monkeypatch.setattr(writer._folder, "free_bytes", lambda: 0)
    clock.advance(2)
    writer.flush_due()
    assert writer.counters.switched_off is LossReason.DISK_FLOOR
    monkeypatch.undo()
    clock.advance(2)
    writer.flush_due()
    assert writer.counters.switched_off is None


def test_a_journal_nobody_reads_stops_at_its_cap(tmp_path: Path) -> None:
    writer = writer_at(tmp_path, journal_cap_bytes=10_000)
    for _ in range(30):
        play(writer, Play(response=(b"x" * 1000,)))
    assert writer.counters.switched_off is LossReason.JOURNAL_FULL
    assert writer.counters.segments == 2
    assert len(read_all(tmp_path)) == writer.counters.exchanges


def test_a_record_larger_than_a_segment_gets_one_of_its_size(tmp_path: Path) -> None:
    writer = writer_at(tmp_path)
    play(writer, Play(response=(b"x" * 100_000,)))
    play(writer, Play())
    assert [len(exchange.response_body) for exchange in read_all(tmp_path)] == [100_000, 14]


def test_segments_grow_to_their_full_size(tmp_path: Path) -> None:
    writer = writer_at(tmp_path, first_segment_bytes=2048, segment_bytes=8192)
    for _ in range(30):
        play(writer, Play(response=(b"x" * 1000,)))
    assert [path.stat().st_size for path in segments(tmp_path)][:4] == [2048, 4096, 8192, 8192]


def test_a_closed_writer_takes_everything_and_counts_it(tmp_path: Path) -> None:
    writer = writer_at(tmp_path)
    recorder = writer.begin(open_head())
    writer.close()
    writer.close()
    writer.flush_due()
    recorder.close(Outcome.COMPLETE, 1, response_complete=True)
    assert play(writer, Play()).lost
    assert writer.counters.lost[LossReason.CLOSED] == 2


def test_whatever_comes_after_the_close_is_neither_raised_nor_given_out(tmp_path: Path) -> None:
    writer = writer_at(tmp_path)
    recorder = play(writer, Play())
    recorder.response_piece(b"x" * 1000, 1)
    recorder.close(Outcome.SHUTDOWN, 2, response_complete=False)
    with broken_file(writer, "/dev/full"):
        recorder.response_piece(b"x" * 1000, 1)
    assert writer.counters.exchanges == 1
    assert sum(writer.counters.lost.values()) == 0
    assert read_all(tmp_path) == [Play().expected(writer.writer_id, 1)]


def test_numbers_count_lost_exchanges_too(tmp_path: Path) -> None:
    clock = StillClock()
    writer = writer_at(tmp_path, clock)
    with broken_file(writer, "/dev/full"):
        play(writer, Play())
    play(writer, Play())
    clock.advance(2)
    writer.flush_due()
    assert play(writer, Play()).number == 3
    assert [exchange.id.number for exchange in read_all(tmp_path)] == [3]


def test_a_folder_that_cannot_be_written_is_refused_by_name(tmp_path: Path) -> None:
    (tmp_path / "journal").write_text("a file")
    with pytest.raises(CannotWriteError, match="journal: cannot write the journal"):
        writer_at(tmp_path / "journal")


def test_only_the_owner_may_look_into_the_journal(tmp_path: Path) -> None:
    writer = writer_at(tmp_path / "journal")
    modes = [path.stat().st_mode & 0o777 for path in (tmp_path / "journal", tmp_path / "journal" / writer.writer_id)]
    assert modes == [0o700, 0o700]
    assert segments(tmp_path / "journal")[0].stat().st_mode & 0o777 == 0o600
