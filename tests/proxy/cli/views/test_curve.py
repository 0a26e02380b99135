from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from proxy.cli.views.curve import HEIGHT, curve
from proxy.story.figures import round_top


def test_the_line_rises_falls_and_stands_on_the_axis() -> None:
    assert curve([0, 2_000, 2_000, 10_000, 1_000, None]) == [
        "context  10.0k┤   ╭╮",
        "              │   ││",
        "              │   ││",
        "              │   ││",
        "              │ ╭─╯│",
        "             0┼─┴──┴─",
    ]


@settings(max_examples=60)
@given(st.lists(st.none() | st.integers(0, 3_000_000), max_size=60))
def test_any_context_gives_as_many_rows_of_the_same_width(values: list[int | None]) -> None:
    rows = curve(values)
    assert len(rows) == HEIGHT + 1
    assert all(len(row) <= 15 + len(values) for row in rows)
    assert round_top(values) >= max((value for value in values if value is not None), default=0)
