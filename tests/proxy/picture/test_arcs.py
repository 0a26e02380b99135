from __future__ import annotations

from proxy.picture.arcs import MOST_ARCS, CallKey, Spot, arcs, draw_arcs
from tests.support.pictured import a_pictured_session, again, made
from tests.support.stories import MAIN, Telling


def spots(told: Telling) -> dict[CallKey, Spot]:
    return {(call.thread, call.turn, call.index): (call.turn * 10.0, call.index * 9.0) for call in told.calls}


def test_an_arc_goes_from_a_re_read_to_what_it_repeats() -> None:
    told = a_pictured_session()
    found = arcs(told.story(), spots(told))
    assert [(arc.start[0], arc.end[0], arc.is_exact) for arc in found] == [
        (50, 20, True), (60, 10, True), (60, 20, False), (90, 20, False), (100, 20, False), (110, 20, True),
    ]  # fmt: skip


def test_what_repeats_something_still_visible_has_none() -> None:
    told = Telling()
    told.turn(1_000, made("a"))
    told.turn(1_000, {**made("b"), "label": "repeat_visible", "repeats": "a"})
    assert arcs(told.story(), spots(told)) == []


def test_re_reads_between_the_same_two_spots_share_a_thicker_arc() -> None:
    told = Telling()
    told.turn(1_000, made("a"))
    told.boundary(("src/a.py", 5))
    told.turn(500, again("a"))
    told.turn(500, again("a"))
    both = dict.fromkeys(spots(told), (50.0, 0.0)) | {(MAIN, 1, 0): (10.0, 0.0)}
    (arc,) = arcs(told.story(), both)
    assert len(arc.calls) == 2
    assert 'data-count="2"' in draw_arcs([arc], 60, 50)


def test_a_lane_holds_so_many_arcs_those_of_the_most_tokens() -> None:
    told = Telling()
    told.turn(1_000, made("a"))
    told.boundary(("src/a.py", 5))
    for place in range(MOST_ARCS + 60):
        told.turn(500, again("a", place))
    found = arcs(told.story(), spots(told))
    assert len(found) == MOST_ARCS
    assert min(arc.tokens_ref for arc in found) == 60
