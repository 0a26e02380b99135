from __future__ import annotations

from dataclasses import replace

from proxy.model.ids import CallId, ObservationId
from proxy.picture.page.bills import MOST_CHARACTERS_IN_ALL, MOST_LISTED, MOST_LISTED_IN_ALL, bills_section
from tests.support.pictured import again, made
from tests.support.stories import Telling


def a_dropping_session(count: int = 3) -> Telling:
    told = Telling()
    told.turn(9_000, made("x"))
    told.boundary(*((f"src/f{place}.py", 100 + place) for place in range(count)))
    told.turn(1_000, {**again("x", 100), "repeats": ObservationId("main/1.0")})
    return told


def test_what_was_fetched_again_comes_first_then_the_largest() -> None:
    section = bills_section(a_dropping_session().story(), {})
    order = [section.index(f"src/f{place}.py") for place in (0, 2, 1)]
    assert order == sorted(order)
    assert section.count('class="again"') == 1


def test_a_long_list_is_cut_and_says_by_how_much() -> None:
    section = bills_section(a_dropping_session(MOST_LISTED + 25).story(), {})
    assert "… and 25 more" in section


def test_without_a_compaction_that_is_said() -> None:
    told = Telling()
    told.turn(10)
    assert "nothing has left the model" in bills_section(told.story(), {})


def test_many_bills_list_less_each() -> None:
    told = Telling()
    told.turn(9_000, made("x"))
    for place in range(200):
        told.boundary(*((f"src/{place}.{index}.py", 10) for index in range(30)))
        told.turn(1_000)
    section = bills_section(told.story(), {})
    assert section.count("src/7.") == MOST_LISTED_IN_ALL // 200
    assert section.count("… and 15 more") == 200


def test_contents_end_where_a_page_would_grow_too_large_and_that_is_said() -> None:
    told = a_dropping_session(MOST_LISTED)
    told.observations = [replace(one, call=CallId(f"c{place}")) for place, one in enumerate(told.observations)]
    contents = {one.call: "y" * 1_000_000 for one in told.observations} | {CallId("not dropped"): "z"}
    section = bills_section(told.story(), contents)
    assert section.count("<pre>") == MOST_LISTED
    assert "1 kept answer not in this file" in section
    assert len(section) < MOST_CHARACTERS_IN_ALL
