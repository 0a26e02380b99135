from __future__ import annotations

import pytest

from proxy.supervisor.lag import lag_s

NOW = 100_000_000


@pytest.mark.parametrize(
    ("behind", "written", "seconds"),
    [
        (None, NOW, 0),
        (NOW - 5_000_000, NOW, 5),
        (None, NOW - 9_000_000, 0),
        (None, NOW - 40_000_000, 40),
        (NOW - 90_000_000, NOW - 40_000_000, 90),
        (NOW + 5, NOW + 5, 0),
    ],
)
def test_a_silent_observer_is_a_lagging_one(behind: int | None, written: int, seconds: float) -> None:
    assert lag_s({"behind_since_us": behind, "written_us": written}, NOW) == seconds
