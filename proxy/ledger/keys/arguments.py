"""What the arguments of a plain tool (no shell) name: resources, and the part of them that is asked for."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from proxy.ledger.keys import spans
from proxy.ledger.keys.paths import is_url, normalise_path, normalise_query, normalise_url
from proxy.ledger.rules import SpanRule, ToolRule

_NORMALISE = {"url": normalise_url, "query": normalise_query, "name": str.strip}
_MOST = 1000
"""Resources of one call that are kept."""


class Target(NamedTuple):
    """One resource of a call, and the part of it that is asked for."""

    resource: str
    span: str


def targets(rule: ToolRule, arguments: Mapping[str, Any], cwd: str) -> tuple[Target, ...]:
    """The resources of a call in order, at least one; a resource that is not named is the empty one."""
    if not rule.items:
        return tuple(_of_one(rule, arguments, cwd))
    items = arguments.get(rule.items)
    if not isinstance(items, Sequence) or isinstance(items, str):
        items = [items]
    inner: list[Target] = []
    for one in items[:_MOST]:
        inner += _of_one(rule, one if isinstance(one, Mapping) else {rule.resource[0]: one}, cwd)
    return tuple(inner) or (Target("", ""),)


def _of_one(rule: ToolRule, arguments: Mapping[str, Any], cwd: str) -> list[Target]:
    span = spans.join(_lines(rule.span, arguments), _narrowing(rule.narrow, arguments))
    named = next((arguments[name] for name in rule.resource if arguments.get(name) not in (None, "", [])), rule.default)
    several = named if not isinstance(named, str) and isinstance(named, Sequence) else [named]
    return [Target(_resource(rule.kind, one, cwd), span) for one in several[:_MOST]]


def _resource(kind: str, value: object, cwd: str) -> str:
    text = value if isinstance(value, str) else _plain(value)
    normalise = _NORMALISE.get("url" if kind == "path" and _is_remote(text) else kind)
    return normalise(text) if normalise else normalise_path(text, cwd)


def _is_remote(text: str) -> bool:
    return is_url(text) and not text.lower().startswith("file:")


def _lines(rule: SpanRule, arguments: Mapping[str, Any]) -> str:
    piece = spans.line_range(arguments.get(rule.range)) if rule.range else None
    if piece is not None:
        return spans.lines(*piece)
    base = 1 if rule.zero_based else 0
    offset = _number(rule.offset, arguments)
    limit = _number(rule.limit, arguments)
    first, last = _number(rule.first, arguments), _number(rule.last, arguments)
    if first is not None or last is not None:
        start = max((first or 0) + base, 1)
        return spans.lines(start, None if last is None or last < 0 else last + base)
    if offset is not None and offset < 0:
        return f"{offset}-" if limit is None else spans.narrowing({"offset": str(offset), "limit": str(limit)})
    start = max((offset or 0) + base, 1)
    return spans.lines(start, None if limit is None or limit < 1 else start + limit - 1)


def _number(name: str, arguments: Mapping[str, Any]) -> int | None:
    return spans.line_number(arguments.get(name)) if name else None


def _narrowing(names: Sequence[str], arguments: Mapping[str, Any]) -> str:
    given = {name: arguments[name] for name in names if arguments.get(name) not in (None, "", [], False)}
    return spans.narrowing({name: one if isinstance(one, str) else _plain(one) for name, one in given.items()})


def _plain(value: object) -> str:
    return "" if value is None else json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)
