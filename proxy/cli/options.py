"""Options that several commands share."""

from __future__ import annotations

import re
import shutil
from typing import Any

import click

_SPAN = re.compile(r"([0-9]{1,18})([smhd])")
_SECONDS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400}
_LONGEST_US = 1 << 60
"""36,500 years; a longer span means the same, and would not fit a store's integers."""
PLAIN_WIDTH = 100
"""Columns where no terminal says otherwise."""


class Span(click.ParamType[int]):
    """`90s`, `30m`, `24h`, `7d`, as microseconds."""

    name = "span"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:  # noqa: ANN401
        """Read it."""
        found = _SPAN.fullmatch(str(value))
        span = int(found[1]) * _SECONDS[found[2]] * 1_000_000 if found else 0
        if span == 0:
            self.fail(f"{value!r} is no span of time: expected 90s, 30m, 24h or 7d", param, ctx)
        return min(span, _LONGEST_US)


output_format = click.option(
    "--format", "form", type=click.Choice(["text", "json"]), default="text", help="How to print it."
)
since = click.option("--since", type=Span(), metavar="SPAN", help="Only what was active in this time: 30m, 24h, 7d.")


def width() -> int:
    """Columns to fill."""
    return shutil.get_terminal_size((PLAIN_WIDTH, 24)).columns
