from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proxy.accounting.prices import Pricer
from proxy.model.usage import Iteration, Usage
from proxy.wire.openai_chat.usage import billed
from proxy.wire.token_counts import MAX_COUNT
from tests.support.chat import MODEL, a_usage

AT_US = 1_793_000_000_000_000


def only(usage: Any, **told: Any) -> Iteration:
    bill = billed(usage, model=MODEL, **told)
    assert bill.disagrees == ""
    [iteration] = bill.iterations
    return iteration


def with_details(**details: object) -> Any:
    return a_usage(1000, 50, prompt_tokens_details=details)


@pytest.mark.parametrize(
    ("usage", "expected"),
    [
        (a_usage(1000, 50), Usage(uncached=1000, output=50)),
        (a_usage(1000, 50, cached=400, reasoning=20), Usage(uncached=600, cache_read=400, output=50, reasoning=20)),
        (
            with_details(cached_tokens=400, cache_write_tokens=100),
            Usage(uncached=500, cache_read=400, cache_write_30m=100, output=50),
        ),
        (
            with_details(
                cache_write_tokens=100, cache_write_tokens_details={"ttl_30m_tokens": 60, "ttl_12h_tokens": 40}
            ),
            Usage(uncached=900, cache_write_30m=60, cache_write_12h=40, output=50),
        ),
        (a_usage(1000, 50, prompt_tokens_details=None), Usage(uncached=1000, output=50)),
        (a_usage(1000, 50, total_tokens=None), Usage(uncached=1000, output=50)),
        (a_usage(0, 0), Usage()),
    ],
)
def test_classes_add_up_to_the_prompt(usage: dict[str, Any], expected: Usage) -> None:
    assert only(usage).usage == expected
    assert expected.input == usage["prompt_tokens"]


@pytest.mark.parametrize(
    ("usage", "model", "pico_usd"),
    [
        # 600 x 5 + 400 x 0.5 + 50 x 30 USD per million
        (a_usage(1000, 50, cached=400), "gpt-5.5", 4_700_000_000),
        # above 272,000 prompt tokens everything has the higher price: 100,000 x 10 + 200,000 x 1 + 1,000 x 45
        (a_usage(300_000, 1000, cached=200_000), "gpt-5.5", 1_245_000_000_000),
        # 36 x 0.27 + 64 x 0.07 + 7 x 1.1
        (a_usage(100, 7, prompt_cache_hit_tokens=64, prompt_tokens_details=None), "deepseek-chat", 21_900_000),
    ],
)
def test_what_it_costs_to_the_last_digit(usage: Any, model: str, pico_usd: int) -> None:
    [iteration] = billed(usage, model=model).iterations
    assert Pricer().price(iteration, AT_US).pico_usd == pico_usd


def test_a_resellers_name_is_no_model_of_the_table() -> None:
    [iteration] = billed(a_usage(), model="openai/gpt-5.5").iterations
    price = Pricer().price(iteration, AT_US)
    assert (price.pico_usd, price.reason) == (None, "unknown model")


@pytest.mark.parametrize(
    ("tier", "terms"),
    [
        ("", ()),
        ("default", ()),
        ("auto", ()),
        ("flex", (("service_tier", "flex"),)),
        ("priority", (("service_tier", "priority"),)),
        ("a tier", (("service_tier", "(no name)"),)),
    ],
)
def test_a_tier_of_its_own_is_a_pricing_term(tier: str, terms: tuple[tuple[str, str], ...]) -> None:
    assert only(a_usage(), tier=tier).terms == terms


@pytest.mark.parametrize("details", ["prompt_tokens_details", "completion_tokens_details"])
def test_audio_has_another_price(details: str) -> None:
    assert only(a_usage() | {details: {"audio_tokens": 3}}).unpriceable == "audio tokens cannot be priced"


@pytest.mark.parametrize(
    ("usage", "disagrees", "expected"),
    [
        (
            a_usage(10, 5, total_tokens=99),
            "total_tokens says 99, prompt and completion 15",
            Usage(uncached=10, output=5),
        ),
        (
            a_usage(10, 5, cached=12),
            "cache counts say 12 read and 0 written of 10 prompt tokens",
            Usage(cache_read=10, output=5),
        ),
        (
            a_usage(10, 5, prompt_tokens_details={"cached_tokens": 8, "cache_write_tokens": 4}),
            "cache counts say 8 read and 4 written of 10 prompt tokens",
            Usage(cache_read=8, cache_write_30m=2, output=5),
        ),
        (
            a_usage(10, 5, prompt_cache_hit_tokens=4, prompt_cache_miss_tokens=4, prompt_tokens_details=None),
            "prompt_cache_hit_tokens and prompt_cache_miss_tokens do not add up to 10",
            Usage(uncached=6, cache_read=4, output=5),
        ),
        (
            a_usage(10, 5, total_tokens=None, completion_tokens_details={"reasoning_tokens": 7}),
            "reasoning_tokens says 7 of 5 completion tokens",
            Usage(uncached=10, output=5, reasoning=5),
        ),
        (
            with_details(cache_write_tokens=10, cache_write_tokens_details={"ttl_30m_tokens": 8, "ttl_12h_tokens": 8}),
            "cache_write_tokens_details says 16 tokens, cache_write_tokens 10",
            Usage(uncached=990, cache_write_30m=2, cache_write_12h=8, output=50),
        ),
    ],
)
def test_sums_that_do_not_reconcile_are_said(usage: Any, disagrees: str, expected: Usage) -> None:
    bill = billed(usage, model=MODEL)
    assert (bill.disagrees, bill.iterations[0].usage) == (disagrees, expected)


@pytest.mark.parametrize("value", [-1, 1.5, "7", True, [], {}, 1e20, MAX_COUNT + 1])
@pytest.mark.parametrize("field", ["prompt_tokens", "completion_tokens", "total_tokens"])
def test_what_is_no_count_is_not_read_as_one(field: str, value: object) -> None:
    bill = billed(a_usage() | {field: value}, model=MODEL)
    assert (bill.iterations, bill.disagrees) == ((), f"{field} is not a count")


@pytest.mark.parametrize("field", ["prompt_tokens", "completion_tokens"])
def test_what_is_missing_is_no_zero(field: str) -> None:
    assert billed(a_usage() | {field: None}, model=MODEL).iterations == ()


def test_no_usage_is_no_iteration() -> None:
    assert billed(None, model=MODEL) == ((), "")
    assert billed([], model=MODEL) == ((), "usage is not an object")


COUNTS: st.SearchStrategy[Any] = st.one_of(
    st.none(), st.integers(-1, 50), st.just(MAX_COUNT), st.text(max_size=2), st.just({})
)


@given(
    st.dictionaries(
        st.sampled_from(["prompt_tokens", "completion_tokens", "total_tokens", "prompt_cache_hit_tokens"]), COUNTS
    ),
    st.dictionaries(
        st.sampled_from(["cached_tokens", "cache_write_tokens", "reasoning_tokens", "audio_tokens"]), COUNTS
    ),
)
@settings(max_examples=150, deadline=None)
def test_the_identity_holds_for_whatever_is_reported(usage: dict[str, Any], details: dict[str, Any]) -> None:
    usage |= {"prompt_tokens_details": details, "completion_tokens_details": details}
    for iteration in billed(usage, model=MODEL).iterations:
        assert iteration.usage.input == usage["prompt_tokens"]
        assert 0 <= iteration.usage.reasoning <= iteration.usage.output
        assert min(iteration.usage.uncached, iteration.usage.cache_read, iteration.usage.cache_write) >= 0
