"""Batches of many exchanges into few bounded writes; never raises into the live path once it stands.

Whatever reached the kernel survives the death of any process; nothing is synced to the disk. When the disk is slow,
full or broken, recording is switched off for a while and the exchanges it misses are counted by reason.
"""

from __future__ import annotations

from pathlib import Path

from proxy.journal.layout import Buffer, Draft, encode_record, lost_draft
from proxy.journal.limits import Clock, JournalCounters, JournalLimits, LossReason
from proxy.journal.payloads import OpenHead, encode_lost
from proxy.journal.recorder import ExchangeRecorder, Unrecorded
from proxy.journal.segments import RefusedError, Segment, SegmentFolder

_RECORDERS_PER_WRITE = 64
"""One gives at most 14 buffers, and the kernel takes 1,024 in one call."""
_NS = 1_000_000_000


class JournalWriter:
    """The journal of one relay process."""

    def __init__(self, folder: Path, *, settings: JournalLimits, clock: Clock) -> None:
        """Make a folder of its own under `folder`. Raises CannotWriteError; a full disk only switches recording off."""
        self._limits = settings
        self._clock = clock
        self._folder = SegmentFolder(folder, settings, clock)
        self.writer_id = self._folder.path.name
        self.counters = JournalCounters()
        self._segment: Segment | None = None
        self._open: dict[int, ExchangeRecorder] = {}
        self._abandoned: list[int] = []
        self._exchanges = 0
        self._records = 0
        self._backoff_s = settings.backoff_first_s
        self._resume_ns = 0
        self._resumed_ns = 0
        self._floor_check_ns = 0
        self._slow_ns = int(settings.slow_write_s * _NS)
        self._closed = False
        self._resume(clock.monotonic_ns())

    def begin(self, head: OpenHead, /) -> ExchangeRecorder:
        """Start recording an exchange; while recording is switched off it is counted and nothing is kept."""
        self._exchanges = number = self._exchanges + 1
        off = self.counters.switched_off
        if off is not None:
            self.counters.lost[off] += 1
            return Unrecorded(number)
        limits = self._limits
        recorder = ExchangeRecorder(number, head, self, batch_bytes=limits.batch_bytes, body_cap=limits.body_cap_bytes)
        self._open[number] = recorder
        return recorder

    def flush_due(self) -> None:
        """Hand to the kernel what is older than a batch may be; look after the disk. Call it every 100 ms."""
        if self._closed:
            return
        now = self._clock.monotonic_ns()
        if now >= self._floor_check_ns:
            self._check_floor(now)
        if self.counters.switched_off is not None and now >= self._resume_ns:
            self._resume(now)
        due = now - int(self._limits.batch_age_s * _NS)
        self._put_all([recorder for recorder in self._open.values() if _is_late(recorder, due)])

    def close(self) -> None:
        """Stop writing. Exchanges still open are cut for the reader; call this after the last one has ended."""
        if self._closed:
            return
        self._put_all(list(self._open.values()))
        self._drop_segment()
        self._closed = True
        self.counters.switched_off = LossReason.CLOSED
        self._folder.close()

    def flush(self, recorder: ExchangeRecorder, /) -> None:
        """Write what one exchange holds back (its recorder calls this when that makes a batch)."""
        self._put([recorder])

    def finish(self, recorder: ExchangeRecorder, /) -> None:
        """Write the rest of an exchange that has ended (its recorder calls this)."""
        self._put([recorder])
        self.counters.capped_bytes += recorder.capped_bytes
        if self._open.pop(recorder.number, None) is not None:
            self.counters.exchanges += 1

    def _put_all(self, recorders: list[ExchangeRecorder]) -> None:
        for first in range(0, len(recorders), _RECORDERS_PER_WRITE):
            self._put(recorders[first : first + _RECORDERS_PER_WRITE])

    def _put(self, recorders: list[ExchangeRecorder]) -> None:
        """Write what these hold back, in one call; those that could not be written are lost from here on."""
        drafts = [record for recorder in recorders if (record := recorder.take()) is not None and not recorder.lost]
        if not drafts:
            return
        refused = self.counters.switched_off or self._write(drafts)
        if refused is not None:
            for recorder in recorders:
                self._lose(recorder, refused)

    def _write(self, drafts: list[Draft]) -> LossReason | None:
        """Write these records at the end of the journal; the reason when that failed."""
        if self._abandoned:
            drafts.insert(0, lost_draft(encode_lost(self._abandoned)))
        size = sum(record.size for record in drafts)
        try:
            segment = self._segment
            if segment is None or not segment.has_room(size):
                segment = self._begin_segment(size)
            buffers = self._encode(drafts, segment.generation)
            began = self._clock.monotonic_ns()
            segment.write(buffers, size)
        except RefusedError as refused:
            self._drop_segment()  # it may end in half a record: nothing is ever written after that
            self._switch_off(refused.reason)
            return refused.reason
        self._abandoned.clear()
        self._records += len(drafts)
        counters = self.counters
        counters.records += len(drafts)
        counters.bytes_written += size
        counters.writes += 1
        if self._clock.monotonic_ns() - began > self._slow_ns:
            self._switch_off(LossReason.SLOW_DISK)
        return None

    def _encode(self, drafts: list[Draft], generation: int) -> list[Buffer]:
        buffers: list[Buffer] = []
        seed = self._folder.seed
        for number, record in enumerate(drafts, self._records + 1):
            buffers.append(encode_record(record, number=number, generation=generation, seed=seed))
            buffers += record.payload
        return buffers

    def _lose(self, recorder: ExchangeRecorder, reason: LossReason) -> None:
        recorder.lost = True
        if self._open.pop(recorder.number, None) is not None:
            self._abandoned.append(recorder.number)
            self.counters.lost[reason] += 1

    def _begin_segment(self, room: int) -> Segment:
        self._drop_segment()
        oldest = next(iter(self._open), self._exchanges + 1)
        segment = self._folder.begin_segment(first_number=self._records + 1, oldest_open=oldest, room=room)
        self._segment = segment
        self.counters.segments += 1
        self.counters.recycled = self._folder.recycled
        return segment

    def _drop_segment(self) -> None:
        if self._segment is not None:
            self._segment.close()
            self._segment = None

    def _check_floor(self, now: int) -> None:
        self._floor_check_ns = now + int(self._limits.floor_check_s * _NS)
        try:
            self._require_floor()
        except RefusedError as refused:
            if self.counters.switched_off is None:
                self._switch_off(refused.reason)

    def _require_floor(self) -> None:
        free = self.counters.free_bytes = self._folder.free_bytes()
        if free < self._limits.free_floor_bytes:
            raise RefusedError(LossReason.DISK_FLOOR)

    def _switch_off(self, reason: LossReason) -> None:
        now = self._clock.monotonic_ns()
        limits = self._limits
        if now - self._resumed_ns > limits.backoff_most_s * _NS:
            self._backoff_s = limits.backoff_first_s
        self._resume_ns = now + int(self._backoff_s * _NS)
        self._backoff_s = min(2 * self._backoff_s, limits.backoff_most_s)
        self.counters.switched_off = reason

    def _resume(self, now: int) -> None:
        """Try to record again."""
        self._resumed_ns = now
        try:
            self._require_floor()
            if self._segment is None:
                self._begin_segment(0)
        except RefusedError as refused:
            self._switch_off(refused.reason)
        else:
            self.counters.switched_off = None


def _is_late(recorder: ExchangeRecorder, due_ns: int) -> bool:
    held = recorder.held_since_ns()
    return held is not None and held <= due_ns
