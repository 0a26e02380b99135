from __future__ import annotations

import pytest

from proxy.story import figures


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (0, "0"),
        (950, "950"),
        (1_000, "1.0k"),
        (14_900, "14.9k"),
        (118_400, "118k"),
        (1_234_567, "1.2M"),
        (None, "not measured"),
    ],
)
def test_tokens_are_short(count: int | None, text: str) -> None:
    assert figures.short(count) == text


@pytest.mark.parametrize(
    ("pico", "text"),
    [
        (0, "$0.00"),
        (6_410_000_000_000, "$6.41"),
        (214_900_000_000, "$0.21"),
        (44_300_000_000, "$0.0443"),
        (-70_800_000_000, "-$0.0708"),
        (1, "<$0.0001"),
        (None, "unpriced"),
    ],
)
def test_money_keeps_the_digits_that_matter_and_never_shows_unpriced_as_nothing(pico: int | None, text: str) -> None:
    assert figures.usd(pico) == text


def test_amounts_that_stand_in_a_column_have_the_same_digits() -> None:
    amounts = (254_900_000_000, 51_500_000_000, 0, None)
    assert [figures.usd(pico, is_column=True) for pico in amounts] == ["$0.2549", "$0.0515", "$0.0000", "unpriced"]


@pytest.mark.parametrize(
    ("us", "text"),
    [
        (350_000, "350 ms"),
        (4_200_000, "4.2 s"),
        (125_000_000, "2m05s"),
        (11_520_000_000, "3h12m"),
        (4 * 86_400_000_000 + 7 * 3_600_000_000, "4d07h"),
        (None, "not measured"),
    ],
)
def test_spans_of_time(us: int | None, text: str) -> None:
    assert figures.span(us) == text


def test_moments_are_told_from_now() -> None:
    assert figures.ago(None, 5) == "never"
    assert figures.ago(0, 12_000_000) == "12 s ago"
    assert figures.ago(0, 600_000_000) == "10m00s ago"
    assert figures.ago(10, 0) == "0 s ago"


def test_a_share_of_nothing_is_not_measured_and_a_little_is_not_nothing() -> None:
    assert figures.share(0, 0) == "not measured"
    assert figures.share(0, 9) == "0 %"
    assert figures.share(1, 1_000) == "<1 %"
    assert figures.share(999, 1_000) == ">99 %"
    assert figures.share(9, 9) == "100 %"


def test_sizes_and_plurals() -> None:
    assert [figures.size(octets) for octets in (5, 1536, 3 << 20, 5 << 40)] == [
        "5 B",
        "1.5 KiB",
        "3.0 MiB",
        "5120.0 GiB",
    ]
    assert [figures.plural(1, "turn"), figures.plural(2_000, "turn")] == ["1 turn", "2,000 turns"]
