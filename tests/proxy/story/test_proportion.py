from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.story.proportion import wilson


@pytest.mark.parametrize(
    ("hits", "trials", "low", "high"),
    [
        (0, 20, 0.0, 0.161125158),
        (20, 20, 0.838874842, 1.0),
        (19, 20, 0.763868807, 0.991118551),
        (5, 10, 0.236593091, 0.763406909),
        (1, 1, 0.206549314, 1.0),
        (81, 263, 0.255288520, 0.366209577),
    ],
)
def test_golden_numbers(hits: int, trials: int, low: float, high: float) -> None:
    """As `scipy.stats.binomtest(k, n).proportion_ci(method="wilson")` gives them (F11)."""
    assert wilson(hits, trials) == pytest.approx((low, high), abs=1e-8)


@given(st.integers(1, 500).flatmap(lambda trials: st.tuples(st.integers(0, trials), st.just(trials))))
def test_the_share_lies_inside_and_the_mirror_image_agrees(found: tuple[int, int]) -> None:
    hits, trials = found
    low, high = wilson(hits, trials)
    assert 0.0 <= low <= hits / trials <= high <= 1.0
    assert wilson(trials - hits, trials) == pytest.approx((1 - high, 1 - low))


def test_without_a_trial_nothing_is_measured() -> None:
    for hits, trials in ((0, 0), (3, 2), (-1, 5)):
        with pytest.raises(ValueError, match="is no share"):
            wilson(hits, trials)
