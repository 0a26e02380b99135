from __future__ import annotations

from dataclasses import replace

import pytest

from proxy.cli.views.status import Process, Status, status_lines

NOW = 1_700_000_000_000_000
RUNNING = Status(
    now_us=NOW,
    data="/d",
    by="serve",
    since_us=NOW - 60_000_000,
    processes=[
        Process(name="supervisor", pid=1, where="http://127.0.0.1:8767"),
        Process(name="relay", pid=2, where="http://127.0.0.1:8765"),
        Process(name="observer", pid=3),
    ],
    last_by_upstream={"anthropic": NOW - 12_000_000, "corp": None},
    exchanges={("turn", ""): 40, ("attempt", "overloaded_error"): 2, ("unparsed", "dialect"): 1},
    sessions=2,
    lag_s=0.2,
    lost={"slow_disk": 0, "disk_floor": 3},
    requests=43,
    recording=True,
    free_bytes=20 << 30,
    floor_bytes=5 << 30,
)

PAGE = """\
running by `serve`, started 1m00s ago
  supervisor  pid 1  http://127.0.0.1:8767
  relay       pid 2  http://127.0.0.1:8765
  observer    pid 3
  data folder /d

seen: 43 exchanges, 2 sessions
  upstream anthropic  last exchange 12 s ago
  upstream corp       last exchange never
  turn 40 · attempt 2 · prewarm 0 · socket 0 · out of scope 0 · other 0 · unparsed 1 · unobservable 0
    unparsed: dialect  1

observer lag 0.2 s
recording on · lost 3 (disk floor 3)
disk free 20.0 GiB, recording stops below 5.0 GiB

traffic is seen
next: compaction-gate sessions
"""

STOPPED = replace(RUNNING, by="", processes=(), since_us=None, lag_s=None, recording=None)


def unseen(status: Status, **given: int) -> Status:
    return replace(
        status, exchanges={}, sessions=0, last_by_upstream={"anthropic": None}, requests=given.get("requests")
    )


def test_the_page_of_a_service_that_sees_traffic() -> None:
    assert "\n".join(status_lines(RUNNING)) + "\n" == PAGE


@pytest.mark.parametrize(
    ("status", "said", "command"),
    [
        (unseen(STOPPED), "no agent has come through yet", "compaction-gate wrap -- claude"),
        (STOPPED, "the figures above are of earlier runs", "compaction-gate wrap -- claude"),
        (
            unseen(RUNNING, requests=0),
            "the relay runs and nobody has asked it anything: is the agent's base URL set?",
            "ANTHROPIC_BASE_URL=http://127.0.0.1:8765 claude",
        ),
        (
            unseen(RUNNING, requests=4),
            "requests came by and none is in the store yet: the observer has not read them",
            "compaction-gate status",
        ),
        (
            replace(RUNNING, processes=[Process(name="relay", pid=None)]),
            "a process is down; its supervisor starts it again",
            "compaction-gate doctor",
        ),
        (
            replace(RUNNING, processes=[Process(name="supervisor", pid=None), Process(name="relay", pid=2)]),
            "the supervisor is gone; relay and observer go on until the next one takes them over",
            "compaction-gate serve",
        ),
        (
            replace(RUNNING, recording=False),
            "what comes by is relayed and not recorded; is there room on the disk?",
            "compaction-gate doctor",
        ),
        (replace(RUNNING, is_read=False, store_error="x"), "the store cannot be read", "compaction-gate doctor"),
        (replace(RUNNING, lag_s=90.0), "the observer is behind; the figures are old", "compaction-gate doctor"),
        (
            replace(RUNNING, exchanges={("unobservable", "no session"): 5}),
            "many calls continue a history that began out of sight: it cannot be put together",
            "compaction-gate sessions",
        ),
    ],
)
def test_what_is_missing_is_said_with_the_next_command(status: Status, said: str, command: str) -> None:
    lines = status_lines(status)
    assert lines[-2] == said
    assert lines[-1].startswith(f"next: {command}")


def test_what_was_not_measured_is_not_shown_as_nothing() -> None:
    lines = status_lines(replace(STOPPED, lost=None))
    assert "observer lag not measured" in lines
    assert "recorded: not measured (no relay has run here)" in lines
    assert "recorded so far · lost 3 (disk floor 3)" in status_lines(STOPPED)


def test_trouble_is_written_large() -> None:
    lines = status_lines(
        replace(RUNNING, recording=False, store_error="disk full", processes=[Process(name="relay", pid=None)])
    )
    assert "  relay  NOT RUNNING" in lines
    assert "observer lag 0.2 s · the store cannot be used: disk full" in lines
    assert "recording SWITCHED OFF · lost 3 (disk floor 3)" in lines


def test_many_reasons_are_cut() -> None:
    reasons = {("unparsed", f"reason {number:02}"): 1 for number in range(12)}
    assert "    and 4 more reasons" in status_lines(replace(RUNNING, exchanges=reasons))


def test_a_store_that_cannot_be_read_has_seen_nothing_that_is_known() -> None:
    lines = status_lines(replace(RUNNING, exchanges={}, sessions=0, is_read=False, store_error="damaged"))
    assert "seen: not measured" in lines
    assert "observer lag 0.2 s · the store cannot be used: damaged" in lines
    assert "  relay       pid 2  http://127.0.0.1:8765" in lines
