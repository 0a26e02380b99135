from __future__ import annotations

import pytest

from proxy.wire.token_counts import MAX_COUNT, NotACountError, count_in, is_count


@pytest.mark.parametrize("value", [0, 7, MAX_COUNT])
def test_a_count_is_read_as_it_stands(value: int) -> None:
    assert is_count(value)
    assert count_in({"tokens": value}, "tokens") == value


@pytest.mark.parametrize("value", [-1, 1.0, "7", True, [], {}, MAX_COUNT + 1])
def test_what_is_no_count_is_refused_by_its_name(value: object) -> None:
    assert not is_count(value)
    with pytest.raises(NotACountError, match="tokens"):
        count_in({"tokens": value}, "tokens")


def test_a_missing_count_is_zero_unless_it_is_required() -> None:
    assert count_in({"tokens": None}, "tokens") == count_in({}, "tokens") == 0
    with pytest.raises(NotACountError):
        count_in({}, "tokens", required=True)
