"""What the rules of today make of stored calls."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from proxy.cli.rules.lines import NOT_SAID, Reclassed
from proxy.ledger.tools import ToolRules
from proxy.model.facts import CallFact
from proxy.model.ids import CallId


def reclassed(
    rules: ToolRules, client: str, calls: Iterable[CallFact], arguments: Mapping[CallId, Mapping[str, Any]]
) -> list[Reclassed]:
    """Calls grouped by tool, stored class and class of today."""
    found: Counter[tuple[str, str, str, str]] = Counter()
    for call in calls:
        given = arguments.get(call.call)
        stored = _named(call.tool_class, call.action)
        if given is None and not rules.decides_by_name(client, call.tool):
            found[call.tool, stored, NOT_SAID, ""] += 1
            continue
        access = rules.access(client, call.tool, given or {}, cwd="")
        found[call.tool, stored, _named(access.tool_class, access.action), access.rule.partition(" shell")[0]] += 1
    return [
        Reclassed(tool=tool, stored=stored, now=now, rule=rule, calls=count)
        for (tool, stored, now, rule), count in found.items()
    ]


def _named(tool_class: str, action: str) -> str:
    return f"{tool_class} {action}".rstrip()
