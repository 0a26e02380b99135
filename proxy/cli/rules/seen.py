"""The tools of a store: who called them, as what they count, and which rules decided."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

import orjson

from proxy.ledger.tools import NO_RULE
from proxy.model.facts import CallFact, ToolClass

_ARGUMENTS = re.compile(rf"{NO_RULE} for (?P<names>.+)")
_PROGRAMS = re.compile(r".* shell: (?P<names>.+)")


@dataclass(slots=True)
class SeenTool:
    """One tool of one client, over all calls that were looked at."""

    client: str
    tool: str
    calls: int = 0
    classes: Counter[ToolClass] = field(default_factory=Counter)
    rules: Counter[str] = field(default_factory=Counter)
    """Calls by the rule that decided, without the programs of shell commands."""
    arguments: Counter[str] = field(default_factory=Counter)
    """Names of arguments, where no rule fits."""
    programs: Counter[str] = field(default_factory=Counter)
    """Programs of shell commands that are not understood."""

    @property
    def has_rule(self) -> bool:
        """Whether any call of it was decided by a rule."""
        return any(not rule.startswith(NO_RULE) for rule in self.rules)

    def as_object(self) -> dict[str, object]:
        """For programs."""
        counted = {
            name: {str(key): count for key, count in getattr(self, name).items()}
            for name in ("classes", "rules", "arguments", "programs")
        }
        return {"client": self.client, "tool": self.tool, "calls": self.calls} | counted

    def take(self, call: CallFact) -> None:
        """Count one call."""
        self.calls += 1
        self.classes[call.tool_class] += 1
        rule = str(orjson.loads(call.because).get("rule", "")) if call.because else ""
        self.rules[NO_RULE if rule.startswith(NO_RULE) else rule.partition(" shell")[0]] += 1
        if found := _ARGUMENTS.fullmatch(rule):
            self.arguments.update(found["names"].split(", "))
        if call.tool_class is ToolClass.UNKNOWN and (found := _PROGRAMS.fullmatch(rule)):
            self.programs.update(found["names"].split(", "))


def seen_tools(calls: Iterable[tuple[str, CallFact]]) -> list[SeenTool]:
    """Tools by client, the most called first."""
    found: dict[tuple[str, str], SeenTool] = {}
    for client, call in calls:
        found.setdefault((client, call.tool), SeenTool(client, call.tool)).take(call)
    return sorted(found.values(), key=lambda one: (-one.calls, one.client, one.tool))
