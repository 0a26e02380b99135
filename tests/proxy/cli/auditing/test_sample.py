from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from proxy.cli.auditing.sample import draw, key_of
from proxy.model.facts import CallFact, Label
from tests.support.store import SESSION, a_fact


def calls(**counts: int) -> list[CallFact]:
    return [
        a_fact(CallFact, session=SESSION, thread=f"{label}", turn=place, label=Label(label))
        for label, count in counts.items()
        for place in range(count)
    ]


def test_each_class_gets_an_equal_share_and_what_a_small_one_leaves_goes_to_the_others() -> None:
    drawn = draw(calls(acquisition=400, reacquisition=3, subset=40, pending=9), size=33, seed=1)
    assert Counter(call.label for call in drawn.calls) == {"acquisition": 15, "reacquisition": 3, "subset": 15}


def test_the_same_seed_gives_the_same_sheet_whatever_the_order_of_the_calls() -> None:
    population = calls(acquisition=60, refresh=60)
    first, again = draw(population, size=20, seed=7), draw(population[::-1], size=20, seed=7)
    assert (first.name, first.calls) == (again.name, again.calls)
    other = draw(population, size=20, seed=8)
    assert other.calls != first.calls
    assert other.name != first.name


def test_the_order_tells_nothing_of_the_classes() -> None:
    drawn = draw(calls(acquisition=50, reacquisition=50), size=60, seed=1)
    runs = sum(one.label != other.label for one, other in zip(drawn.calls, drawn.calls[1:], strict=False))
    assert runs > 15


@given(st.integers(0, 30), st.integers(0, 30), st.integers(1, 80), st.integers())
def test_no_call_is_drawn_twice_and_none_is_made_up(reads: int, again: int, size: int, seed: int) -> None:
    population = calls(acquisition=reads, reacquisition=again)
    drawn = draw(population, size=size, seed=seed)
    assert len(drawn.calls) == min(size, len(population))
    assert len({key_of(call) for call in drawn.calls}) == len(drawn.calls)
