from __future__ import annotations

from proxy.picture.frame import frame
from proxy.picture.tips import MOST_TOLD, looked_at, tip_of_calls, tip_of_turns
from tests.support.pictured import a_pictured_session
from tests.support.stories import Telling, reads


def test_one_call_is_told_whole() -> None:
    told = a_pictured_session()
    story = told.story()
    exact = next(call for call in told.calls if call.label == "reacquisition")
    assert tip_of_calls(story, [exact]).splitlines() == [
        "turn 5 · Read",
        "src/b.py",
        "re-read exact (reacquisition), 2,300 reference tokens",
        "repeats turn 2, dropped by b1",
        "explain 7f3a91c2:t5:c1",
    ]


def test_of_several_each_has_a_line_and_the_rest_is_counted() -> None:
    told = Telling()
    told.turn(10, *(reads(f"f{place}") for place in range(MOST_TOLD + 3)))
    lines = tip_of_calls(told.story(), told.calls).splitlines()
    assert lines[0] == f"{MOST_TOLD + 3} calls"
    assert lines[1] == "turn 1 · Read · f0 · read"
    assert lines[-1] == "and 3 more"


def test_names_that_are_not_kept_are_said_to_be_so() -> None:
    told = Telling()
    told.turn(10, {"tool": "", "resource": ""})
    assert "a tool whose name is not kept" in tip_of_calls(told.story(), told.calls)


def test_turns_without_a_call_tell_what_they_were() -> None:
    told = Telling()
    told.turn(10, purpose="summary")
    told.turn(None)
    assert "wrote the summary of a compaction" in tip_of_turns(told.turns[:1])
    assert "context not measured tokens\nand 1 turn more here" in tip_of_turns(told.turns[1:] * 2)


def test_a_still_picture_has_no_tips() -> None:
    found = frame(a_pictured_session().story(), 500, has_tips=False)
    assert looked_at(found, "x") == {}
