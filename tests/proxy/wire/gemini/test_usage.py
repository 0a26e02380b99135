from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proxy.accounting.prices import Pricer
from proxy.model.usage import Iteration, Usage
from proxy.wire.gemini.usage import billed
from proxy.wire.token_counts import MAX_COUNT
from tests.support.gemini import MODEL, a_usage

AT_US = 1_793_000_000_000_000


def only(usage: Any) -> Iteration:
    bill = billed(usage, model=MODEL)
    assert bill.disagrees == ""
    [iteration] = bill.iterations
    return iteration


@pytest.mark.parametrize(
    ("usage", "expected"),
    [
        (a_usage(1000, 50), Usage(uncached=1000, output=50)),
        (
            a_usage(1000, 30, cached=400, thoughts=20),
            Usage(uncached=600, cache_read=400, output=50, reasoning=20),
        ),
        ({"promptTokenCount": 7}, Usage(uncached=7)),
        (
            a_usage(1000, 30, thoughts=20, toolUsePromptTokenCount=100, totalTokenCount=1150),
            Usage(uncached=1100, output=50, reasoning=20),
        ),
        (
            {"prompt_token_count": 9, "candidates_token_count": 1, "cached_content_token_count": 4},
            Usage(uncached=5, cache_read=4, output=1),
        ),
    ],
)
def test_output_is_candidates_and_thoughts_and_input_is_prompt_and_tool_use(usage: Any, expected: Usage) -> None:
    assert only(usage).usage == expected


@pytest.mark.parametrize(
    ("usage", "model", "pico_usd"),
    [
        # 600 x 1.25 + 400 x 0.125 + 50 x 10 USD per million
        (a_usage(1000, 30, cached=400, thoughts=20), "gemini-2.5-pro", 1_300_000_000),
        # above 200,000 prompt tokens: 100,000 x 2.5 + 200,000 x 0.25 + 1,000 x 15
        (a_usage(300_000, 1000, cached=200_000), "gemini-2.5-pro", 315_000_000_000),
    ],
)
def test_what_it_costs_to_the_last_digit(usage: Any, model: str, pico_usd: int) -> None:
    [iteration] = billed(usage, model=model).iterations
    assert Pricer().price(iteration, AT_US).pico_usd == pico_usd


@pytest.mark.parametrize(
    ("traffic", "terms"),
    [
        ("ON_DEMAND", ()),
        ("TRAFFIC_TYPE_UNSPECIFIED", ()),
        ("ON_DEMAND_FLEX", (("service_tier", "flex"),)),
        ("on_demand_priority", (("service_tier", "priority"),)),
        (7, ()),
    ],
)
def test_a_traffic_type_of_its_own_is_a_pricing_term(traffic: object, terms: tuple[tuple[str, str], ...]) -> None:
    assert only(a_usage(trafficType=traffic)).terms == terms


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"promptTokensDetails": [{"modality": "AUDIO", "tokenCount": 3}]}, "audio tokens cannot be priced"),
        ({"candidatesTokensDetails": [{"modality": "IMAGE", "tokenCount": 3}]}, "image tokens cannot be priced"),
        ({"promptTokensDetails": [{"modality": "IMAGE", "tokenCount": 3}, 7]}, ""),
        ({"promptTokensDetails": [{"modality": "AUDIO"}]}, ""),
        ({"trafficType": "PROVISIONED_THROUGHPUT"}, "provisioned throughput is not billed by token"),
    ],
)
def test_what_no_token_price_covers_is_unpriced(fields: dict[str, Any], reason: str) -> None:
    assert only(a_usage() | fields).unpriceable == reason


@pytest.mark.parametrize(
    ("usage", "disagrees", "expected"),
    [
        (a_usage(10, 5, totalTokenCount=99), "totalTokenCount says 99, its parts 15", Usage(uncached=10, output=5)),
        (
            a_usage(10, 5, cached=12),
            "cachedContentTokenCount says 12 of 10 prompt tokens",
            Usage(cache_read=10, output=5),
        ),
    ],
)
def test_sums_that_do_not_reconcile_are_said(usage: Any, disagrees: str, expected: Usage) -> None:
    bill = billed(usage, model=MODEL)
    assert (bill.disagrees, bill.iterations[0].usage) == (disagrees, expected)


@pytest.mark.parametrize("value", [-1, 1.5, "7", True, [], {}, 1e20, MAX_COUNT + 1])
@pytest.mark.parametrize("field", ["promptTokenCount", "candidatesTokenCount", "thoughtsTokenCount"])
def test_what_is_no_count_is_not_read_as_one(field: str, value: object) -> None:
    bill = billed(a_usage() | {field: value}, model=MODEL)
    assert (bill.iterations, bill.disagrees) == ((), f"{field} is not a count")


def test_no_prompt_count_is_no_iteration() -> None:
    assert billed({"totalTokenCount": 0}, model=MODEL).iterations == ()
    assert billed(None, model=MODEL) == ((), "")
    assert billed([], model=MODEL) == ((), "usage is not an object")


COUNTS: st.SearchStrategy[Any] = st.one_of(st.none(), st.integers(-1, 50), st.just(MAX_COUNT), st.just({}))
FIELDS = [
    "promptTokenCount",
    "candidatesTokenCount",
    "thoughtsTokenCount",
    "cachedContentTokenCount",
    "toolUsePromptTokenCount",
]


@given(st.dictionaries(st.sampled_from(FIELDS), COUNTS))
@settings(max_examples=100, deadline=None)
def test_the_identity_holds_for_whatever_is_reported(usage: dict[str, Any]) -> None:
    for iteration in billed(usage, model=MODEL).iterations:
        assert iteration.usage.input == usage["promptTokenCount"] + (usage.get("toolUsePromptTokenCount") or 0)
        assert 0 <= iteration.usage.reasoning <= iteration.usage.output
        assert min(iteration.usage.uncached, iteration.usage.cache_read) >= 0
