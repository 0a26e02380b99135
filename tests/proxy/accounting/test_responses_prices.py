"""Golden accounting of the Responses API: what the wire read is priced to the last digit, with the arithmetic."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from proxy.accounting.price_file import load_prices
from proxy.accounting.prices import Pricer
from proxy.model.messages import Reply
from tests.support.responses import a_response, a_usage, as_bytes, read_document, read_reply, said, stream_of

AT_US = int(datetime(2026, 11, 30, 12, tzinfo=UTC).timestamp()) * 1_000_000
ASTRA = "gpt-6-astra"
"""10 in, 1 read, 12.5 for writes of 30 minutes, 50 out per million, double and 1.5-fold above 272,000; 10 per thousand
searches."""


@pytest.fixture(scope="module")
def pricer() -> Pricer:
    return Pricer()


def both_ways(usage: dict[str, Any], **fields: object) -> tuple[Reply, Reply]:
    document = a_response(said("x"), usage=usage, **fields)
    return read_document(document), read_reply(as_bytes(stream_of(document)))


def amounts(pricer: Pricer, reply: Reply) -> list[int | None]:
    return [pricer.price(iteration, AT_US).pico_usd for iteration in reply.iterations]


def test_the_documented_example_costs_its_classes(pricer: Pricer) -> None:
    usage = a_usage(1000, 50, cached=400, written=100, output_tokens_details={"reasoning_tokens": 20})
    # 500 x 10 + 400 x 1 + 100 x 12.5 + 50 x 50 = 9,150 per million; reasoning is inside the output
    for reply in both_ways(usage):
        assert amounts(pricer, reply) == [Decimal("0.00915") * 10**12] == [9_150_000_000]


def test_what_is_cached_is_not_paid_twice(pricer: Pricer) -> None:
    for reply in both_ways(a_usage(1000, 0, cached=1000)):
        assert amounts(pricer, reply) == [1000 * 1_000_000]


def test_the_tier_goes_by_the_whole_prompt_with_what_is_cached(pricer: Pricer) -> None:
    usage = a_usage(272_001, 7, cached=272_000)
    # 1 x 20 + 272,000 x 2 + 7 x 75 per million
    for reply in both_ways(usage):
        assert amounts(pricer, reply) == [20_000_000 + 544_000_000_000 + 525_000_000]


@pytest.mark.parametrize(("tier", "pico"), [("flex", 4_575_000_000), ("priority", 18_300_000_000)])
def test_a_service_tier_costs_its_own_price(pricer: Pricer, tier: str, pico: int) -> None:
    for reply in both_ways(a_usage(1000, 50, cached=400, written=100), service_tier=tier):
        assert amounts(pricer, reply) == [pico]


def test_searches_cost_their_price(pricer: Pricer) -> None:
    for reply in both_ways(a_usage(0, 0), tool_usage={"web_search": {"num_requests": 3}}):
        assert amounts(pricer, reply) == [30_000_000_000]


def test_the_pass_of_the_compact_endpoint_costs_what_it_used(pricer: Pricer) -> None:
    compaction = {"type": "compaction", "encrypted_content": "x"}
    reply = read_document(a_response(compaction, usage=a_usage(180_000, 3500)))
    assert [iteration.kind for iteration in reply.iterations] == ["compaction"]
    assert amounts(pricer, reply) == [180_000 * 10_000_000 + 3500 * 50_000_000]


SPLIT = {"cache_write_tokens": 30, "cache_write_tokens_details": {"ttl_30m_tokens": 10, "ttl_12h_tokens": 20}}


@pytest.mark.parametrize(
    ("usage", "fields", "reason"),
    [
        ({"input_tokens_details": SPLIT}, {}, "no price for cache_write_12h"),
        ({"written": 4}, {"prompt_cache_options": {"ttl": "12h"}}, "no price for cache_write_12h"),
        ({"written": 4}, {"model": "gpt-5.5"}, "no price for cache_write_30m"),
        ({"cached": 4}, {"model": "gpt-5.5-pro"}, "no price for cache_read"),
        ({}, {"service_tier": "scale"}, "no price for service_tier scale"),
        ({}, {"tool_usage": {"image_gen": {"total_tokens": 4}}}, "image_gen cannot be priced"),
        ({}, {"model": "my-own-model"}, "unknown model"),
    ],
)
def test_unpriced_says_why_and_is_not_zero(
    pricer: Pricer, usage: dict[str, Any], fields: dict[str, Any], reason: str
) -> None:
    for reply in both_ways(a_usage(100, 5, **usage), **fields):
        price = pricer.price(reply.iterations[0], AT_US)
        assert (price.pico_usd, price.reason) == (None, reason)


def test_an_own_price_prices_writes_of_twelve_hours(tmp_path: Path) -> None:
    path = tmp_path / "prices.toml"
    path.write_text(
        f'[[price]]\nmodel = "{ASTRA}*"\ninput = 10\noutput = 50\ncache_write_30m = 12.5\ncache_write_12h = 25\n'
    )
    mine = Pricer(load_prices(path))
    for reply in both_ways(a_usage(100, 5, input_tokens_details=SPLIT)):
        # 70 x 10 + 10 x 12.5 + 20 x 25 + 5 x 50
        assert amounts(mine, reply) == [700_000_000 + 125_000_000 + 500_000_000 + 250_000_000]
