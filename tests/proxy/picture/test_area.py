from __future__ import annotations

from proxy.picture.area import area, results_in_view, summary_in_view
from proxy.picture.frame import frame
from tests.support.stories import Telling, reads


def a_told_session() -> Telling:
    """Two results, a compaction that drops one of them, one more result."""
    told = Telling()
    told.turn(1_000, reads("a"))
    told.turn(2_000, reads("b"))
    told.turn(2_100, purpose="summary", reply_tokens_ref=70)
    told.boundary(("a", 300), summary_writer=told.writer, summary_number=3, summary_part=0)
    told.turn(800)
    told.turn(None)
    return told


def test_results_stand_in_view_from_the_turn_that_showed_them_until_a_boundary_drops_them() -> None:
    assert results_in_view(a_told_session().story()) == [300, 300, 300, 0, 0]


def test_a_summary_stands_in_view_from_its_boundary_on_and_one_that_nobody_saw_is_not_measured() -> None:
    told = a_told_session()
    assert summary_in_view(told.story()) == [None, None, None, 70, 70]
    told.boundary(summary_writer=None)
    told.turn(700)
    assert summary_in_view(told.story())[-1] is None


def test_a_turn_without_usage_is_held_and_not_drawn_as_zero() -> None:
    told = a_told_session()
    found = frame(told.story(), 500)
    assert area(found, [None, None], 100, 10) == ""
    assert 'd="M' in area(found, [None, 5, None], 100, 10)
