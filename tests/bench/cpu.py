"""What a process has used so far: CPU time to the nanosecond, resident memory to the page."""

from __future__ import annotations

import time
from pathlib import Path

_SCHEDULED = 2
"""CPUCLOCK_SCHED of Linux: time on a CPU, of all threads, ended ones among them."""


def cpu_s(pid: int) -> float:
    """Seconds of CPU, user and system. Raises OSError when there is no such process.

    The clock that `clock_getcpuclockid(3)` names. `/proc/PID/stat` counts in ticks of 10 ms, too coarse for one round.
    """
    return time.clock_gettime((~pid << 3) | _SCHEDULED)


def rss_bytes(pid: int) -> int:
    """Resident bytes now. Raises OSError when there is no such process."""
    for line in Path(f"/proc/{pid}/status").read_text("ascii", "replace").splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) * 1024
    return 0
