from __future__ import annotations

from proxy.model.ids import ThreadId
from proxy.picture.frame import frame
from proxy.picture.lanes import MOST_LANES, ROWS, lane_panels, ticks_of
from tests.support.pictured import a_long_session, a_pictured_session, made
from tests.support.stories import Telling, unknown, writes

MAIN = {ThreadId("main")}


def test_each_call_is_a_tick_where_there_is_room() -> None:
    told = a_pictured_session()
    ticks = ticks_of(frame(told.story(), 1_180), MAIN)
    assert sum(tick.count for tick in ticks) == len([call for call in told.calls if call.thread == "main"]) + 2
    assert all(tick.count == 1 for tick in ticks)


def test_where_there_is_none_calls_of_one_class_share_a_tick_and_none_is_lost() -> None:
    told = a_long_session(400)
    ticks = ticks_of(frame(told.story(), 370, is_narrow=True), MAIN)
    assert max(tick.row for tick in ticks) < ROWS
    assert sum(len(tick.calls) for tick in ticks) == len([call for call in told.calls if call.thread == "main"])


def test_of_many_classes_in_a_cell_the_strongest_are_told_apart() -> None:
    told = Telling()
    told.turn(1_000, made("a"), made("b"), writes("c"), unknown(), {**made("d"), "label": "refresh"})
    marks = [tick.mark for tick in ticks_of(frame(told.story(), 370), MAIN)]
    assert marks == ["w", "u", "r", "?"]


def test_a_summary_and_a_turn_that_asks_for_nothing_have_ticks_of_their_own() -> None:
    told = Telling()
    told.turn(1_000, purpose="summary")
    told.turn(1_000)
    assert [tick.mark for tick in ticks_of(frame(told.story(), 370), MAIN)] == ["S", "·"]


def test_too_many_threads_share_the_last_lane_and_a_narrow_picture_folds_all_but_the_main_one() -> None:
    told = Telling()
    told.turn(1_000)
    for agent in range(30):
        told.turn(500, thread=f"agent:{agent}")
    story = told.story()
    wide = [panel.markup for panel in lane_panels(frame(story, 1_180))]
    assert len(wide) == MOST_LANES
    assert ">23 others<" in wide[-1]
    narrow = [panel.markup for panel in lane_panels(frame(story, 370, is_narrow=True))]
    assert len(narrow) == 2
    assert ">+30<" in narrow[-1]
