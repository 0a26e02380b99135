from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from proxy.metrics.readings import Distribution, distribute


def test_bounds_are_inclusive_and_what_lies_above_them_all_is_kept() -> None:
    assert distribute([1, 2, 2.5, 9], (1, 2, 3)) == Distribution((1, 1, 1, 1), 14.5)


@given(st.lists(st.integers(0, 100)), st.lists(st.integers(0, 100)))
def test_two_distributions_together_are_the_distribution_of_both(one: list[int], two: list[int]) -> None:
    bounds = (10.0, 50.0)
    assert distribute(one, bounds).plus(distribute(two, bounds)) == distribute([*one, *two], bounds)
