from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from proxy.scripted.faces.seals import Seals


@given(st.text(max_size=50))
def test_only_the_provider_that_sealed_a_text_can_open_it(text: str) -> None:
    seals = Seals("a")
    token = seals.seal(text)
    assert seals.open(token) == text
    assert Seals("a").seal(text) == token
    assert Seals("b").open(token) is None


def test_a_token_is_as_long_as_a_text_would_be_and_tells_nothing_of_it() -> None:
    seals = Seals("a")
    token = seals.seal("[script work after 3]" * 100)
    assert "script" not in token
    assert len(token) > 2100
    assert seals.open(None) is None
