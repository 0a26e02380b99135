from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.cli.scanning.limits import limits, percentile


def test_without_a_call_nothing_is_proposed() -> None:
    assert [(limit.key, limit.value, limit.why.partition(":")[0]) for limit in limits([])] == [
        ("excess_reacquisition_tokens_max", "", "not measured"),
        ("maximum_unknown_tools", "", "not measured"),
    ]


@pytest.mark.parametrize(("share", "expected"), [(0, 1), (50, 10), (90, 18), (95, 19), (100, 20)])
def test_percentiles_are_values_that_were_seen(share: int, expected: int) -> None:
    assert percentile(range(1, 21), share) == expected


@given(st.lists(st.integers(0, 100), min_size=1), st.integers(1, 100))
def test_no_smaller_value_covers_the_share(values: list[int], share: int) -> None:
    ordered = sorted(values)
    found = percentile(ordered, share)
    covered = sum(value <= found for value in ordered)
    assert covered * 100 >= share * len(ordered)
    assert sum(value < found for value in ordered) * 100 < share * len(ordered)
