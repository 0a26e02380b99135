from __future__ import annotations

import pytest

from proxy.metrics.bounds import Bounds
from proxy.metrics.definitions import BY_NAME

MODEL = BY_NAME["compaction_unpriced_iterations_total"]
BOUNDARIES = BY_NAME["compaction_boundaries_total"]


def test_the_first_names_have_a_place_and_keep_it() -> None:
    bounds = Bounds()
    names = [f"m{number}" for number in range(20)]
    shown = [bounds.labels(MODEL, (name,))[0] for name in names]
    assert shown == [*names[:16], *["other"] * 4]
    assert bounds.labels(MODEL, ("m3",)) == ("m3",)


@pytest.mark.parametrize("name", ["a\nb", "{}", "x" * 65, "/etc/passwd", "\ud800", " "])
def test_what_is_no_plain_name_never_becomes_a_label(name: str) -> None:
    assert Bounds().labels(MODEL, (name,)) == ("other",)


def test_nothing_said_is_unknown() -> None:
    assert Bounds().labels(MODEL, ("",)) == ("unknown",)
    assert Bounds().labels(BOUNDARIES, ("c", "client", "", "exact")) == ("c", "client", "unknown", "exact")


def test_a_closed_set_takes_nothing_else() -> None:
    with pytest.raises(ValueError, match="label level has no value 'guessed'"):
        Bounds().labels(BOUNDARIES, ("c", "client", "auto", "guessed"))
