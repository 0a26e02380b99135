"""One writer followed: where reading starts, when a segment has ended, what stays on the disk."""

from __future__ import annotations

from pathlib import Path

from proxy.journal.follower import Follower
from proxy.journal.layout import FIRST_RECORD, Mark
from proxy.journal.writer import JournalWriter
from tests.support.journal import Play, StillClock, play, segments, small


def writer_at(folder: Path, **changes: object) -> JournalWriter:
    return JournalWriter(folder, settings=small(**changes), clock=StillClock())


def follow(folder: Path, writer: JournalWriter, start: Mark | None = None) -> Follower:
    return Follower(folder / writer.writer_id, start)


def test_reading_starts_at_the_later_of_the_given_mark_and_the_consumed_one(tmp_path: Path) -> None:
    writer = writer_at(tmp_path)
    marks = [Mark(1, 1, FIRST_RECORD)]
    first = follow(tmp_path, writer)
    for _ in range(3):
        play(writer, Play())
        assert len(list(first.exchanges())) == 1
        marks.append(first.mark)
    assert len(list(follow(tmp_path, writer, marks[1]).exchanges())) == 2
    first.release(marks[2], zero=False)
    assert len(list(follow(tmp_path, writer, marks[1]).exchanges())) == 1
    assert len(list(follow(tmp_path, writer, marks[3]).exchanges())) == 0


def test_a_half_written_record_is_waited_for_while_no_later_segment_exists(tmp_path: Path) -> None:
    writer = writer_at(tmp_path, first_segment_bytes=1 << 16, segment_bytes=1 << 16)
    play(writer, Play(target="/late"))
    (path,) = segments(tmp_path)
    raw = path.read_bytes()
    path.write_bytes(raw[:300] + bytes(len(raw) - 300))
    follower = follow(tmp_path, writer)
    assert list(follower.exchanges()) == []
    path.write_bytes(raw)
    assert [exchange.target for exchange in follower.exchanges()] == ["/late"]
    assert follower.damage.torn == 0


def test_a_torn_tail_of_a_dead_writer_is_counted_once(tmp_path: Path) -> None:
    writer = writer_at(tmp_path)
    play(writer, Play())
    play(writer, Play(response=(b"x" * 900,)))
    writer.close()
    path = segments(tmp_path)[0]
    raw = path.read_bytes()
    end = raw.rindex(b"x") - 10
    path.write_bytes(raw[:end] + bytes(len(raw) - end))
    follower = follow(tmp_path, writer)
    assert len(list(follower.exchanges())) >= 1
    assert follower.damage.torn == 1
    assert list(follower.exchanges()) == []
    assert follower.damage.torn == 1


def test_a_living_writer_keeps_two_consumed_segments_for_its_next_turns(tmp_path: Path) -> None:
    writer = writer_at(tmp_path, segment_bytes=4096)
    for _ in range(80):
        play(writer, Play(response=(b"x" * 200,)))
    follower = follow(tmp_path, writer)
    assert len(list(follower.exchanges())) == 80
    last = int(segments(tmp_path)[-1].stem)
    follower.release(follower.mark, zero=True)
    assert [int(path.stem) for path in segments(tmp_path)] == [last - 2, last - 1, last]


def test_a_reader_holds_no_files_of_segments_it_is_done_with(tmp_path: Path) -> None:
    writer = writer_at(tmp_path)
    follower = follow(tmp_path, writer)
    for _ in range(80):
        play(writer, Play(response=(b"x" * 200,)))
        list(follower.exchanges())
    assert len(follower._files) == 1
    follower.close()
    assert follower._files == {}
    assert len(list(follower.exchanges())) == 0


def test_a_writer_that_never_had_a_segment_is_no_fault(tmp_path: Path) -> None:
    writer = writer_at(tmp_path, free_floor_bytes=1 << 62)
    follower = follow(tmp_path, writer)
    assert follower.started_us() == 0
    assert list(follower.exchanges()) == []
    writer.close()
    assert list(follower.exchanges()) == []
    assert follower.finished
    follower.release(follower.mark, zero=False)
    assert list(tmp_path.iterdir()) == []
