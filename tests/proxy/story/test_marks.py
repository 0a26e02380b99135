from __future__ import annotations

from proxy.model.ids import ThreadId
from proxy.story.marks import MARKS, RANK, lanes_of, mark_of, mark_of_turn, written_by
from tests.support.pictured import a_pictured_session
from tests.support.stories import Telling


def test_every_call_has_a_mark_that_the_legend_explains() -> None:
    told = a_pictured_session()
    assert {mark_of(call) for call in told.calls} == set("Rpafwuvrx?")
    assert {mark for mark, _ in MARKS} >= {mark_of(call) for call in told.calls}
    assert list(RANK) == [mark for mark, _ in MARKS]


def test_a_turn_has_the_strongest_mark_of_its_calls() -> None:
    told = a_pictured_session()
    story = told.story()
    main = ThreadId("main")
    marks = {turn.turn: mark_of_turn(turn, story.calls_of.get((main, turn.turn), [])) for turn in story.main_turns}
    assert (marks[2], marks[3], marks[4], marks[6], marks[12]) == ("r", "w", "S", "R", "·")


def test_main_threads_share_a_lane_agents_have_their_own_and_side_calls_come_last() -> None:
    told = Telling()
    for thread in ("side:1", "agent:b", "main", "agent:a", "main.2", "side:2"):
        told.turn(10, thread=thread)
    found = [(name, [thread.thread for thread in threads]) for name, threads in lanes_of(told.story())]
    assert found == [
        ("main", ["main", "main.2"]),
        ("agent 1", ["agent:b"]),
        ("agent 2", ["agent:a"]),
        ("side calls", ["side:1", "side:2"]),
    ]


def test_tokens_written_to_the_cache_are_added_over_the_samplings_of_an_exchange() -> None:
    told = a_pictured_session()
    assert written_by([*told.iterations, *told.iterations])[told.turns[0].exchange] == 8_000
