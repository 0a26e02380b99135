from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proxy.accounting.rates import TOKEN_CLASSES, WEB_SEARCH, Rate, pico_usd, unpriced_classes
from proxy.model.usage import Iteration, IterationKind, Usage


def sampling(server_tool_calls: int = 0, **tokens: int) -> Iteration:
    return Iteration(kind=IterationKind.MESSAGE, model="m", usage=Usage(**tokens), server_tool_calls=server_tool_calls)


ONE = {name: Rate(Decimal(1)) for name in (*TOKEN_CLASSES, WEB_SEARCH)}


@pytest.mark.parametrize("field", list(TOKEN_CLASSES.values()))
def test_a_token_at_one_usd_per_million_costs_a_million_pico(field: str) -> None:
    assert pico_usd(ONE, sampling(**{field: 3})) == 3_000_000


def test_a_request_at_one_usd_per_thousand_costs_a_billion_pico() -> None:
    assert pico_usd(ONE, sampling(server_tool_calls=3)) == 3_000_000_000


def test_reasoning_is_part_of_the_output_and_not_added() -> None:
    assert pico_usd(ONE, sampling(output=10, reasoning=7)) == 10_000_000


def test_classes_without_tokens_need_no_price() -> None:
    only_output = {"output": Rate(Decimal(2))}
    assert unpriced_classes(only_output, sampling(output=1)) == []
    assert unpriced_classes(only_output, sampling(1, output=1, uncached=1)) == ["input", WEB_SEARCH]


@pytest.mark.parametrize(("prompt", "price"), [(0, 1), (100, 1), (101, 2), (200, 2), (201, 3), (10**9, 3)])
def test_a_tier_holds_for_prompts_over_its_start(prompt: int, price: int) -> None:
    assert Rate(Decimal(1), ((100, Decimal(2)), (200, Decimal(3)))).at(prompt) == price


def test_the_tier_goes_by_the_whole_prompt_and_holds_for_every_token() -> None:
    tiered = {
        "input": Rate(Decimal(1), ((100, Decimal(2)),)),
        "cache_read": Rate(Decimal("0.1"), ((100, Decimal("0.2")),)),
        "output": Rate(Decimal(5), ((100, Decimal(10)),)),
    }
    # prompt 60 + 41 = 101 tokens: 60 x 2,000,000 + 41 x 200,000 + 3 x 10,000,000
    assert pico_usd(tiered, sampling(uncached=60, cache_read=41, output=3)) == 120_000_000 + 8_200_000 + 30_000_000
    # prompt 60 + 40 = 100 tokens: 60 x 1,000,000 + 40 x 100,000 + 3 x 5,000,000
    assert pico_usd(tiered, sampling(uncached=60, cache_read=40, output=3)) == 60_000_000 + 4_000_000 + 15_000_000


def test_a_fraction_of_a_pico_is_rounded_once_and_half_to_even() -> None:
    half = {"input": Rate(Decimal("0.0000005")), "output": Rate(Decimal("0.0000005"))}
    assert pico_usd(half, sampling(uncached=1)) == 0
    assert pico_usd(half, sampling(uncached=3)) == 2
    assert pico_usd(half, sampling(uncached=1, output=1)) == 1


@given(st.decimals(0, 1000, allow_nan=False, places=22), st.integers(0, 10**9), st.integers(0, 10**9))
@settings(max_examples=100, deadline=None)
def test_no_digit_is_lost_before_the_end(price: Decimal, uncached: int, output: int) -> None:
    rates = {"input": Rate(price), "output": Rate(price * 5)}
    exact = Fraction(price) * (uncached + 5 * output) * 10**6
    assert pico_usd(rates, sampling(uncached=uncached, output=output)) == round(exact)


def test_a_multiple_of_a_rate_multiplies_its_tiers() -> None:
    assert Rate(Decimal(2), ((5, Decimal(4)),)).times(Decimal("1.1")) == Rate(Decimal("2.2"), ((5, Decimal("4.4")),))
