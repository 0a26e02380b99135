"""Content by line."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from proxy.sessions import lines

TEXTS = st.lists(st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=12), max_size=12)


def test_trailing_white_space_and_line_numbers_do_not_matter() -> None:
    assert lines.pack(["def f():  "]) == lines.pack(["def f():"])
    assert lines.without_numbers(["12\tx = 1", "  3→y", "4: z", "plain"]) == ["x = 1", "y", "z", "plain"]


def test_lines_that_say_nothing_are_not_significant() -> None:
    assert [line for line in ["}", "", "  )", "return total", "{{{"] if lines.is_significant(line)] == ["return total"]


@given(TEXTS, st.integers(0, 12), st.integers(0, 12))
def test_any_run_of_lines_stands_in_its_text(text: list[str], start: int, length: int) -> None:
    part = text[start : start + length]
    assert lines.contains(lines.pack(text), lines.pack(part)) == bool(part)


@given(TEXTS, TEXTS)
def test_containment_is_about_whole_lines_in_order(hay: list[str], needle: list[str]) -> None:
    stripped = [[line.rstrip() for line in text] for text in (hay, needle)]
    size = len(needle)
    expected = bool(needle) and any(stripped[0][i : i + size] == stripped[1] for i in range(len(hay) - size + 1))
    assert lines.contains(lines.pack(hay), lines.pack(needle)) == expected
