"""Members by either of their names: the wire is camelCase, and snake_case is accepted (wire-formats 4)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Any

from proxy.wire.json_values import Json

_HUMP = re.compile(r"(?=[A-Z])")


@cache
def snake(name: str) -> str:
    """`functionCall` as `function_call`. For the few names that this package knows."""
    return _HUMP.sub("_", name).lower()


def member(raw: Mapping[str, Any], name: str) -> Json:
    """The member of that camelCase name, or of its other spelling; None when there is neither."""
    value = raw.get(name)
    return raw.get(snake(name)) if value is None else value


def items(raw: Mapping[str, Any], name: str) -> list[Json]:
    """The list in a member; empty when there is none."""
    value = member(raw, name)
    return value if isinstance(value, list) else []
