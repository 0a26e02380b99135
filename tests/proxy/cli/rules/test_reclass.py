from __future__ import annotations

from config import tool_rules
from proxy.cli.rules.lines import NOT_SAID, reclassed_lines
from proxy.cli.rules.reclass import reclassed
from proxy.ledger.tools import ToolRules
from proxy.model.facts import CallFact, ToolClass
from proxy.model.ids import CallId
from tests.support.store import a_fact

RULES = ToolRules(tool_rules.load())


def test_calls_whose_class_has_changed_are_told_first() -> None:
    calls = [
        a_fact(CallFact, tool="read_file", tool_class=ToolClass.UNKNOWN),
        a_fact(CallFact, tool="Bash", tool_class=ToolClass.UNKNOWN, call=CallId("a")),
        a_fact(CallFact, tool="Bash", tool_class=ToolClass.RETRIEVAL, action="read", call=CallId("b")),
    ]
    found = reclassed(RULES, "codex", calls, {CallId("b"): {"command": "cat a"}})
    assert [(one.tool, one.stored, one.now, one.differs) for one in found] == [
        ("read_file", "unknown", "retrieval read", True),
        ("Bash", "unknown", NOT_SAID, False),
        ("Bash", "retrieval read", "retrieval read", False),
    ]
    lines = reclassed_lines(found)
    assert lines[1].startswith("CHANGED  read_file")
    assert lines[-1].startswith("1 call of 3 would be another class; 1 cannot be said")
