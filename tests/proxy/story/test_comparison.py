from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.model.errors import UsageError
from proxy.story.comparison import Step, compared, diverge
from tests.support.stories import Telling, a_compacted_session, reads, rereads


def other(**fields: str) -> Telling:
    told = Telling("91c0" + "0" * 28, **fields)
    told.turn(4_100, reads("a.py"), cached=0)
    told.turn(21_700, reads("b.py"), reads("z.py"), cached=4_000)
    return told


def test_the_first_turn_with_other_actions_is_found() -> None:
    found = compared(a_compacted_session().story(), other().story())
    assert found.divergence is not None
    assert (found.divergence.place, found.divergence.why) == (2, "actions")
    assert found.divergence.left is not None
    assert found.divergence.left.actions == (("Read", "b.py", ""), ("Read", "c.py", ""))


def test_a_compaction_in_one_alone_is_a_divergence_and_the_call_for_its_summary_is_none() -> None:
    plain, compacted = Telling(), Telling("91c0" + "0" * 28)
    for told in (plain, compacted):
        told.turn(1_000, reads("a"))
    compacted.turn(1_100, purpose="summary")
    compacted.boundary(("a", 5))
    for told in (plain, compacted):
        told.turn(900, reads("b"))
    found = compared(plain.story(), compacted.story()).divergence
    assert found is not None
    assert (found.place, found.why) == (2, "boundary")


def test_one_that_goes_on_where_the_other_ended_parts_there() -> None:
    left, right = Telling(), Telling("91c0" + "0" * 28)
    for told in (left, right):
        told.turn(1_000, reads("a"))
    assert compared(left.story(), right.story()).divergence is None
    right.turn(1_000, reads("b"))
    found = compared(left.story(), right.story()).divergence
    assert found is not None
    assert (found.place, found.why, found.left) == (2, "ends", None)


def test_figures_of_different_sources_are_never_subtracted() -> None:
    with pytest.raises(UsageError, match=r"7f3a91c2 is live, 91c00000 is simulated: figures of different sources"):
        compared(a_compacted_session().story(), other(source="simulated").story())
    with pytest.raises(UsageError, match="both are the same session"):
        compared(a_compacted_session().story(), a_compacted_session().story())


def test_what_forbids_pooling_is_named() -> None:
    found = compared(a_compacted_session().story(), other(door="intercept", client_version="2.1.197").story())
    assert ("door", "base_url", "intercept") in found.differing
    assert ("client version", "2.1.332", "2.1.197") in found.differing


def test_differences_are_right_less_left_and_classes_are_never_added() -> None:
    left, right = a_compacted_session(), other()
    right.boundary(("a.py", 5))
    right.turn(900, rereads("a.py", 70))
    figures = {(figure.name, figure.unit): figure for figure in compared(left.story(), right.story()).figures}
    assert figures["turns", "turns"].difference == 3 - 11
    exact = figures["class reacquisition", "calls"]
    assert (exact.left, exact.right, exact.difference) == (3, 1, -2)
    assert figures["class reacquisition", "tokens_ref"].difference == 70 - (2_310 + 1_204 + 2_310)
    assert figures["class subset", "calls"].right == 0
    assert figures["unknown tools", "percent"].left == 10


def test_what_one_of_them_has_not_measured_has_no_difference() -> None:
    left, right = a_compacted_session(), other()
    right.turn(None)
    right.iterations[0] = replace(right.iterations[0], pico_usd=None)
    figures = {(figure.name, figure.unit): figure for figure in compared(left.story(), right.story()).figures}
    assert (figures["input", "tokens"].right, figures["input", "tokens"].difference) == (None, None)
    assert (figures["cost", "pico_usd"].right, figures["cost", "pico_usd"].difference) == (None, None)


STEPS = st.lists(
    st.builds(Step, st.just(0), st.tuples(st.sampled_from([("r", "a", ""), ("r", "b", "")])), st.booleans()), max_size=6
)


@given(STEPS, STEPS)
def test_everything_before_a_divergence_is_the_same_and_what_stands_there_is_not(
    left: list[Step], right: list[Step]
) -> None:
    found = diverge(left, right)
    if found is None:
        assert left == right
        return
    place = found.place - 1
    assert left[:place] == right[:place]
    assert left[place : place + 1] != right[place : place + 1]
