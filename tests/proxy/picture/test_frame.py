from __future__ import annotations

from dataclasses import replace

from proxy.picture.frame import COLUMN, TimeAxis, frame
from tests.support.pictured import a_long_session, a_pictured_session
from tests.support.stories import Telling


def test_few_turns_get_wide_columns_and_many_share_narrow_ones() -> None:
    few = frame(a_pictured_session().story(), 1_180)
    assert (few.places.width, few.is_shared) == (15, False)
    many = frame(a_long_session(300).story(), 1_180)
    assert many.is_shared
    assert many.step >= COLUMN


def test_the_first_and_the_last_column_stand_inside() -> None:
    for told in (a_pictured_session(), a_long_session(300)):
        for width in (370, 860, 1_180):
            found = frame(told.story(), width)
            assert found.x(-0.5) == found.left
            assert found.x(found.places.width - 0.5) <= width - 9.9


def test_columns_of_time_are_equal_and_the_end_is_inside() -> None:
    told = a_pictured_session()
    first = told.turns[0].started_us
    told.turns[-1] = replace(told.turns[-1], started_us=first + 1_000_000_000)
    axis = TimeAxis(told.story(), 100)
    assert [axis.of_moment(first + part * 100_000_000) for part in (0, 1, 5, 10)] == [0, 10, 50, 99]
    assert axis.of_turn(told.turns[-1].thread, told.turns[-1].turn) == 99


def test_a_session_of_one_moment_has_an_axis_of_time() -> None:
    told = Telling()
    told.turn(1_000)
    assert TimeAxis(told.story(), 50).of_turn(told.turns[0].thread, 1) == 0
