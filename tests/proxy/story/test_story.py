from __future__ import annotations

from dataclasses import replace

from proxy.model.facts import Label
from proxy.story.story import money
from tests.support.stories import Telling, a_compacted_session, reads, rereads


def test_exact_and_partial_re_reads_are_counted_apart() -> None:
    story = a_compacted_session().story()
    assert (story.exact, story.partial) == (3, 1)
    assert story.labels[Label.NOT_RETRIEVAL] == 2


def test_a_rate_has_the_retrievals_since_the_threads_first_boundary_under_it() -> None:
    told = Telling()
    told.turn(60_000, reads("a"), reads("b"))
    told.turn(9_000, reads("x"), thread="agent:1")
    told.boundary(("a", 1))
    told.turn(9_000, rereads("a"), reads("c"))
    told.turn(9_000, reads("y"), thread="agent:1")
    assert told.story().retrievals_after_a_boundary == 2


def test_money_says_what_it_leaves_out() -> None:
    told = a_compacted_session()
    assert money([]) == (None, 0)
    told.iterations[0] = replace(told.iterations[0], pico_usd=None)
    assert told.story().cost.unpriced == 1
    assert money([told.iterations[0]]) == (None, 1)


def test_bills_of_all_threads_come_in_the_order_of_time() -> None:
    told = Telling()
    told.turn(60_000)
    told.turn(50_000, thread="agent:1")
    told.boundary(("a", 1), thread="agent:1")
    told.turn(5_000, thread="agent:1")
    told.boundary(("b", 1))
    told.turn(6_000)
    assert [bill.boundary.thread for bill in told.story().bills] == ["agent:1", "main"]


def test_turns_of_all_threads_come_in_the_order_of_time() -> None:
    told = a_compacted_session()
    told.turns.reverse()
    started = [turn.started_us for turn in told.story().order]
    assert started == sorted(started)
