"""A writer's folder: complete when it appears, locked while it lives, and its files used again."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from proxy.journal.files import is_dead, open_segment
from proxy.journal.layout import FIRST_RECORD, Mark
from proxy.journal.limits import JournalLimits, LossReason
from proxy.journal.segments import CONSUMED, RefusedError, Segment, SegmentFolder, read_consumed, refusal
from tests.support.journal import SMALL, StillClock, small


def folder_at(journal: Path, limits: JournalLimits = SMALL) -> SegmentFolder:
    return SegmentFolder(journal, limits, StillClock())


def begin(folder: SegmentFolder, room: int = 0) -> Segment:
    return folder.begin_segment(first_number=1, oldest_open=1, room=room)


def consume(folder: SegmentFolder, segment: int) -> None:
    (folder.path / CONSUMED).write_text(str(Mark(1, segment, FIRST_RECORD)))


def names(folder: SegmentFolder) -> list[str]:
    return sorted(path.name for path in folder.path.glob("*.seg"))


def test_a_writer_is_dead_when_its_lock_is_free_or_gone(tmp_path: Path) -> None:
    folder = folder_at(tmp_path)
    assert not is_dead(folder.path)
    folder.close()
    assert is_dead(folder.path)
    (folder.path / "lock").unlink()
    assert is_dead(folder.path)


def test_nothing_half_made_is_left_under_a_writer_s_name(tmp_path: Path) -> None:
    folder = folder_at(tmp_path)
    begin(folder)
    assert [path.name for path in tmp_path.iterdir()] == [folder.writer.hex()]
    assert sorted(path.name for path in folder.path.iterdir()) == ["00000001.seg", "lock"]


def test_a_segment_s_blocks_are_there_before_it_is_written(tmp_path: Path) -> None:
    folder = folder_at(tmp_path, small(first_segment_bytes=1 << 20, segment_bytes=1 << 20))
    begin(folder)
    status = (folder.path / "00000001.seg").stat()
    assert status.st_size == 1 << 20
    assert status.st_blocks * 512 >= 1 << 20


def test_only_what_the_reader_has_consumed_is_used_again(tmp_path: Path) -> None:
    folder = folder_at(tmp_path)
    for _ in range(3):
        begin(folder)
    consume(folder, 3)
    begin(folder)
    assert names(folder) == ["00000001.seg", "00000003.seg", "00000004.seg"]
    assert folder.recycled == 1
    begin(folder)
    assert names(folder) == ["00000003.seg", "00000004.seg", "00000005.seg"]
    begin(folder)
    assert folder.recycled == 2


def test_each_life_of_a_file_has_a_generation_of_its_own(tmp_path: Path) -> None:
    folder = folder_at(tmp_path)
    generations = set()
    for number in range(1, 9):
        generations.add(begin(folder).generation)
        consume(folder, number)
    assert folder.recycled > 0
    assert len(generations) == 8
    file = open_segment(folder.path, 8)
    assert file is not None
    assert file.header.segment == 8


def test_a_consumed_file_that_is_too_small_or_gone_is_passed_over(tmp_path: Path) -> None:
    folder = folder_at(tmp_path)
    begin(folder)
    begin(folder)
    (folder.path / "00000002.seg").unlink()
    consume(folder, 3)
    segment = begin(folder, room=10_000)
    assert segment.size == 10_000 + FIRST_RECORD
    assert folder.recycled == 0


@pytest.mark.parametrize("text", ["", "1 2", "one two three", "\xff"])
def test_a_damaged_consumed_file_means_that_nothing_is(tmp_path: Path, text: str) -> None:
    (tmp_path / CONSUMED).write_text(text, "latin-1")
    assert read_consumed(tmp_path) is None


@pytest.mark.parametrize(
    ("number", "reason"),
    [
        (errno.ENOSPC, LossReason.NO_SPACE),
        (errno.EDQUOT, LossReason.NO_SPACE),
        (errno.EIO, LossReason.IO_ERROR),
        (errno.EROFS, LossReason.IO_ERROR),
    ],
)
def test_errors_of_the_disk_have_reasons(number: int, reason: LossReason) -> None:
    assert refusal(OSError(number, os.strerror(number))).reason is reason


def test_a_folder_that_was_taken_away_refuses_segments(tmp_path: Path) -> None:
    folder = folder_at(tmp_path)
    (folder.path / "lock").unlink()
    folder.path.rmdir()
    with pytest.raises(RefusedError):
        begin(folder)


def test_a_segment_that_cannot_be_preallocated_leaves_no_file(tmp_path: Path) -> None:
    folder = folder_at(tmp_path, small(journal_cap_bytes=1 << 62))
    with pytest.raises(RefusedError) as refused:
        begin(folder, room=1 << 50)
    assert refused.value.reason in {LossReason.DISK_FLOOR, LossReason.NO_SPACE}
    assert names(folder) == []
    assert [path.name for path in folder.path.iterdir()] == ["lock"]
