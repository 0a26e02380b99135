"""Golden accounting: what the wire read is priced to the last digit, with the arithmetic written out."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from proxy.accounting.price_file import load_prices
from proxy.accounting.prices import Pricer
from proxy.model.messages import Reply
from proxy.model.usage import Iteration, IterationKind, Usage
from tests.support.wire import a_message, a_usage, an_iteration, as_bytes, read_document, read_reply, stream_of, text

AT_US = int(datetime(2026, 11, 30, 12, tzinfo=UTC).timestamp()) * 1_000_000
OPUS = "claude-opus-5-5"
"""4 in, 0.2 read, 5 and 8 for writes of five minutes and an hour, 20 out per million; 10 per thousand searches."""


@pytest.fixture(scope="module")
def pricer() -> Pricer:
    return Pricer()


def amounts(pricer: Pricer, reply: Reply) -> list[int | None]:
    return [pricer.price(iteration, AT_US).pico_usd for iteration in reply.iterations]


def both_ways(usage: dict[str, Any], **fields: object) -> tuple[Reply, Reply]:
    document = a_message(text("x"), usage=usage, **fields)
    return read_document(document), read_reply(as_bytes(stream_of(document)))


def test_the_documented_example_costs_its_hidden_compaction_too(pricer: Pricer) -> None:
    usage = a_usage(
        23000,
        1000,
        cache_creation_input_tokens=3000,
        cache_read_input_tokens=100000,
        cache_creation={"ephemeral_5m_input_tokens": 1000, "ephemeral_1h_input_tokens": 2000},
        server_tool_use={"web_search_requests": 2, "web_fetch_requests": 0},
        iterations=[
            an_iteration("compaction", 180000, 3500),
            an_iteration("message", 23000, 1000, cache_read_input_tokens=100000, cache_creation_input_tokens=3000),
        ],
    )
    compaction = Decimal("0.79")  # 180,000 x 4 + 3,500 x 20 per million = 0.72 + 0.07
    message = Decimal("0.173")  # 0.092 + 0.02 (read) + 0.005 (5m) + 0.016 (1h) + 0.02 (out) + 0.02 (2 searches)
    for reply in both_ways(usage):
        assert amounts(pricer, reply) == [compaction * 10**12, message * 10**12] == [790_000_000_000, 173_000_000_000]
        assert sum(iteration.usage.uncached for iteration in reply.iterations) == 203_000


def test_cumulative_deltas_cost_their_last_values_once(pricer: Pricer) -> None:
    document = a_message(
        text("x"), usage=a_usage(1234, 567, cache_read_input_tokens=89, cache_creation_input_tokens=10)
    )
    events = stream_of(document)
    events.insert(-2, events[-2] | {"usage": {"output_tokens": 300}})
    # 1,234 x 4,000,000 + 89 x 200,000 + 10 x 5,000,000 + 567 x 20,000,000
    assert amounts(pricer, read_reply(as_bytes(events))) == [4_936_000_000 + 17_800_000 + 50_000_000 + 11_340_000_000]


def test_an_hour_costs_more_than_five_minutes(pricer: Pricer) -> None:
    for hour, pico in ((0, 3000 * 5_000_000), (3000, 3000 * 8_000_000), (1, 2999 * 5_000_000 + 8_000_000)):
        split = {"ephemeral_5m_input_tokens": 3000 - hour, "ephemeral_1h_input_tokens": hour}
        usage = a_usage(0, 0, cache_creation_input_tokens=3000, cache_creation=split)
        assert [amounts(pricer, reply) for reply in both_ways(usage)] == [[pico], [pico]]


def test_an_advisor_costs_its_own_models_price(pricer: Pricer) -> None:
    usage = a_usage(100, 10, iterations=[
        an_iteration("message", 100, 10),
        an_iteration("advisor_message", 900, 90, model="claude-fable-5-2"),
    ])  # fmt: skip
    for reply in both_ways(usage):  # 100 x 4 + 10 x 20 = 600; 900 x 8 + 90 x 40 = 10,800 per million
        assert amounts(pricer, reply) == [600_000_000, 10_800_000_000]


def test_a_declined_attempt_costs_nothing_and_the_serving_model_counts(pricer: Pricer) -> None:
    usage = a_usage(412, 264, iterations=[
        an_iteration("message", 535, 0, model="claude-fable-5-2"),
        an_iteration("fallback_message", 412, 264, model="claude-opus-4-8"),
    ])  # fmt: skip
    for reply in both_ways(usage, model="claude-opus-4-8"):  # 412 x 5 + 264 x 25 = 8,660 per million
        assert amounts(pricer, reply) == [8_660_000_000]


def test_sums_that_disagree_cost_the_top_level_with_the_answering_model(pricer: Pricer) -> None:
    usage = a_usage(100, 10, iterations=[an_iteration("message", 99, 10, model="claude-fable-5-2")])
    for reply in both_ways(usage):
        assert reply.usage_disagrees
        assert amounts(pricer, reply) == [100 * 4_000_000 + 10 * 20_000_000]


def test_searches_cost_their_price_and_fetches_none(pricer: Pricer) -> None:
    usage = a_usage(0, 0, server_tool_use={"web_search_requests": 3, "web_fetch_requests": 40})
    assert [amounts(pricer, reply) for reply in both_ways(usage)] == [[30_000_000_000], [30_000_000_000]]


def test_the_tier_goes_by_the_prompt_of_each_sampling(pricer: Pricer) -> None:
    usage = a_usage(20_000, 100, cache_read_input_tokens=80_000, iterations=[
        an_iteration("compaction", 100_001, 100),
        an_iteration("message", 20_000, 100, cache_read_input_tokens=80_000),
    ])  # fmt: skip
    document = a_message(usage=usage, model="claude-haiku-5-5")
    # over 100,000: 100,001 x 0.5 + 100 x 2.5; at 100,000: 20,000 x 0.1 + 80,000 x 0.01 + 100 x 0.5, per million
    assert amounts(pricer, read_document(document)) == [
        50_000_500_000 + 250_000_000,
        2_000_000_000 + 800_000_000 + 50_000_000,
    ]


def test_a_broken_attempt_costs_what_it_had_used(pricer: Pricer) -> None:
    events = stream_of(a_message(text("x"), usage=a_usage(1000, 50)))[:3]
    error = {"type": "error", "error": {"type": "overloaded_error"}}
    assert amounts(pricer, read_reply(as_bytes([*events, error]))) == [1000 * 4_000_000 + 1 * 20_000_000]


@pytest.mark.parametrize(
    ("usage", "model", "reason"),
    [
        ({}, "claude-of-the-future", "unknown model"),
        ({}, "", "unknown model"),
        ({"service_tier": "priority"}, OPUS, "no price for service_tier priority"),
        ({"inference_geo": "us"}, OPUS, "no price for inference_geo us"),
        ({"server_tool_use": {"code_execution_requests": 1}}, OPUS, "code_execution_requests cannot be priced"),
        ({"server_tool_use": {"web_search_requests": 1}}, "claude-2", "no price for web_search"),
        ({"cache_read_input_tokens": 5}, "claude-2", "no price for cache_read"),
        ({"fallback_credit": {"status": {"type": "redeemed"}}}, OPUS, "fallback credit redeemed"),
    ],
)
def test_unpriced_says_why_and_is_not_zero(pricer: Pricer, usage: dict[str, Any], model: str, reason: str) -> None:
    reply = read_document(a_message(usage=a_usage(**usage), model=model))
    price = pricer.price(reply.iterations[0], AT_US)
    assert (price.pico_usd, price.reason, price.table) == (None, reason, pricer.table)


def test_nothing_used_costs_a_measured_zero(pricer: Pricer) -> None:
    assert amounts(pricer, read_document(a_message(usage=a_usage(0, 0)))) == [0]


def an_opus_sampling(*terms: tuple[str, str]) -> Iteration:
    return Iteration(kind=IterationKind.MESSAGE, model=OPUS, usage=Usage(uncached=1_000_003, output=7), terms=terms)


def own(folder: Path, content: str) -> Pricer:
    path = folder / "prices.toml"
    path.write_text(content)
    return Pricer(load_prices(path))


def test_own_prices_replace_the_tables(tmp_path: Path) -> None:
    mine = own(tmp_path, f'[[price]]\nmodel = "{OPUS}"\ninput = 3.999999\noutput = 0.5\n')
    # 1,000,003 x 3,999,999 + 7 x 500,000
    assert mine.price(an_opus_sampling(), AT_US).pico_usd == 4_000_010_999_997 + 3_500_000


def test_an_own_price_is_whole_and_not_filled_from_the_table(tmp_path: Path) -> None:
    mine = own(tmp_path, f'[[price]]\nmodel = "{OPUS}"\ninput = 4\n')
    assert mine.price(an_opus_sampling(), AT_US).reason == "no price for output"


def test_a_surcharge_multiplies_the_tables_price(tmp_path: Path) -> None:
    mine = own(tmp_path, '[[price]]\nmodel = "*"\ninference_geo = "us"\ntimes = 1.1\n')
    # (1,000,003 x 4,000,000 + 7 x 20,000,000) x 1.1
    assert mine.price(an_opus_sampling(("inference_geo", "us")), AT_US).pico_usd == 4_400_167_200_000
    assert mine.price(an_opus_sampling(), AT_US).pico_usd == 4_000_152_000_000
    unknown = Iteration(kind=IterationKind.MESSAGE, model="x", usage=Usage(), terms=(("inference_geo", "us"),))
    assert mine.price(unknown, AT_US).reason == "unknown model"


def test_the_table_digest_tells_own_prices_apart(tmp_path: Path, pricer: Pricer) -> None:
    cheap, dear = (own(tmp_path, f'[[price]]\nmodel = "m"\ninput = {price}\n') for price in (1, 2))
    assert len({pricer.table, cheap.table, dear.table}) == 3
    assert pricer.table == Pricer().table
