"""Follows one writer's folder from a mark: its exchanges, its low-water mark, and what of it may be recycled.

A segment has ended when a later one exists; only then is what does not read as a record called torn or damaged. Until
then it may still be on its way into the kernel.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from proxy.journal.assembly import Assembler, AssemblyCounters, Extent
from proxy.journal.files import Record, SegmentFile, is_dead, list_segments, open_segment, wipe
from proxy.journal.layout import FIRST_RECORD, Mark
from proxy.journal.segments import CONSUMED, read_consumed, segment_path
from proxy.journal.sockets import Sockets, kept_whole
from proxy.model.exchange import Exchange

_BEGIN = Mark(1, 1, FIRST_RECORD)
_SPARE_SEGMENTS = 2
"""Consumed segments of a living writer that stay for its next turns; older ones are removed."""


@dataclass(frozen=True, slots=True)
class Gap:
    """Records that should be there and are not."""

    writer: str
    after: Mark
    """Where the first missing record should begin."""
    before: Mark
    """Where reading went on; the missing records are `after.number` to `before.number - 1`."""

    def __str__(self) -> str:
        missing = f"records {self.after.number}-{self.before.number - 1} missing"
        places = " to ".join(f"{mark.segment:08d}.seg:{mark.offset}" for mark in (self.after, self.before))
        return f"{self.writer[:8]}: {missing}, {places}"


@dataclass(slots=True)
class Damage:
    """What of a journal could not be read."""

    gaps: list[Gap] = field(default_factory=list)
    torn: int = 0
    """Records of which only the head is there: the writer died or the disk failed while they were written."""


class Follower:
    """One writer's journal, read in order."""

    def __init__(self, folder: Path, start: Mark | None, sockets: Sockets = kept_whole) -> None:
        self.folder = folder
        self.writer = folder.name
        self.damage = Damage()
        self.finished = False
        """The writer is dead and everything it left was given out."""
        self._consumed = read_consumed(folder) or _BEGIN
        self._place = max(start or _BEGIN, self._consumed)
        self._files: dict[int, SegmentFile] = {}
        self._assembler = Assembler(self.writer, self._fetch, sockets)
        self._given: Iterator[Exchange] = iter(())
        """What was read and not taken yet: a pass may be left in the middle of a record that ends several calls."""
        self._started_us = 0

    @property
    def counters(self) -> AssemblyCounters:
        """What became of what was read."""
        return self._assembler.counters

    @property
    def mark(self) -> Mark:
        """Low-water mark: first record of the oldest open exchange, or the next record to be read."""
        return self._assembler.oldest() or self._place

    def started_us(self) -> int:
        """UTC microseconds when the writer started; 0 until it has a readable segment."""
        if self._started_us == 0:
            for number in list_segments(self.folder):
                file = self._open(number)
                if file is not None:
                    self._started_us = file.header.started_us
                    break
        return self._started_us

    def exchanges(self) -> Iterator[Exchange]:
        """What has ended since the last time, in the order of the journal. Raises NewerVersionError.

        A pass that is left early is gone on with by the next one.
        """
        if self.finished:
            return
        dead = is_dead(self.folder)  # asked first: a dead writer has written all it ever will
        yield from self._rest()
        for record, mark in self._records(dead=dead):
            self._given = self._assembler.accept(record, mark)
            yield from self._rest()
        if dead:
            self._given = self._assembler.cut_all()
            yield from self._rest()
            self.finished = True
        self._close_files(below=self._needed())

    def release(self, mark: Mark, *, zero: bool) -> None:
        """Let the writer recycle what is before that mark; remove the folder when a dead writer's is all done with."""
        mark = min(mark, self.mark)
        if mark > self._consumed:
            if zero:
                self._zero(self._consumed, mark)
            draft = self.folder / f".{CONSUMED}"
            draft.write_text(f"{mark}\n", "ascii")
            draft.rename(self.folder / CONSUMED)
            self._consumed = mark
            done = [number for number in list_segments(self.folder) if number < mark.segment]
            for number in done[:-_SPARE_SEGMENTS]:
                segment_path(self.folder, number).unlink(missing_ok=True)
        if self.finished and mark == self.mark:
            self._remove()

    def close(self) -> None:
        """Give the files back."""
        self._close_files(below=None)

    def _rest(self) -> Iterator[Exchange]:
        for exchange in self._given:  # noqa: UP028 - it outlives a pass that is left; `yield from` would close it
            yield exchange

    def _records(self, *, dead: bool) -> Iterator[tuple[Record, Mark]]:
        for known in self._files.values():
            known.refresh()
        while True:
            place = self._place
            file = self._open(place.segment)
            record = file.record_at(place.offset, place.number) if file is not None else None
            if record is not None:
                self._place = Mark(place.number + 1, place.segment, place.offset + record.size)
                yield record, place
            elif not self._move_on(file, dead=dead):
                return

    def _move_on(self, file: SegmentFile | None, *, dead: bool) -> bool:
        """Go on to the next intact record, if it is certain that none follows here; False when there is none yet."""
        place = self._place
        following = self._following(place.segment)
        ended = dead or following is not None
        if file is not None:
            file.refresh()  # the writer may have finished this segment since it was looked at
            if file.record_at(place.offset, place.number) is not None:
                return True
        if self._is_overtaken():
            return True
        if file is not None and ended:
            self.damage.torn += file.is_torn_at(place.offset, place.number)
            if self._skip_damage(file, following):
                return True
        if following is None:
            return False
        header = following.header
        begin = Mark(header.first_number, following.number, FIRST_RECORD)
        self._note_gap(place, begin)
        self._place = begin
        self._close_files(below=self._needed())
        if self.damage.gaps:  # otherwise their end, or the news that they are lost, is still to be read
            self._assembler.drop_ended(header.oldest_open)
        return True

    def _is_overtaken(self) -> bool:
        """Has another reader released what is to be read here? Then go on where it stands."""
        consumed = read_consumed(self.folder)
        if consumed is None or consumed <= self._place:
            return False
        self._place = consumed
        self._assembler.forget(consumed)
        return True

    def _skip_damage(self, file: SegmentFile, following: SegmentFile | None) -> bool:
        """Go on behind damage inside a segment that has ended; False when nothing is missing or nothing follows."""
        place = self._place
        beyond = following.header.first_number if following is not None else 1 << 64
        found = file.next_intact(place.offset, range(place.number + 1, beyond))
        if found is None:
            return False
        offset, number = found
        begin = Mark(number, place.segment, offset)
        self._note_gap(place, begin)
        self._place = begin
        return True

    def _note_gap(self, after: Mark, before: Mark) -> None:
        if before.number > after.number:
            self.damage.gaps.append(Gap(self.writer, after, before))

    def _following(self, segment: int) -> SegmentFile | None:
        """The next segment that is there and whose header is sound."""
        later = (self._open(number) for number in list_segments(self.folder) if number > segment)
        return next((file for file in later if file is not None), None)

    def _open(self, number: int) -> SegmentFile | None:
        file = self._files.get(number)
        if file is None:
            file = open_segment(self.folder, number)
            if file is not None:
                self._files[number] = file
        return file

    def _fetch(self, extent: Extent) -> bytes:
        return self._files[extent.segment].read(extent.offset, extent.length)

    def _needed(self) -> int:
        """First segment of which something is still to be read."""
        return min(self._place.segment, self._assembler.oldest_body() or self._place.segment)

    def _close_files(self, below: int | None) -> None:
        for number in [number for number in self._files if below is None or number < below]:
            self._files.pop(number).close()

    def _zero(self, begin: Mark, end: Mark) -> None:
        for number in list_segments(self.folder):
            if begin.segment <= number <= end.segment:
                first = begin.offset if number == begin.segment else FIRST_RECORD
                wipe(self.folder, number, first, end.offset if number == end.segment else None)

    def _remove(self) -> None:
        self._close_files(below=None)
        for number in list_segments(self.folder):
            segment_path(self.folder, number).unlink(missing_ok=True)
        for path in list(self.folder.iterdir()):  # `consumed` only now: it says that the segments are done with
            path.unlink(missing_ok=True)
        self.folder.rmdir()
