from __future__ import annotations

from proxy.cli.views.columns import aligned


def test_columns_are_as_wide_as_their_widest_cell_and_end_without_blanks() -> None:
    assert aligned([("a", "1", ""), ("bbb", "22", "x")], right=(1,), indent=1) == [" a     1", " bbb  22  x"]
    assert aligned([]) == []
