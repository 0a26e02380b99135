"""Spans: which part of a resource is asked for."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proxy.ledger.keys import spans
from proxy.ledger.keys.spans import WHOLE, Lines

TEXT = list(range(1, 301))


def taken(text: list[int], piece: Lines) -> list[int]:
    return text[piece.first :] if piece.first < 0 else text[piece.first - 1 : piece.last]


PIECES = st.one_of(
    st.builds(lambda first, count: Lines(first, first + count), st.integers(1, 50), st.integers(0, 50)),
    st.builds(lambda first: Lines(first, None), st.integers(1, 50)),
    st.builds(lambda count: Lines(-count, None), st.integers(1, 50)),
)


@settings(deadline=None)
@given(PIECES, PIECES)
def test_a_cut_of_a_piece_shows_what_cutting_twice_shows(outer: Lines, cut: Lines) -> None:
    """`sed -n 10,50p | head -5`: for texts that are long enough."""
    if outer.first > 0 and outer.last is not None and cut.last is not None and cut.last > outer.last - outer.first + 1:
        return
    first = "" if outer == WHOLE else str(outer)
    span = spans.compose(first, cut)
    if span is None:
        return
    piece = spans.parse(span)
    assert piece is not None
    twice = taken(taken(TEXT, outer), cut)
    if twice:
        assert taken(TEXT, piece) == twice


@settings(deadline=None)
@given(PIECES)
def test_a_span_is_read_back(piece: Lines) -> None:
    assert spans.parse(str(piece)) == piece


@pytest.mark.parametrize("span", ["1-5,8-9", "pattern=x", "1-5&pattern=x", "x", "--", "-"])
def test_other_spans_are_no_single_piece(span: str) -> None:
    assert spans.parse(span) is None
    assert spans.compose(span, Lines(1, 5)) is None


def test_the_whole_is_the_empty_span() -> None:
    assert spans.lines(None, None) == spans.lines(1, None) == spans.lines(0, None) == ""
    assert spans.lines(1, 5) == "1-5"
    assert spans.several([Lines(1, 5), Lines(8, None)]) == "1-5,8-"


def test_narrowing_arguments_come_sorted_and_escaped() -> None:
    assert spans.narrowing({"b": "x&y\n%", "a": "1"}) == "a=1&b=x%26y%0A%25"


def test_long_values_and_long_spans_are_digests() -> None:
    long = spans.narrowing({"pattern": "x" * 121})
    assert len(long) < 40
    assert long != spans.narrowing({"pattern": "y" * 121})
    assert len(spans.join(*["a" * 100] * 20)) < 40


ARGUMENTS = st.dictionaries(st.sampled_from(["pattern", "glob", "-n"]), st.text(max_size=8))


@settings(deadline=None)
@given(ARGUMENTS, ARGUMENTS)
def test_equal_arguments_have_equal_spans_and_different_ones_different(
    one: dict[str, str], two: dict[str, str]
) -> None:
    assert (spans.narrowing(one) == spans.narrowing(two)) == (one == two)
    assert "\n" not in spans.narrowing(one)


@pytest.mark.parametrize(
    ("value", "number"),
    [(5, 5), ("5", 5), (" 5 ", 5), ("+5", 5), (-5, -5), (5.0, 5), (0, 0)]
    + [
        (bad, None) for bad in (True, None, "x", "", [5], {"a": 1}, 5.5, math.nan, math.inf, 10**30, "9" * 40, "\uff15")
    ],
)
def test_line_numbers_are_integers_or_their_digits(value: object, number: int | None) -> None:
    assert spans.line_number(value) == number


@pytest.mark.parametrize(
    ("value", "piece"),
    [
        ([1, 5], Lines(1, 5)),
        ((3, -1), Lines(3, None)),
        ([0, 5], Lines(1, 5)),
        ("10-20", Lines(10, 20)),
        ("10:20", Lines(10, 20)),
        ([1], None),
        ([1, 2, 3], None),
        (["a", 2], None),
        (None, None),
        (5, None),
        ("5", None),
        ({}, None),
    ],
)
def test_line_ranges_are_pairs(value: object, piece: Lines | None) -> None:
    assert spans.line_range(value) == piece
