from __future__ import annotations

import re
from datetime import UTC, datetime
from decimal import Decimal

import pytest
from genai_prices.data import providers
from genai_prices.types import ModelPrice, Provider, StartDateConstraint

from proxy.accounting import price_table
from proxy.accounting.price_table import NoPriceError, rates_of, table_digest
from proxy.accounting.rates import Rate


def at(year: int, month: int = 1, day: int = 1) -> int:
    return int(datetime(year, month, day, tzinfo=UTC).timestamp()) * 1_000_000


NOW = at(2026, 11, 30)


def flat(**prices: str) -> dict[str, Rate]:
    return {name: Rate(Decimal(price)) for name, price in prices.items()}


OPUS = flat(
    input="4",
    cache_read="0.2",
    cache_write_5m="5",
    cache_write_1h="8",
    cache_write_30m="5",
    output="20",
    web_search="10",
)


def test_a_model_has_the_price_of_its_maker() -> None:
    assert rates_of("claude-opus-5-5", (), NOW) == OPUS
    assert rates_of("claude-opus-5-5-20261001", (), NOW) == OPUS
    assert rates_of("CLAUDE-OPUS-5-5", (), NOW) == OPUS


def test_prices_by_prompt_length_are_tiers() -> None:
    rates = rates_of("claude-haiku-5-5", (), NOW)
    assert rates["input"] == Rate(Decimal("0.1"), ((100_000, Decimal("0.5")),))
    assert rates["output"] == Rate(Decimal("0.5"), ((100_000, Decimal("2.5")),))


BATCH, FAST = ("service_tier", "batch"), ("speed", "fast")


@pytest.mark.parametrize(("term", "factor"), [(FAST, Decimal(2)), (BATCH, Decimal("0.5"))])
def test_terms_that_the_table_prices_have_their_own_rates(term: tuple[str, str], factor: Decimal) -> None:
    rates = rates_of("claude-opus-5-5", (term,), NOW)
    assert rates["input"].base == OPUS["input"].base * factor
    assert rates["output"].base == OPUS["output"].base * factor
    assert rates["web_search"] == OPUS["web_search"]


@pytest.mark.parametrize(("tier", "factor"), [("flex", "0.5"), ("batch", "0.5"), ("priority", "2"), ("fast", "2")])
def test_each_service_tier_has_rates_of_its_own(tier: str, factor: str) -> None:
    standard, rates = (rates_of("gpt-6-astra", terms, NOW) for terms in ((), (("service_tier", tier),)))
    for name in ("input", "cache_read", "cache_write_30m", "output"):
        assert rates[name] == standard[name].times(Decimal(factor))
    assert rates["web_search"] == standard["web_search"]


@pytest.mark.parametrize(
    ("model", "terms", "reason"),
    [
        ("claude-opus-5-5", (("service_tier", "priority"),), "no price for service_tier priority"),
        ("gpt-6-astra", (("service_tier", "ultrafast"),), "no price for service_tier ultrafast"),
        ("gpt-5-pro", (("service_tier", "priority"),), "no price for service_tier priority"),
        ("claude-opus-5-5", (("inference_geo", "us"),), "no price for inference_geo us"),
        ("claude-sonnet-4-5", (("speed", "fast"),), "no price for speed fast"),
        ("claude-opus-5-5", (BATCH, FAST), "no price for service_tier batch with speed fast"),
        ("claude-of-the-future", (), "unknown model"),
        ("anthropic/claude-opus-5-5", (), "unknown model"),
        ("my-own-model", (), "unknown model"),
        ("", (), "unknown model"),
        ("x" * 100_000, (), "unknown model"),
    ],
)  # fmt: skip
def test_what_the_table_does_not_price_says_so(model: str, terms: tuple[tuple[str, str], ...], reason: str) -> None:
    with pytest.raises(NoPriceError, match=f"^{re.escape(reason)}$"):
        rates_of(model, terms, NOW)


def test_a_variant_holds_from_its_day_on() -> None:
    assert rates_of("claude-opus-5-5", (BATCH,), at(2026, 10, 14))["input"].base == 2
    with pytest.raises(NoPriceError):
        rates_of("claude-opus-5-5", (BATCH,), at(2026, 10, 13))


def test_a_price_holds_from_its_day_on() -> None:
    model, day = next(
        (model.id, dated.constraint.start_date)
        for maker in providers
        if maker.id == "openai"
        for model in maker.models
        if isinstance(model.prices, list)
        for dated in model.prices[1:]
        if isinstance(dated.constraint, StartDateConstraint)
    )
    start = at(day.year, day.month, day.day)
    assert rates_of(model, (), start - 1) != rates_of(model, (), start)


def test_a_lifetime_without_a_price_has_none() -> None:
    assert "cache_write_12h" not in rates_of("gpt-6-astra", (), NOW)
    assert rates_of("gpt-6-astra", (), NOW)["cache_write_30m"].base == Decimal("12.5")
    assert set(rates_of("claude-2", (), NOW)) == {"input", "output"}


def test_a_kind_of_price_that_is_not_understood_leaves_the_model_unpriced(monkeypatch: pytest.MonkeyPatch) -> None:
    class Strange:
        price_variants = ()

        def get_prices(self, *_: object) -> ModelPrice:
            return ModelPrice(input_mtok=Decimal(1), input_audio_mtok=Decimal(9), requests_kcount=Decimal(1))

    monkeypatch.setattr(price_table, "_model", lambda _: Strange())
    with pytest.raises(NoPriceError, match="price requests_kcount is not understood"):
        rates_of("m", (), NOW)


@pytest.mark.parametrize("maker", [maker for maker in providers if maker.id in {"anthropic", "openai", "google"}])
def test_every_price_of_the_agents_makers_is_understood_and_no_float(maker: Provider) -> None:
    # A model's id in the table is not always a name that the provider answers.
    known = [model.id for model in maker.models if price_table._model(model.id) is not None]
    assert len(known) > 20
    for model in known:
        for rate in rates_of(model, (), NOW).values():
            assert all(isinstance(price, Decimal) for price in (rate.base, *(price for _, price in rate.tiers)))


def test_the_digest_names_one_table() -> None:
    assert table_digest() == table_digest()
    assert re.fullmatch("[0-9a-f]{64}", table_digest())
