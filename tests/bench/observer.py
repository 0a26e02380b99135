"""The observer: how many exchanges a core reads, what a turn of a long session costs, how large the store becomes."""

from __future__ import annotations

import json
import os
import sqlite3
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, median

from proxy.journal.limits import JournalLimits
from proxy.journal.payloads import OpenHead
from proxy.journal.writer import JournalWriter
from proxy.model.exchange import Outcome as Ended
from tests.bench.findings import Finding, Limit, judged, told
from tests.bench.processes import last_line, running
from tests.bench.sessions import Session, Turn

PART = "observer"
SETTINGS = """\
[store]
data = "{data}"
[capture]
contents = "{capture}"
"""
PIECE = 64 * 1024
STEP_NS = 2_000_000_000

RATE = Limit("at least 100 exchanges/s on one core", least=100.0)
TURN = Limit("at most 3 x (parse + SHA-256) + 4 ms", most=1.0)
STORE = Limit("at most 3 x unique bytes", most=3.0)


@dataclass(frozen=True, slots=True)
class Shape:
    """Sessions to observe."""

    sessions: int
    turns: int
    prompt_bytes: int
    step_bytes: int

    def scaled(self, share: float) -> Shape:
        """Fewer turns of the same growth in all."""
        turns = max(int(self.turns * share), 10)
        return Shape(self.sessions, turns, self.prompt_bytes, self.step_bytes * self.turns // turns)


MANY = Shape(20, 25, 76_000, 1_900)
"""Bodies of about 100 KB: 78 KB at the first turn, 123 KB at the last."""
LONG = Shape(1, 500, 76_000, 2_380)
"""One session of 500 turns; the bodies of the last 50 are about 1 MB."""


def record(shape: Shape, journal: Path) -> int:
    """Write such sessions into a journal; bytes of their distinct blocks and responses."""
    writer = JournalWriter(journal, settings=JournalLimits(), clock=time)
    apart = 40_000 // shape.sessions
    sessions = [
        Session(f"observed-{n}", prompt_bytes=shape.prompt_bytes, step_bytes=shape.step_bytes, start=n * apart)
        for n in range(shape.sessions)
    ]
    began_ns = time.time_ns() - shape.turns * STEP_NS
    at_ns = began_ns
    for number in range(shape.turns):
        for session in sessions:
            at_ns = max(at_ns + 1_000_000, began_ns + number * STEP_NS)
            for turn in session.turns(1):
                _write(writer, turn, at_ns)
    if writer.counters.exchanges != shape.turns * shape.sessions:
        raise RuntimeError(f"not journalled: {writer.counters.lost}")
    writer.close()
    return sum(session.unique_bytes for session in sessions)


def _write(writer: JournalWriter, turn: Turn, at_ns: int) -> None:
    headers = tuple((name, value) for name, value in turn.headers if name != "x-api-key")
    recorder = writer.begin(
        OpenHead(
            wall_us=at_ns // 1000, mono_ns=at_ns, upstream="anthropic", door="base_url", tag="", method="POST",
            target="/v1/messages?beta=true", headers=headers,
        )
    )  # fmt: skip
    for at in range(0, len(turn.request), PIECE):
        recorder.request_piece(turn.request[at : at + PIECE], at_ns)
    recorder.request_done()
    recorder.response_head(200, (("Content-Type", "text/event-stream; charset=utf-8"),), at_ns)
    for number, event in enumerate(turn.response):
        recorder.response_piece(event, at_ns + number * 1_000_000)
    recorder.close(Ended.COMPLETE, at_ns + len(turn.response) * 1_000_000, response_complete=True)


@dataclass(frozen=True, slots=True)
class Observed:
    """What an observer told."""

    turns: Sequence[tuple[int, float, float]]
    """Bytes of the request, CPU seconds of its turn, CPU seconds to parse and hash that body."""
    took_s: float
    """From the first exchange's end to the last's, without waiting for a core that others had."""
    faults: int
    unique_bytes: int
    store_bytes: int


def observe(shape: Shape, folder: Path, *, capture: str) -> Observed:
    """Record such sessions and have the real observer read them, on one core. Raises RuntimeError when it fails."""
    data, settings, log = folder / "data", folder / "gate.toml", folder / "said.txt"
    data.mkdir(parents=True, mode=0o700)
    settings.write_text(SETTINGS.format(data=data, capture=capture))
    unique_bytes = record(shape, data / "journal")
    cpu = max(os.sched_getaffinity(0))
    with running([sys.executable, "-m", "tests.bench.observing", str(settings), str(cpu)], log) as process:
        assert process.stdout is not None
        said = process.stdout.read()
    if not said:
        raise RuntimeError(last_line(log))
    report = json.loads(said)
    faults = report["internal_errors"] + report["parse_faults"]
    return Observed(report["turns"], report["took_s"], faults, unique_bytes, _store_bytes(data / "store.db"))


def _store_bytes(store: Path) -> int:
    """The file, once the WAL is folded in and free pages are given back."""
    database = sqlite3.connect(store, isolation_level=None)
    try:
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        database.execute("VACUUM")
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    finally:
        database.close()
    return store.stat().st_size


def measure(folder: Path, *, share: float = 1.0) -> Iterator[Finding]:
    """All figures of the observer."""
    many = observe(MANY.scaled(share), folder / "many", capture="hashes")
    yield from _rate(many)
    for capture in ("hashes", "full"):
        long = observe(LONG.scaled(share), folder / f"long-{capture}", capture=capture)
        yield from _long(long, capture)
        if capture == "full":
            yield _size(long)


def _why(observed: Observed) -> str:
    return f"{observed.faults} exchanges were not read" if observed.faults else ""


def _rate(many: Observed) -> Iterator[Finding]:
    count, why = len(many.turns) - 1, _why(many)
    size = fmean(size for size, _, _ in many.turns) / 1e3
    used = sum(cpu for _, cpu, _ in many.turns[1:])
    rate = None if why or not many.took_s else count / many.took_s
    yield judged(PART, f"exchanges of {size:.0f} KB read", RATE, rate, unit="/s", why=why)
    yield told(PART, "the same by CPU time alone", count / used, "/s", f"{used / count * 1e3:.2f} ms of CPU each")


def _long(long: Observed, capture: str) -> Iterator[Finding]:
    last = long.turns[-max(len(long.turns) // 10, 1) :]
    sizes, turns, floors = zip(*last, strict=True)
    size, turn, floor = fmean(sizes), fmean(turns), median(floors)
    allowed = 3 * floor + 0.004
    why = f"{turn * 1e3:.2f} ms of CPU, allowed {allowed * 1e3:.2f} ms: parse + SHA-256 take {floor * 1e3:.2f} ms"
    name = f"CPU of a turn at {size / 1e6:.2f} MB, {len(long.turns)} turns, {capture}"
    faults = _why(long)
    yield judged(PART, name, TURN, None if faults else turn / allowed, unit="of what is allowed", why=faults or why)


def _size(full: Observed) -> Finding:
    why = f"{full.store_bytes / 1e6:.2f} MB of {full.unique_bytes / 1e6:.2f} MB"
    return judged(
        PART, "store in full capture, compacted", STORE, full.store_bytes / full.unique_bytes, unit="x", why=why
    )
