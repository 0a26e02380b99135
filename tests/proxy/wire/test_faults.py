from __future__ import annotations

import pytest

from proxy.wire.faults import FAULT_LIMIT, Faults, error_of


def test_equal_faults_are_kept_once_and_in_order() -> None:
    faults = Faults()
    for text in ("b", "a", "b"):
        faults.add(text)
    assert faults.texts() == ("b", "a")


def test_the_number_of_faults_is_bounded_and_the_rest_is_counted() -> None:
    faults = Faults()
    for number in range(FAULT_LIMIT + 5):
        faults.add(f"event {number}")
    assert len(faults.texts()) == FAULT_LIMIT + 1
    assert faults.texts()[-1] == "and 5 more"


@pytest.mark.parametrize(
    ("status", "error"), [(200, ""), (299, ""), (302, "http_302"), (529, "http_529"), (0, "no_response")]
)
def test_a_status_other_than_success_is_an_error_of_its_own(status: int, error: str) -> None:
    assert error_of(status) == error
