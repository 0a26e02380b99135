from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from proxy.model.ids import ThreadId
from proxy.story.axis import MOST_SPREAD, Axis
from tests.support.stories import MAIN, Telling


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 60), st.integers(1, 80), st.integers(0, 3))
def test_turns_keep_their_order_inside_the_width(turns: int, width: int, boundaries: int) -> None:
    told = Telling()
    for number in range(turns):
        told.turn(1_000)
        if number < boundaries:
            told.boundary(("a", 1))
    axis = Axis(told.story(), width)
    columns = [axis.of_turn(MAIN, turn.turn) for turn in told.turns]
    assert columns == sorted(columns)
    assert all(0 <= column < axis.width <= width for column in columns)
    for boundary in told.boundaries:
        assert axis.of_boundary(boundary) <= axis.width - 1


def test_few_turns_are_spread_and_threads_share_the_axis() -> None:
    told = Telling()
    told.turn(1_000)
    told.turn(1_000, thread="agent:1")
    told.turn(1_000)
    axis = Axis(told.story(), 80)
    assert [axis.of_turn(MAIN, 1), axis.of_turn(ThreadId("agent:1"), 1), axis.of_turn(MAIN, 2)] == [0, 3, 6]
    assert axis.width == 3 * MOST_SPREAD


def test_a_boundary_stands_just_before_its_first_turn() -> None:
    told = Telling()
    told.turn(60_000)
    told.boundary(("a", 1))
    told.turn(9_000)
    axis = Axis(told.story(), 3)
    assert (axis.of_turn(MAIN, 1), axis.of_boundary(told.boundaries[0]), axis.of_turn(MAIN, 2)) == (0, 1, 2)
