from __future__ import annotations

import re
from decimal import Decimal
from importlib.resources import files
from pathlib import Path

import pytest

from proxy.accounting.price_file import PRICES, TERMS, PriceFile, load_prices
from proxy.accounting.rates import Rate
from proxy.model.errors import InputError

DAY_US = 86_400_000_000
NOV_1 = 20_758 * DAY_US
"""2026-11-01 is day 20,758 after 1970-01-01."""


def load(folder: Path, text: str) -> PriceFile:
    path = folder / "prices.toml"
    path.write_text(text)
    return load_prices(path)


FULL = """
# ours
[[price]]
model = "claude-opus-5-5"
input = 4
cache_read = 0.20
cache_write_5m = 5
cache_write_1h = 8
output = 20.00
web_search = 10
above = [{ prompt = 200000, input = 8, output = 30.5 }, { prompt = 400000, input = 9 }]

[[price]]
model = "claude-opus-5-5"
from = 2026-11-01
input = 3
output = 15

[[price]]
model = "claude-opus-*"
inference_geo = "us"
times = 1.1
"""


def test_prices_are_exact_decimals(tmp_path: Path) -> None:
    first = load(tmp_path, FULL).entries[0]
    assert first.rates == {
        "input": Rate(Decimal(4), ((200_000, Decimal(8)), (400_000, Decimal(9)))),
        "cache_read": Rate(Decimal("0.20")),
        "cache_write_5m": Rate(Decimal(5)),
        "cache_write_1h": Rate(Decimal(8)),
        "output": Rate(Decimal("20.00"), ((200_000, Decimal("30.5")),)),
        "web_search": Rate(Decimal(10)),
    }


def test_the_last_entry_that_fits_counts(tmp_path: Path) -> None:
    file = load(tmp_path, FULL)
    assert file.find("claude-opus-5-5", (), NOV_1 - 1) is file.entries[0]
    assert file.find("claude-opus-5-5", (), NOV_1) is file.entries[1]
    assert file.find("claude-opus-4-8", (), NOV_1) is None
    assert file.find("claude-opus-4-8", (("inference_geo", "us"),), NOV_1) is file.entries[2]
    assert file.find("claude-opus-4-8", (("inference_geo", "us"), ("speed", "fast")), NOV_1) is None
    assert file.find("claude-sonnet-5", (("inference_geo", "us"),), NOV_1) is None


def test_an_empty_file_has_no_prices(tmp_path: Path) -> None:
    assert load(tmp_path, "# nothing yet\n").entries == ()


def test_the_digest_is_that_of_the_file(tmp_path: Path) -> None:
    assert load(tmp_path, FULL).sha256 == load(tmp_path, FULL).sha256 != load(tmp_path, FULL + "\n").sha256


def test_the_shipped_example_loads() -> None:
    example = Path(str(files("config") / "defaults" / "prices-example.toml"))
    assert len(load_prices(example).entries) >= 2


M = "[[price]]\nmodel = 'm'\n"
"""The beginning of an entry."""
ABOVE = M + "input = 1\nabove = "


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (M + "inptu = 1\n", "line 1, inptu: found an unknown key, expected one of model, from"),
        ("\n\n[[price]]\ninput = 1\n", "line 3, model: found None, expected a model name"),
        (M + "input=1\n\n [[ price ]]\nmodel='a*b'\n", "line 5, model: found 'a*b', expected a model name"),
        (M + "input = -1\n", "line 1, input: found -1, expected USD from 0 to 1000"),
        (M + "input = '4'\n", "line 1, input: found '4', expected USD"),
        (M + "input = true\n", "line 1, input: found True, expected USD"),
        (M + "input = nan\n", "line 1, input: found Decimal('NaN'), expected USD"),
        (M + "input = inf\n", "expected USD"),
        (M + "input = 1001\n", "expected USD"),
        (M + "input = 0.0000001\n", "with up to 6 decimals"),
        (M + "input = 1e-999999\n", "with up to 6 decimals"),
        (M, "line 1, price: found neither, expected either prices or `times`"),
        (M + "input = 1\ntimes = 2\n", "line 1, price: found both, expected either prices or `times`"),
        (M + "times = 11\n", "line 1, times: found 11, expected a factor from 0 to 10"),
        (M + "speed = 1\ninput = 1\n", "line 1, speed: found 1, expected a name"),
        (M + "from = '2026-11-01'\ninput = 1\n", "line 1, from: found '2026-11-01', expected a day"),
        (M + "from = 2026-11-01T00:00:00Z\ninput = 1\n", "expected a day, such as 2026-11-01"),
        (ABOVE + "3\n", "line 1, above: found another type, expected a list of tables"),
        (ABOVE + "[{input = 2}]\n", "line 1, above, prompt: found None, expected tokens"),
        (ABOVE + "[{prompt = 9, input = 2}, {prompt = 9, input = 3}]\n", "prompt: found 9, expected tokens, ascending"),
        (ABOVE + "[{prompt = 9, output = 2}]\n", "line 1, above, output: found a price for longer prompts"),
        (ABOVE + "[{prompt = 9, xinput = 2}]\n", "line 1, xinput: found an unknown key"),
        ("[price]\nmodel = 'm'\n", "price: found another type, expected [[price]] tables"),
        ("prices = 1\n", "prices: found an unknown key, expected one of price"),
        ("price = [{ model = 'm' }]\n", "price 1, price: found neither"),
        ("[[price]\n", "found Expected ']]' at the end of an array declaration (at line 1, column 8), expected TOML"),
    ],
)
def test_what_is_wrong_is_named_with_file_line_and_key(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError, match=f"^{re.escape(str(tmp_path / 'prices.toml'))}: .*{re.escape(message)}"):
        load(tmp_path, text)


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no\.toml: found No such file or directory, expected a readable file"):
        load_prices(tmp_path / "no.toml")
    (tmp_path / "latin.toml").write_bytes(b"\xff")
    with pytest.raises(InputError, match=r"latin\.toml: found bytes that are not UTF-8, expected TOML"):
        load_prices(tmp_path / "latin.toml")


def test_the_manual_lists_every_key_and_its_entries_load(tmp_path: Path) -> None:
    manual = (Path(__file__).parents[3] / "docs" / "usage.md").read_text()
    keys = manual[manual.index("## Your own prices") : manual.index("```toml")]
    assert [key for key in ("model", "from", "above", "times", *TERMS, *PRICES) if f"`{key}`" not in keys] == []
    shown = re.findall(r"```toml\n(.*?)```", manual, re.DOTALL)
    assert shown
    assert all(load(tmp_path, text).entries for text in shown)
