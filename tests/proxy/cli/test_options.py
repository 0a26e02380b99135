from __future__ import annotations

import click
import pytest

from proxy.cli.options import PLAIN_WIDTH, Span, width


@pytest.mark.parametrize(("text", "seconds"), [("90s", 90), ("30m", 1_800), ("24h", 86_400), ("7d", 604_800)])
def test_a_span_is_read_as_microseconds(text: str, seconds: int) -> None:
    assert Span().convert(text, None, None) == seconds * 1_000_000


@pytest.mark.parametrize("text", ["", "5", "h", "-1h", "1w", "1.5h", "1 h", "0s", "000d", "٣d", "9" * 5000 + "d"])
def test_anything_else_is_no_span(text: str) -> None:
    with pytest.raises(click.BadParameter, match="expected 90s, 30m, 24h or 7d"):
        Span().convert(text, None, None)


def test_no_span_is_longer_than_a_stores_integers() -> None:
    assert Span().convert("9" * 18 + "d", None, None) < 1 << 63


def test_where_there_is_no_terminal_lines_have_a_fixed_width(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    assert width() == PLAIN_WIDTH
    monkeypatch.setenv("COLUMNS", "60")
    assert width() == 60
