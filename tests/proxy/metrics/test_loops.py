from __future__ import annotations

import pytest

from proxy.metrics.loops import LoopLimits, is_looping, loops_of
from proxy.model.facts import Label
from tests.support.stories import Telling, reads, rereads

LIMITS = LoopLimits(same_observation=3, any_of_them=5, turns=4, idle_us=900_000_000)


def looping(told: Telling, *, idle_us: int = 0) -> bool:
    return is_looping(told.calls, last_us=told.now_us, now_us=told.now_us + idle_us, limits=LIMITS)


def after_a_boundary() -> Telling:
    told = Telling()
    told.turn(60_000, reads("a"))
    told.boundary(("a", 100))
    return told


@pytest.mark.parametrize("label", [Label.REACQUISITION, Label.OVERLAP, Label.ATTEMPTED])
def test_the_same_observation_three_times_is_a_loop(label: Label) -> None:
    told = after_a_boundary()
    for _ in range(2):
        told.turn(9_000, rereads("a", label=label) | {"repeats": "main/1.0"})
    assert not looping(told)
    told.turn(9_000, rereads("a", label=label) | {"repeats": "main/1.0"})
    assert looping(told)


def test_many_re_reads_of_anything_within_few_turns_are_a_loop() -> None:
    told = after_a_boundary()
    told.turn(9_000, *(rereads(name) | {"repeats": name} for name in "abcd"))
    assert not looping(told)
    told.turn(9_000, rereads("e") | {"repeats": "e"})
    assert looping(told)


def test_the_same_number_spread_over_many_turns_is_none() -> None:
    told = after_a_boundary()
    for name in "abcdefghij":
        told.turn(9_000, rereads(name) | {"repeats": name})
    assert not looping(told)


def test_re_reads_after_different_boundaries_are_not_added() -> None:
    told = after_a_boundary()
    for boundary in (1, 1, 2):
        told.turn(9_000, rereads("a", boundary=boundary) | {"repeats": "main/1.0"})
    assert not looping(told)


def test_a_loop_ends_after_enough_turns_without_a_further_re_read_or_when_nothing_comes() -> None:
    told = after_a_boundary()
    for _ in range(3):
        told.turn(9_000, rereads("a") | {"repeats": "main/1.0"})
    assert not looping(told, idle_us=900_000_001)
    for _ in range(4):
        told.turn(9_000, reads("new"))
    assert looping(told)
    told.turn(9_000, reads("new"))
    assert not looping(told)


def test_a_loop_that_is_over_is_still_told_with_its_last_re_read() -> None:
    told = after_a_boundary()
    for _ in range(3):
        told.turn(9_000, rereads("a") | {"repeats": "main/1.0"})
    (open_loop,) = loops_of(told.calls, LIMITS)
    assert open_loop.is_open
    for _ in range(6):
        told.turn(9_000, reads("z"))
    (loop,) = loops_of(told.calls, LIMITS)
    assert (loop.is_open, loop.last.turn) == (False, 4)
