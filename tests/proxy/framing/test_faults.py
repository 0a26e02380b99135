from __future__ import annotations

import pytest

from proxy.framing.faults import Fault, FramingError


@pytest.mark.parametrize("fault", Fault)
def test_only_heads_that_are_too_big_are_merely_too_big(fault: Fault) -> None:
    assert fault.is_size == (fault in {Fault.HEAD_TOO_LARGE, Fault.TOO_MANY_LINES})


def test_an_error_says_its_fault_in_words() -> None:
    error = FramingError(Fault.HOST)
    assert str(error) == "there must be exactly one Host"
    assert error.fault is Fault.HOST
