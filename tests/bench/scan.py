"""A scan: 200 transcripts of 5 MB through the command as it is typed, on two processes."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tests.bench.findings import Finding, Limit, judged, told
from tests.bench.processes import CannotStartError
from tests.support.transcripts import a_long_session

ROOT = Path(__file__).parents[2]
PART = "scan"
TRANSCRIPTS = 200
TURNS = 520
"""Of each transcript: about 5 MB."""
JOBS = 2
TIME = Limit("under 60 s on two cores", most=60.0)


class Took(NamedTuple):
    """What one run took."""

    wall_s: float
    cpu_s: float
    """Of all its processes."""
    turns: int


def measure(folder: Path, *, share: float) -> Iterator[Finding]:
    """Write transcripts and scan them. With fewer of them the figures are scaled up, and say so."""
    count = max(int(TRANSCRIPTS * share), JOBS)
    octets = write(folder / "transcripts", count)
    took = scan(folder / "transcripts", folder)
    why = f"{count} transcripts, {octets / 1e6:.0f} MB, {took.turns:,} turns"
    scale = TRANSCRIPTS / count
    yield judged(PART, "200 transcripts of 5 MB", TIME, took.wall_s * scale, unit="s", why=why)
    yield told(PART, "the same by CPU time alone, on two cores", took.cpu_s * scale / JOBS, "s")
    yield told(PART, "CPU of a turn", took.cpu_s / took.turns * 1e3, "ms")


def write(folder: Path, count: int) -> int:
    """So many transcripts, all of them different; their bytes."""
    paths = [a_long_session(seed, turns=TURNS).write(folder / f"{seed}.jsonl") for seed in range(1, count + 1)]
    return sum(path.stat().st_size for path in paths)


def scan(folder: Path, home: Path) -> Took:
    """Type the command, and wait for it."""
    command = [sys.executable, "-m", "gate", "scan", str(folder), "--jobs", str(JOBS), "--format", "json"]
    out = home / "scan.json"
    began = time.monotonic()
    with out.open("wb") as file:
        actions = [(os.POSIX_SPAWN_DUP2, file.fileno(), 1)]
        search = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
        said = os.environ | {"HOME": str(home), "PYTHONPATH": search}
        pid = os.posix_spawn(sys.executable, command, said, file_actions=actions)
        _, status, used = os.wait4(pid, 0)
    wall_s = time.monotonic() - began
    if os.waitstatus_to_exitcode(status) != 0:
        raise CannotStartError(f"scan left with {os.waitstatus_to_exitcode(status)}")
    turns = json.loads(out.read_bytes())["totals"]["turns"]
    return Took(wall_s, used.ru_utime + used.ru_stime, turns)
