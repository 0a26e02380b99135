"""Intervals of a share."""

from __future__ import annotations

import math
from typing import NamedTuple

Z_95 = 1.959963984540054
"""The 97.5 % point of the standard normal distribution."""


class Interval(NamedTuple):
    """From and to, between 0 and 1."""

    low: float
    high: float


def wilson(hits: int, trials: int, z: float = Z_95) -> Interval:
    """Wilson's score interval without continuity correction (F11, V46).

    Raises:
        ValueError: no trial (then a share is not measured), more hits than trials, or less than none.
    """
    if not 0 <= hits <= trials or trials == 0:
        raise ValueError(f"{hits} of {trials} is no share")
    share, spread = hits / trials, z * z / trials
    middle = share + spread / 2
    half = z * math.sqrt(share * (1 - share) / trials + spread / (4 * trials))
    low, high = (middle - half) / (1 + spread), (middle + half) / (1 + spread)
    return Interval(0.0 if hits == 0 else low, 1.0 if hits == trials else high)
