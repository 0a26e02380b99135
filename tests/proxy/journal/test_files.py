"""A segment read at a place: intact, torn, or not there."""

from __future__ import annotations

from pathlib import Path

import pytest

from proxy.journal.files import SegmentFile, list_segments, open_segment, wipe
from proxy.journal.layout import FIRST_RECORD
from proxy.journal.writer import JournalWriter
from tests.support.journal import Play, StillClock, play, segments, small


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A writer's folder with three records in one segment."""
    limits = small(first_segment_bytes=1 << 16, segment_bytes=1 << 16)
    writer = JournalWriter(tmp_path, settings=limits, clock=StillClock())
    for _ in range(3):
        play(writer, Play())
    return tmp_path / writer.writer_id


def opened(folder: Path) -> SegmentFile:
    file = open_segment(folder, 1)
    assert file is not None
    return file


def test_records_are_read_one_after_the_other_until_there_is_none(folder: Path) -> None:
    file = opened(folder)
    at, number = FIRST_RECORD, 1
    while (record := file.record_at(at, number)) is not None:
        assert (record.head.number, record.payload_at) == (number, at + record.size - len(record.payload))
        at, number = at + record.size, number + 1
    assert number == 4
    assert not file.is_torn_at(at, number)
    assert file.record_at(file.size - 10, number) is None
    assert file.record_at(file.size + 10, number) is None


def test_a_record_of_another_number_is_not_the_one_that_is_looked_for(folder: Path) -> None:
    assert opened(folder).record_at(FIRST_RECORD, 2) is None


def test_a_damaged_record_is_torn_and_the_next_intact_one_is_found(folder: Path) -> None:
    (path,) = segments(folder.parent)
    raw = bytearray(path.read_bytes())
    raw[FIRST_RECORD + 100] ^= 1
    path.write_bytes(raw)
    file = opened(folder)
    assert file.record_at(FIRST_RECORD, 1) is None
    assert file.is_torn_at(FIRST_RECORD, 1)
    found = file.next_intact(FIRST_RECORD, range(2, 100))
    assert found is not None
    assert found[1] == 2
    assert file.next_intact(FIRST_RECORD, range(50, 100)) is None
    assert file.next_intact(file.size, range(2, 100)) is None


def test_what_was_written_meanwhile_is_seen_after_a_refresh(tmp_path: Path) -> None:
    limits = small(first_segment_bytes=1 << 16, segment_bytes=1 << 16)
    writer = JournalWriter(tmp_path, settings=limits, clock=StillClock())
    file = opened(tmp_path / writer.writer_id)
    assert file.record_at(FIRST_RECORD, 1) is None
    play(writer, Play())
    file.refresh()
    assert file.record_at(FIRST_RECORD, 1) is not None


def test_a_segment_under_a_wrong_name_or_with_a_damaged_header_is_none(folder: Path) -> None:
    (path,) = segments(folder.parent)
    path.rename(path.with_name("00000007.seg"))
    assert open_segment(folder, 7) is None
    assert open_segment(folder, 1) is None
    (folder / "00000001.seg").write_bytes(b"")
    assert open_segment(folder, 1) is None


def test_segments_are_listed_in_order_and_nothing_else_is(folder: Path) -> None:
    for name in ("00000010.seg", "00000002.seg", "00000003.new", "x.seg", ".consumed"):
        (folder / name).touch()
    assert list_segments(folder) == [1, 2, 10]
    assert list_segments(folder / "gone") == []


def test_wiping_spares_the_header_and_what_lies_outside(folder: Path) -> None:
    (path,) = segments(folder.parent)
    before = path.read_bytes()
    wipe(folder, 1, 0, 300)
    after = path.read_bytes()
    assert after == before[:FIRST_RECORD] + bytes(300 - FIRST_RECORD) + before[300:]
    wipe(folder, 1, 0, None)
    assert path.read_bytes() == before[:FIRST_RECORD] + bytes(len(before) - FIRST_RECORD)
    wipe(folder, 99, 0, None)
