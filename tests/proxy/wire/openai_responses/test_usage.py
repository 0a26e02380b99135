from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.model.usage import Iteration, IterationKind, Usage
from proxy.wire.openai_responses.usage import kept
from proxy.wire.token_counts import MAX_COUNT
from tests.support.responses import MODEL, a_response, a_usage, read_document

DOCUMENTED = {
    "input_tokens": 1000,
    "input_tokens_details": {
        "cached_tokens": 400,
        "cache_write_tokens": 100,
        "cache_write_tokens_details": {"ttl_30m_tokens": 100, "ttl_12h_tokens": 0},
    },
    "output_tokens": 50,
    "output_tokens_details": {"reasoning_tokens": 20},
    "total_tokens": 1050,
}
"""The example of wire-formats 2.4."""


def read(usage: object, *output: dict[str, Any], **fields: object) -> tuple[tuple[Iteration, ...], str]:
    reply = read_document(a_response(*output) | {"usage": usage} | fields)
    return reply.iterations, reply.usage_disagrees


def one(usage: object, *output: dict[str, Any], **fields: object) -> Iteration:
    (iteration,), _ = read(usage, *output, **fields)
    return iteration


def test_the_documented_example_is_split_into_classes_that_add_up() -> None:
    usage = Usage(uncached=500, cache_read=400, cache_write_30m=100, output=50, reasoning=20)
    assert read(DOCUMENTED) == ((Iteration(kind=IterationKind.MESSAGE, model=MODEL, usage=usage),), "")
    assert usage.input == 1000


def test_usage_that_did_not_come_is_not_zero() -> None:
    assert read(None) == ((), "")
    assert read([]) == ((), "usage is not an object")


def test_usage_of_zero_is_a_measured_zero() -> None:
    assert one(a_usage(0, 0)).usage == Usage()


def test_an_older_server_tells_no_details() -> None:
    assert one({"input_tokens": 7, "output_tokens": 3}).usage == Usage(uncached=7, output=3)
    assert one(a_usage(7, 3, input_tokens_details=None, output_tokens_details=None)).usage == Usage(
        uncached=7, output=3
    )


@pytest.mark.parametrize("value", [-1, 1.5, "7", True, [], {}, 1e20, MAX_COUNT + 1, None])
@pytest.mark.parametrize("field", ["input_tokens", "output_tokens"])
def test_a_number_that_is_no_count_leaves_the_sampling_unmeasured(field: str, value: object) -> None:
    assert read(a_usage() | {field: value}) == ((), f"{field} is not a count")


@pytest.mark.parametrize(
    ("fields", "name"),
    [
        ({"total_tokens": -1}, "total_tokens"),
        ({"input_tokens_details": {"cached_tokens": -1}}, "cached_tokens"),
        ({"input_tokens_details": {"cache_write_tokens": "1"}}, "cache_write_tokens"),
        ({"input_tokens_details": {"cache_write_tokens_details": {"ttl_12h_tokens": 0.5}}}, "ttl_12h_tokens"),
        ({"output_tokens_details": {"reasoning_tokens": MAX_COUNT + 1}}, "reasoning_tokens"),
    ],
)
def test_an_unreadable_part_is_no_zero_either(fields: dict[str, Any], name: str) -> None:
    assert read(a_usage() | fields) == ((), f"{name} is not a count")


SAYS = "cache_write_tokens_details says {} tokens, cache_write_tokens 30"


@pytest.mark.parametrize(
    ("total", "split", "options", "writes", "disagrees"),
    [
        (30, None, None, (30, 0), ""),
        (30, None, {"ttl": "12h"}, (0, 30), ""),
        (30, None, {"ttl": "30m"}, (30, 0), ""),
        (30, None, {"ttl": "of the future"}, (30, 0), ""),
        (30, None, {"ttl": []}, (30, 0), ""),
        (30, (10, 20), {"ttl": "12h"}, (10, 20), ""),
        (None, (10, 20), None, (10, 20), ""),
        (30, (10, 5), None, (25, 5), SAYS.format(15)),
        (30, (0, 50), None, (0, 30), SAYS.format(50)),
    ],
)  # fmt: skip
def test_writes_are_split_by_lifetime(
    total: int | None, split: tuple[int, int] | None, options: object, writes: tuple[int, int], disagrees: str
) -> None:
    details: dict[str, Any] = {"cache_write_tokens": total}
    if split:
        details["cache_write_tokens_details"] = dict(zip(("ttl_30m_tokens", "ttl_12h_tokens"), split, strict=True))
    (iteration,), said = read(a_usage(100, 1, input_tokens_details=details), prompt_cache_options=options)
    usage = iteration.usage
    assert ((usage.cache_write_30m, usage.cache_write_12h), usage.input, said) == (writes, 100, disagrees)


INSIDE = "{} cached and written tokens in a prompt of 10"
THINKING = {"reasoning_tokens": 6}


@pytest.mark.parametrize(
    ("fields", "kept", "disagrees"),
    [
        ({"total_tokens": 16}, Usage(uncached=10, output=5), "total_tokens says 16, input and output add up to 15"),
        ({"cached": 8, "written": 4}, Usage(cache_read=8, cache_write_30m=2, output=5), INSIDE.format(12)),
        ({"cached": 11}, Usage(cache_read=10, output=5), INSIDE.format(11)),
        (
            {"output_tokens_details": THINKING},
            Usage(uncached=10, output=5, reasoning=5),
            "6 reasoning tokens in an output of 5",
        ),
    ],
)
def test_sums_that_disagree_count_the_whole_and_say_so(fields: dict[str, Any], kept: Usage, disagrees: str) -> None:
    (iteration,), said = read(a_usage(10, 5, **fields))
    assert (iteration.usage, said) == (kept, disagrees)


COUNTS = st.integers(0, MAX_COUNT)


@given(COUNTS, COUNTS, COUNTS, COUNTS)
def test_the_classes_always_add_up_to_the_prompt(prompt: int, cached: int, half: int, long: int) -> None:
    split = {"ttl_30m_tokens": half, "ttl_12h_tokens": long}
    details = {"cached_tokens": cached, "cache_write_tokens_details": split}
    assert one(a_usage(prompt, 0, input_tokens_details=details)).usage.input == prompt


@pytest.mark.parametrize(
    ("tier", "terms"),
    [
        (None, ()),
        ("default", ()),
        ("auto", ()),
        ("standard", ()),
        ("flex", (("service_tier", "flex"),)),
        ("priority", (("service_tier", "priority"),)),
        ("ultrafast", (("service_tier", "ultrafast"),)),
        (["flex"], (("service_tier", "(no name)"),)),
    ],
)
def test_a_tier_with_prices_of_its_own_is_a_term(tier: object, terms: object) -> None:
    assert one(a_usage(), service_tier=tier).terms == terms


SEARCH = {"type": "web_search_call", "action": {"type": "search"}}
NO_IMAGES = {"total_tokens": 0, "input_tokens_details": {"image_tokens": 0, "text_tokens": 0}}


@pytest.mark.parametrize(
    ("output", "tool_usage", "searches", "unpriceable"),
    [
        ([], None, 0, ""),
        ([], {"web_search": {"num_requests": 0}, "image_gen": NO_IMAGES}, 0, ""),
        ([SEARCH], {"web_search": {"num_requests": 3}}, 3, ""),
        ([SEARCH], None, 0, "an untold number of web searches cannot be priced"),
        ([SEARCH], {"web_search": {"num_requests": -1}}, 0, "web_search cannot be priced"),
        ([], {"image_gen": {"total_tokens": 9}}, 0, "image_gen cannot be priced"),
        ([], {"of the future": 1}, 0, "(no name) cannot be priced"),
        ([{"type": "file_search_call"}], {}, 0, "file_search cannot be priced"),
        ([{"type": "image_generation_call"}], None, 0, "image_generation cannot be priced"),
        ([{"type": "code_interpreter_call"}], None, 0, ""),
    ],
)
def test_what_is_billed_beside_tokens_is_counted_or_said(
    output: list[dict[str, Any]], tool_usage: object, searches: int, unpriceable: str
) -> None:
    iteration = one(a_usage(), *output, tool_usage=tool_usage)
    assert (iteration.server_tool_calls, iteration.unpriceable) == (searches, unpriceable)


def test_what_is_kept_for_pricing_again_has_what_stands_beside_the_usage() -> None:
    beside = {"service_tier": "flex", "prompt_cache_options": {"ttl": "12h"}}
    assert kept(a_response(usage=DOCUMENTED) | beside) == DOCUMENTED | beside
    assert kept({"usage": None, "service_tier": "flex"}) is None
