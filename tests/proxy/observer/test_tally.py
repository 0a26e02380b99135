from __future__ import annotations

import stat
from pathlib import Path

import pytest

from proxy.model.facts import ExchangeKind
from proxy.model.ids import SessionId
from proxy.observer import Tally, observer_snapshot
from proxy.observer.tally import OPEN_SESSION_US, REASONS, ended_us
from tests.support.observer import a_play
from tests.support.store import WRITER, an_exchange

EXCHANGE = a_play(1, "a").expected(WRITER, 1)
END_US = ended_us(EXCHANGE)


def test_exchanges_are_counted_by_kind_and_reason() -> None:
    tally = Tally(started_us=5)
    for kind, reason in [("turn", ""), ("turn", ""), ("unparsed", "dialect"), ("unparsed", "cut")]:
        tally.committed(
            an_exchange(1, kind=ExchangeKind(kind), reason=reason, faults="event 7: invalid JSON"), EXCHANGE
        )
    report = tally.report(END_US)
    assert report["exchanges"] == {"turn": {"": 2}, "unparsed": {"cut": 1, "dialect": 1}}
    assert (report["commits"], report["parse_faults"], report["started_us"]) == (4, 4, 5)


def test_reasons_are_bounded_and_nothing_is_lost() -> None:
    tally = Tally(started_us=0)
    for number in range(3 * REASONS):
        tally.committed(an_exchange(1, kind=ExchangeKind.ATTEMPT, reason=f"reason {number}"), EXCHANGE)
    counted = tally.report(END_US)["exchanges"]["attempt"]
    assert len(counted) == REASONS + 1
    assert counted["other"] == 2 * REASONS


def test_a_session_is_open_until_it_is_quiet() -> None:
    tally = Tally(started_us=0)
    for name in ("a", "b", "a"):
        tally.committed(an_exchange(1, session=SessionId(name)), EXCHANGE)
    assert tally.report(END_US + OPEN_SESSION_US)["open_sessions"] == 2
    assert tally.report(END_US + OPEN_SESSION_US + 1)["open_sessions"] == 0


def test_the_lag_is_the_age_of_what_is_being_worked_on() -> None:
    tally = Tally(started_us=0, behind_since_us=1_000_000)
    assert tally.report(3_500_000)["lag_s"] == 2.5
    tally.behind_since_us = None
    assert tally.report(3_500_000)["lag_s"] == 0.0


def test_a_written_snapshot_is_read_back(tmp_path: Path) -> None:
    tally, file = Tally(started_us=1), tmp_path / "observer.json"
    tally.committed(an_exchange(1), EXCHANGE)
    tally.write(file, END_US)
    assert observer_snapshot(file) == tally.report(END_US)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["observer.json"]


@pytest.mark.parametrize("found", [None, "", "{", "[]"])
def test_what_is_no_snapshot_is_none(tmp_path: Path, found: str | None) -> None:
    file = tmp_path / "observer.json"
    if found is not None:
        file.write_text(found)
    assert observer_snapshot(file) is None
