from __future__ import annotations

from enum import StrEnum
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proxy.model.facts import FACTS, ExchangeFact, Fact
from proxy.store import UnstorableError
from proxy.store.rows import FORMS, key_of, storable_text
from proxy.store.schema import FieldType, field_types
from tests.support.store import a_fact, an_exchange

TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))
INTEGERS = st.integers(-(2**63), 2**63 - 1)


def values(field: FieldType) -> st.SearchStrategy[Any]:
    if issubclass(field.python, StrEnum):
        plain: st.SearchStrategy[Any] = st.sampled_from(list(field.python))
    else:
        plain = {str: TEXTS, int: INTEGERS, bool: st.booleans()}[field.python]
    return st.none() | plain if field.nullable else plain


def facts(fact: type[Fact]) -> st.SearchStrategy[Fact]:
    return st.builds(lambda **given: a_fact(fact, **given), **{it.name: values(it) for it in field_types(fact)})


@settings(max_examples=150)
@given(st.one_of(*map(facts, FACTS)))
def test_a_fact_comes_back_from_its_row_as_it_was(fact: Fact) -> None:
    form = FORMS[type(fact)]
    row = form.row(fact)
    again = form.fact(list(row.values()))
    assert again == fact
    assert [type(value) for value in form.row(again).values()] == [type(value) for value in row.values()]


@pytest.mark.parametrize(
    ("text", "stored"),
    [
        ("plain", "plain"),
        ("Grüße, 世界", "Grüße, 世界"),
        ("a\0b", "a\\u0000b"),
        ("lone \ud800 and \udcff", "lone \\ud800 and \\udcff"),
    ],
)
def test_text_that_no_database_holds_is_escaped(text: str, stored: str) -> None:
    assert storable_text(text) == stored


@pytest.mark.parametrize("number", [2**63, -(2**63) - 1])
def test_an_integer_beyond_64_bits_is_refused(number: int) -> None:
    with pytest.raises(UnstorableError):
        FORMS[ExchangeFact].row(an_exchange(1, duration_us=number))


def test_the_key_of_a_fact_is_that_of_its_class() -> None:
    assert key_of(an_exchange(7)) == ("a" * 32, 7, 0)
