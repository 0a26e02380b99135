from __future__ import annotations

from proxy.scripted.clock import LogicalClock, WallClock


def test_declared_waits_move_the_logical_clock_alone() -> None:
    clock = LogicalClock(at_us=0)
    clock.advance(1.5)
    assert clock.now_us() == 1_500_000


def test_the_wall_clock_goes_by_itself() -> None:
    clock = WallClock()
    before = clock.now_us()
    clock.advance(1000)
    assert before <= clock.now_us() < before + 60_000_000
