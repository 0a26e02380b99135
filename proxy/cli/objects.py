"""What a command prints when it is asked for JSON."""

from __future__ import annotations

import json
from typing import Any

import click
import orjson


def echo_object(value: Any) -> None:  # noqa: ANN401  whatever JSON can hold
    """Print it as JSON. A path is bytes: in one that is no text, U+FFFD stands for what cannot be told."""
    try:
        text = orjson.dumps(value, option=orjson.OPT_INDENT_2)
    except TypeError:
        plain = json.dumps(value, ensure_ascii=False).encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        text = orjson.dumps(orjson.loads(plain), option=orjson.OPT_INDENT_2)
    click.echo(text.decode())
