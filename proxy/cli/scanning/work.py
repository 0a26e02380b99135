"""Paths to accounts: files found and grouped here, each group read by one of several processes."""

from __future__ import annotations

import gc
import os
import signal
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from multiprocessing import active_children, get_context
from pathlib import Path
from typing import NamedTuple

from proxy.cli.scanning.account import Account, account
from proxy.journey import Journey
from proxy.transcripts.calls import Beside
from proxy.transcripts.discovery import find_files
from proxy.transcripts.driving import calls_of, drive
from proxy.transcripts.formats import Group, connected, group, look
from proxy.transcripts.trouble import Entry, Trouble


@dataclass(frozen=True, slots=True, kw_only=True)
class Scan:
    """What a scan found."""

    accounts: Sequence[Account]
    """In the order of time."""
    files: int
    """That were looked at."""
    transcripts: int
    """Of these: transcripts that were read."""
    too_old: int
    """Files that had not changed in the time asked for, and were not opened."""
    trouble: Sequence[Entry] = field(default_factory=tuple)


class _Done(NamedTuple):
    account: Account | None
    trouble: Sequence[Entry]


def scan(paths: Iterable[Path], journey: Journey, *, jobs: int, since_us: int = 0) -> Scan:
    """Read everything at or below the paths.

    Args:
        paths: Files and folders.
        journey: What the calls are driven through; each process works on a copy.
        jobs: Processes; with one, none but this.
        since_us: UTC microseconds; sessions that ended before are left out.
    """
    trouble = Trouble()
    files = find_files(paths, trouble)
    recent = [file for file in files if _changed_us(file) >= since_us]
    heads = [head for file in recent if (head := look(file, trouble))]
    accounts = _accounts(group(heads), journey, jobs, trouble)
    ordered = sorted(accounts, key=lambda each: (each.session.first_us, each.session.session))
    return Scan(
        accounts=[each for each in ordered if each.session.last_us >= since_us],
        files=len(files),
        transcripts=len(heads),
        too_old=len(files) - len(recent),
        trouble=trouble.entries(),
    )


def _changed_us(file: Path) -> int:
    try:
        return file.stat().st_mtime_ns // 1_000
    except OSError:  # it is noted when it is looked at
        return 1 << 62


def _accounts(groups: Sequence[Group], journey: Journey, jobs: int, trouble: Trouble) -> list[Account]:
    """Accounts of all groups. Those that turn out to tell of the same replies are read once more, as one."""
    done = _read_all(groups, journey, jobs)
    replies = [each.account.replies if each.account else frozenset[str]() for each in done]
    lots = connected(replies)
    again = [lot for lot in lots if len(lot) > 1]
    joined = [_joined([groups[place] for place in lot]) for lot in again]
    for each in _read_all(joined, journey, jobs):
        done.append(each)
    once = {place for lot in again for place in lot}
    kept = [each for place, each in enumerate(done) if place not in once]
    for each in kept:
        trouble.add(each.trouble)
    return [each.account for each in kept if each.account]


def _joined(groups: Sequence[Group]) -> Group:
    return groups[0]._replace(files=tuple(dict.fromkeys(file for each in groups for file in each.files)))


_journey: Journey | None = None
"""Of a reading process: the copy that it was forked with."""


def _read_all(groups: Sequence[Group], journey: Journey, jobs: int) -> list[_Done]:
    global _journey  # noqa: PLW0603  what a fork takes along needs no way through a pipe
    _journey = journey
    if jobs <= 1 or len(groups) <= 1:
        return [_read(each) for each in groups]
    largest_first = sorted(range(len(groups)), key=lambda place: -_size(groups[place]))
    pool_of = partial(ProcessPoolExecutor, mp_context=get_context("fork"), initializer=gc.freeze)
    with pool_of(min(jobs, len(groups))) as pool:
        try:
            with _uninterrupted():
                reading = pool.map(_read, [groups[place] for place in largest_first])
            found = dict(zip(largest_first, reading, strict=True))
        except KeyboardInterrupt:  # what they are reading may take them a while yet
            for process in active_children():
                process.kill()
            raise
    return [found[place] for place in range(len(groups))]


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """An interrupt waits: a fork would lose it. Processes that begin in here are never interrupted themselves."""
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})


def _size(each: Group) -> int:
    return sum(_file_sizes(each.files))


def _file_sizes(files: Iterable[Path]) -> Iterator[int]:
    for file in files:
        try:
            yield file.stat().st_size
        except OSError:
            yield 0


def _read(each: Group) -> _Done:
    assert _journey is not None, "a reading process is forked with a journey"
    beside, trouble = Beside(), Trouble()
    facts = drive(_journey, calls_of(each, beside, trouble))
    return _Done(account(each, facts, beside), trouble.entries())


def available_cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0))
