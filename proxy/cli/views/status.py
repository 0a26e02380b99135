"""Is it seeing my traffic: what runs, what came by, what could not be read, what is missing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from proxy.cli.views.columns import aligned, for_terminal
from proxy.model.facts import ExchangeKind
from proxy.story import figures

MOST_REASONS = 8
SLOW_LAG_S = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Process:
    """One of ours."""

    name: str
    pid: int | None
    """None = it does not run."""
    where: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """Everything the page tells, as read."""

    now_us: int
    data: str
    by: str
    """`serve` or `wrap`; empty when nothing runs."""
    since_us: int | None
    processes: Sequence[Process]
    last_by_upstream: Mapping[str, int | None]
    """UTC microseconds of the last exchange; None = never."""
    exchanges: Mapping[tuple[str, str], int] = field(default_factory=dict)
    """By kind and reason."""
    sessions: int = 0
    lag_s: float | None = None
    """None without an observer's snapshot."""
    store_error: str = ""
    """Why the observer cannot use the store, or why it could not be read just now."""
    is_read: bool = True
    """False when the store could not be read: then nothing is known of what was seen."""
    lost: Mapping[str, int] | None = None
    """Exchanges that were relayed and not recorded, by reason; None without a relay's page."""
    requests: int | None = None
    recording: bool | None = None
    """None when no relay runs."""
    free_bytes: int = 0
    floor_bytes: int = 0

    @property
    def total(self) -> int:
        """Exchanges in the store."""
        return sum(self.exchanges.values())


@for_terminal
def status_lines(status: Status) -> list[str]:
    """The page; its last lines say what to type next."""
    return [
        *_processes(status),
        "",
        *_traffic(status),
        *_unread(status),
        "",
        *_health(status),
        *_next(status),
    ]


def _processes(status: Status) -> Iterator[str]:
    if not status.by:
        yield "nothing runs on this data folder"
    else:
        since = f", started {figures.ago(status.since_us, status.now_us)}" if status.since_us else ""
        yield f"running by `{status.by}`{since}"
        rows = [
            (process.name, f"pid {process.pid}" if process.pid else "NOT RUNNING", process.where)
            for process in status.processes
        ]
        yield from aligned(rows, indent=2)
    yield f"  data folder {status.data}"


def _traffic(status: Status) -> Iterator[str]:
    if not status.is_read:
        yield "seen: not measured"
        return
    yield f"seen: {figures.plural(status.total, 'exchange')}, {figures.plural(status.sessions, 'session')}"
    rows = [
        (f"upstream {name}", f"last exchange {figures.ago(last, status.now_us)}")
        for name, last in sorted(status.last_by_upstream.items())
    ]
    yield from aligned(rows, indent=2)
    by_kind = {kind: sum(n for (k, _), n in status.exchanges.items() if k == kind) for kind in ExchangeKind}
    if status.total:
        yield "  " + " · ".join(f"{kind.replace('_', ' ')} {count:,}" for kind, count in by_kind.items())


def _unread(status: Status) -> Iterator[str]:
    """Model calls that no figure holds, by reason, the most frequent first."""
    unread = {
        key: count
        for key, count in status.exchanges.items()
        if key[0] in (ExchangeKind.UNPARSED, ExchangeKind.UNOBSERVABLE)
    }
    rows = sorted(unread.items(), key=lambda item: (-item[1], item[0]))
    yield from aligned([(f"{kind}: {reason}", f"{count:,}") for (kind, reason), count in rows[:MOST_REASONS]], indent=4)
    if len(rows) > MOST_REASONS:
        yield f"    and {len(rows) - MOST_REASONS} more reasons"


def _health(status: Status) -> Iterator[str]:
    lag = figures.NOT_MEASURED if status.lag_s is None else f"{status.lag_s:.1f} s"
    yield f"observer lag {lag}" + (f" · the store cannot be used: {status.store_error}" if status.store_error else "")
    if status.lost is None:
        yield "recorded: not measured (no relay has run here)"
    else:
        lost = {reason: count for reason, count in status.lost.items() if count}
        named = ", ".join(f"{reason.replace('_', ' ')} {count:,}" for reason, count in sorted(lost.items()))
        is_on = {True: "recording on", False: "recording SWITCHED OFF", None: "recorded so far"}[status.recording]
        yield f"{is_on} · lost {sum(lost.values()):,}" + (f" ({named})" if named else "")
    yield f"disk free {figures.size(status.free_bytes)}, recording stops below {figures.size(status.floor_bytes)}"


def _next(status: Status) -> Iterator[str]:
    """What is missing, and the command that helps."""
    for is_so, said, command in _advice(status):
        if is_so:
            yield ""
            yield said
            yield f"next: {command}"
            return


def _advice(status: Status) -> Iterator[tuple[bool, str, str]]:
    is_down = bool(status.by) and any(process.pid is None for process in status.processes)
    unobservable = status.exchanges.get((ExchangeKind.UNOBSERVABLE, "no session"), 0)
    yield not status.is_read, "the store cannot be read", "compaction-gate doctor"
    yield (
        any(process.name == "supervisor" and process.pid is None for process in status.processes),
        "the supervisor is gone; relay and observer go on until the next one takes them over",
        "compaction-gate serve" if status.by == "serve" else "compaction-gate wrap -- claude",
    )
    yield is_down, "a process is down; its supervisor starts it again", "compaction-gate doctor"
    yield (
        not status.by and not status.total,
        "no agent has come through yet",
        "compaction-gate wrap -- claude     (one agent through a relay)",
    )
    yield not status.by, "the figures above are of earlier runs", "compaction-gate wrap -- claude"
    yield (
        status.recording is False,
        "what comes by is relayed and not recorded; is there room on the disk?",
        "compaction-gate doctor",
    )
    yield (
        not status.total and not status.requests,
        *_how_to_be_seen(status),
    )
    yield (
        not status.total,
        "requests came by and none is in the store yet: the observer has not read them",
        "compaction-gate status     (again in a second)",
    )
    yield (status.lag_s or 0) > SLOW_LAG_S, "the observer is behind; the figures are old", "compaction-gate doctor"
    yield (
        unobservable * 10 > status.total,
        "many calls continue a history that began out of sight: it cannot be put together",
        "compaction-gate sessions",
    )
    yield True, "traffic is seen", "compaction-gate sessions"


def _how_to_be_seen(status: Status) -> tuple[str, str]:
    """What is missing when the live door has seen nothing, and what to type."""
    doors = {process.name: process.where for process in status.processes}
    if "intercept" in doors:
        return (
            "the door runs and nobody has asked it anything: is the agent's proxy set, and our certificate trusted?",
            f"HTTPS_PROXY={doors['intercept']} claude     or: compaction-gate wrap --intercept -- claude",
        )
    return (
        "the relay runs and nobody has asked it anything: is the agent's base URL set?",
        f"ANTHROPIC_BASE_URL={doors.get('relay', '')} claude     or: compaction-gate wrap -- claude",
    )
