from __future__ import annotations

from proxy.cli.views.lanes import boundary_row, lanes, miss_row
from proxy.model.facts import Label
from proxy.story.axis import Axis
from tests.support.stories import Telling, a_compacted_session, reads, rereads, unknown, writes


def test_long_sessions_share_columns_and_the_strongest_mark_is_kept() -> None:
    told = Telling()
    for number in range(250):
        told.turn(1_000 + number, reads("a"))
        if number == 120:
            told.boundary(("a", 10))
            told.turn(500, rereads("a"))
    story = told.story()
    axis = Axis(story, 60)
    rows, marks = lanes(story, axis)
    assert axis.width == 60
    assert rows[0].count("│") == 1
    assert "R" in rows[0] or rows[0].index("│") > 0
    assert marks == {"r", "R"}


def test_a_partial_re_read_by_a_stub_has_its_own_mark() -> None:
    told = a_compacted_session()
    told.turn(26_000, rereads("a.py", 10, Label.ATTEMPTED))
    assert "a" in lanes(told.story(), Axis(told.story(), 60)).marks


def test_a_cache_that_was_always_read_has_no_row() -> None:
    told = Telling()
    told.turn(1_000)
    assert miss_row(told.story(), Axis(told.story(), 60)) == ("", set())


def test_of_several_calls_the_one_that_matters_most_is_shown() -> None:
    told = Telling()
    told.turn(1_000, reads("a"), writes("a"), unknown())
    told.turn(1_000, reads("a"), unknown())
    told.turn(1_000, unknown())
    told.turn(1_000)
    assert lanes(told.story(), Axis(told.story(), 4)).rows == ["main           wr?·"]


def test_agents_have_lanes_of_their_own_and_side_calls_share_one() -> None:
    told = Telling()
    told.turn(1_000)
    told.turn(1_000, thread="agent:b")
    told.turn(1_000, thread="agent:a")
    told.turn(1_000, thread="side:1")
    told.turn(1_000, thread="side:2")
    told.turn(1_000, thread="main.2")
    assert lanes(told.story(), Axis(told.story(), 6)).rows == [
        "main           ·    ·",
        "agent 1         ·",
        "agent 2          ·",
        "side calls        ··",
    ]


def test_boundaries_are_named_over_their_bars() -> None:
    told = Telling()
    told.turn(60_000)
    told.boundary(("a", 1), trigger="manual")
    told.turn(9_000)
    told.boundary(("a", 1), trigger="")
    told.turn(5_000)
    story = told.story()
    axis = Axis(story, 60)
    assert lanes(story, axis).rows == ["main           ·  │  ·  │  ·"]
    assert boundary_row(story, axis) == "compaction        ▼b1 ma▼b2"
