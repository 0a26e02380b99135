from __future__ import annotations

from proxy.cli.rules.seen import seen_tools
from proxy.model.facts import CallFact, ToolClass
from tests.support.store import a_fact


def a_call(tool: str, rule: str, tool_class: ToolClass = ToolClass.UNKNOWN) -> CallFact:
    return a_fact(CallFact, tool=tool, tool_class=tool_class, because=f'{{"rule": "{rule}"}}')


def test_tools_are_counted_by_client_with_what_decided() -> None:
    found = seen_tools(
        [
            ("codex", a_call("kb_get", "no rule for id, lang")),
            ("codex", a_call("kb_get", "no rule for id")),
            ("codex", a_call("bash", "tools.yaml:40 shell: cat, foo")),
            ("codex", a_call("bash", "tools.yaml:40 shell: cat", ToolClass.RETRIEVAL)),
            ("", a_call("kb_get", "no rule")),
        ]
    )
    assert [(one.client, one.tool, one.calls, one.has_rule) for one in found] == [
        ("codex", "bash", 2, True),
        ("codex", "kb_get", 2, False),
        ("", "kb_get", 1, False),
    ]
    assert found[0].programs == {"cat": 1, "foo": 1}
    assert found[0].rules == {"tools.yaml:40": 2}
    assert found[1].arguments == {"id": 2, "lang": 1}


def test_calls_of_which_no_names_are_kept_are_counted_all_the_same() -> None:
    (found,) = seen_tools([("codex", a_fact(CallFact, tool_class=ToolClass.UNKNOWN))])
    assert (found.tool, found.calls, found.arguments) == ("", 1, {})
