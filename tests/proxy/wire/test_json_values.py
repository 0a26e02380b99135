from __future__ import annotations

import hashlib

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proxy.wire.json_values import (
    BadJsonError,
    canonical,
    count_of,
    object_of,
    read_json,
    sha256_of,
    text_of,
    whole_items,
    word_of,
)


def test_equal_values_have_equal_bytes() -> None:
    assert canonical({"b": [1, "ü"], "a": None}) == '{"a":null,"b":[1,"ü"]}'.encode()
    assert sha256_of({"b": 1, "a": 2}) == hashlib.sha256(b'{"a":2,"b":1}').hexdigest()


def test_what_is_read_can_be_written_inside_eight_more_levels() -> None:
    deepest = max(levels for levels in range(240, 256) if _reads(b"[" * levels + b"]" * levels))
    value = read_json(b"[" * deepest + b"]" * deepest)
    assert canonical([[[[[[[[value]]]]]]]])


def _reads(data: bytes) -> bool:
    try:
        read_json(data)
    except BadJsonError as error:
        assert error.reason == "too deeply nested"  # noqa: PT017 - the other outcome is not a failure
        return False
    return True


@pytest.mark.parametrize(
    ("value", "word"),
    [
        ("overloaded_error", "overloaded_error"),
        ("a b", "-"),
        ("", "-"),
        (None, "-"),
        ("x" * 61, "-"),
        ("ü", "-"),
        (3, "-"),
    ],
)
def test_only_plain_names_pass_as_words(value: object, word: str) -> None:
    assert word_of(value, otherwise="-") == word


def test_other_types_are_no_text_and_no_count() -> None:
    assert [text_of(value) for value in ("x", None, 3, ["x"])] == ["x", "", "", ""]
    assert [count_of(value) for value in (3, True, -1, 1.0, "3", None, 1 << 63)] == [3, 0, 0, 0, 0, 0, 0]
    assert [object_of(value) for value in ({"a": 1}, None, [1])] == [{"a": 1}, {}, {}]


@pytest.mark.parametrize(
    ("data", "items"),
    [
        (b'[{"a": 1}, {"b": 2}]', [{"a": 1}, {"b": 2}]),
        (b' \n[{"a": 1}', [{"a": 1}]),
        (b'[{"a": "}]"}, [1, [2]], {"b"', [{"a": "}]"}, [1, [2]]]),
        (b'[{"a": "\\"}"}, {"b": "}', [{"a": '"}'}]),
        (b'[{"a": 1}, {"b": x}, {"c": 1}]', [{"a": 1}]),
        (b"[1, 2", []),
        (b'{"a": [{"b": 1}]', []),
        (b"", []),
    ],
)
def test_whole_items_of_an_array_that_breaks_off(data: bytes, items: list[object]) -> None:
    assert whole_items(data) == items


@given(
    st.lists(st.dictionaries(st.text(max_size=3), st.text('a"\\[]{},', max_size=4), max_size=2), max_size=4),
    st.integers(0, 60),
)
@settings(max_examples=80, deadline=None)
def test_a_cut_array_gives_its_first_items(items: list[dict[str, str]], end: int) -> None:
    found = whole_items(orjson.dumps(items)[:end])
    assert found == items[: len(found)]
    assert whole_items(orjson.dumps(items)) == items
