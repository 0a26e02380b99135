"""Builders for journal tests: a clock that stands still, small limits, exchanges played into a writer."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from proxy.journal.limits import JournalLimits
from proxy.journal.payloads import OpenHead
from proxy.journal.reader import JournalReader
from proxy.journal.recorder import ExchangeRecorder
from proxy.journal.writer import JournalWriter
from proxy.model.exchange import Exchange, Outcome
from proxy.model.ids import ExchangeId

MS = 1_000_000
SMALL = JournalLimits(
    batch_bytes=256,
    first_segment_bytes=4096,
    segment_bytes=4096,
    free_floor_bytes=0,
    slow_write_s=30,
)


class StillClock:
    """Moves only when told."""

    def __init__(self) -> None:
        self.mono_ns = 5_000 * MS
        self.wall_ns = 1_750_000_000_000 * MS

    def monotonic_ns(self) -> int:
        return self.mono_ns

    def time_ns(self) -> int:
        return self.wall_ns

    def advance(self, seconds: float) -> None:
        self.mono_ns += int(seconds * 1e9)
        self.wall_ns += int(seconds * 1e9)


def small(**changes: object) -> JournalLimits:
    """Limits under which a handful of exchanges fill a segment."""
    return replace(SMALL, **changes)  # type: ignore[arg-type]  # names are those of JournalLimits


def open_head(**changes: object) -> OpenHead:
    """A request head like Claude Code's, redacted."""
    head = OpenHead(
        wall_us=1_750_000_000_000_000,
        mono_ns=5_000 * MS,
        upstream="anthropic",
        door="base_url",
        tag="",
        method="POST",
        target="/v1/messages?beta=true",
        headers=(("Host", "api.anthropic.com"), ("x-api-key", "<redacted>"), ("Accept", "*/*")),
    )
    return head._replace(**changes)  # type: ignore[arg-type]  # names are those of OpenHead


@dataclass(frozen=True)
class Play:
    """One exchange to be played, and what must come out."""

    request: tuple[bytes, ...] = (b'{"model":"m"}',)
    response: tuple[bytes, ...] = (b'{"id":"msg_1"}',)
    status: int | None = 200
    outcome: Outcome = Outcome.COMPLETE
    target: str = "/v1/messages"

    def steps(self) -> int:
        """How many calls `step` takes until the exchange is closed."""
        return len(self.request) + len(self.response) + 4

    def head(self) -> OpenHead:
        return open_head(target=self.target)

    def step(self, recorder: ExchangeRecorder, number: int) -> None:
        """Call number `number` of the recorder, from 1 (0 is `begin`)."""
        done = len(self.request) + 1
        last = self.steps() - 1
        if number < done:
            recorder.request_piece(self.request[number - 1], (5_000 + number) * MS)
        elif number == done:
            recorder.request_done()
        elif number == done + 1:
            if self.status is not None:
                recorder.response_head(self.status, (("content-type", "application/json"),), 5_010 * MS)
        elif number < last:
            recorder.response_piece(self.response[number - done - 2], (5_010 + number) * MS)
        else:
            recorder.close(self.outcome, 5_100 * MS, response_complete=self.outcome is Outcome.COMPLETE)

    def expected(self, writer: str, number: int) -> Exchange:
        """The exchange a reader gives for it."""
        head = self.head()
        return Exchange(
            id=ExchangeId(writer, number),
            opened_us=head.wall_us,
            upstream=head.upstream,
            door=head.door,
            tag=head.tag,
            method=head.method,
            target=head.target,
            request_headers=tuple(head.headers),
            request_body=b"".join(self.request),
            request_complete=True,
            request_lost=0,
            status=self.status,
            response_headers=() if self.status is None else (("content-type", "application/json"),),
            response_body=b"".join(self.response),
            response_complete=self.outcome is Outcome.COMPLETE,
            response_lost=0,
            first_byte_us=None if self.status is None else 10_000,
            duration_us=100_000,
            outcome=self.outcome,
        )


def play(writer: JournalWriter, script: Play) -> ExchangeRecorder:
    """Play one exchange from begin to close."""
    recorder = writer.begin(script.head())
    for number in range(1, script.steps()):
        script.step(recorder, number)
    return recorder


def read_all(folder: Path) -> list[Exchange]:
    """What an offline reader makes of a journal, in its order."""
    reader = JournalReader(folder)
    try:
        return list(reader.poll())
    finally:
        reader.close()


def segments(folder: Path) -> list[Path]:
    """Segment files of the only writer of a journal."""
    return sorted(folder.glob("*/*.seg"))


@contextmanager
def broken_file(writer: JournalWriter, path: str) -> Iterator[None]:
    """While inside, the writer's segment is that device: its writes fail with the kernel's own errors."""
    segment = writer._segment
    if segment is None:
        raise AssertionError("recording is switched off")
    device = os.open(path, os.O_RDWR)
    os.dup2(device, segment.fd)
    os.close(device)
    yield
