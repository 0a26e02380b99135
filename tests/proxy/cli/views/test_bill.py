from __future__ import annotations

from dataclasses import replace

from proxy.cli.views.bill import bill_lines
from proxy.model.facts import Label
from tests.support.stories import a_compacted_session, rereads


def test_an_unpriced_bill_withholds_its_sum() -> None:
    told = a_compacted_session()
    told.iterations[5] = replace(told.iterations[5], pico_usd=None)
    lines = bill_lines(told.story().bills[0])
    assert lines[1].endswith("unpriced")
    assert next(line for line in lines if line.startswith("  measured")).endswith("unpriced")
    assert "when it pays back cannot be said" in lines[-1]


def test_attempts_have_a_line_of_their_own_only_where_there_are_any() -> None:
    told = a_compacted_session()
    assert not any("attempted" in line for line in bill_lines(told.story().bills[0]))
    told.turn(26_000, rereads("a.py", 12, Label.ATTEMPTED), cached=25_000)
    told.turn(27_000, cached=26_000)
    (line,) = [line for line in bill_lines(told.story().bills[0]) if "attempted" in line]
    assert line.split()[4:6] == ["(1)", "12"]
