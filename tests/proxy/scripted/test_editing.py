from __future__ import annotations

from typing import Any

from proxy.scripted.cache import prompt_of
from proxy.scripted.editing import CLEARED, after_compaction, edit
from tests.support.scripted import assistant, call, result, user

SUMMARY = {"type": "compaction", "content": "short"}


def history(*results: str) -> list[dict[str, Any]]:
    messages = [user("go")]
    for at, text in enumerate(results):
        name = "memory" if text.startswith("keep") else "read_file"
        messages += [assistant({"type": "thinking", "thinking": "x" * 400}, call(f"c{at}", name, path=f"{at}"))]
        messages += [user(result(f"c{at}", text))]
    return messages


def measure(body: Any) -> int:
    return prompt_of(body, tokens_per_kib=256).tokens


def edited(messages: list[dict[str, Any]], **wish: Any) -> Any:
    return edit({"messages": messages, "context_management": {"edits": [wish]}}, measure)


def texts(body: Any) -> list[str]:
    return [b["content"] for m in body["messages"] for b in m["content"] if b["type"] == "tool_result"]


CLEAR = {"type": "clear_tool_uses_20250919", "trigger": {"type": "tool_uses", "value": 2}}


def test_the_oldest_results_are_cleared_and_reported() -> None:
    messages = history("a" * 1000, "b" * 1000, "c" * 1000, "d" * 1000)
    outcome = edited(messages, **CLEAR, keep={"type": "tool_uses", "value": 1})
    assert texts(outcome.body) == [CLEARED, CLEARED, CLEARED, "d" * 1000]
    saved = measure({"messages": messages}) - measure(outcome.body)
    assert outcome.applied == ({"type": CLEAR["type"], "cleared_tool_uses": 3, "cleared_input_tokens": saved},)


def test_nothing_is_cleared_below_the_trigger_or_when_too_little_would_go() -> None:
    assert edited(history("a", "b"), **CLEAR).applied == ()
    short = edited(history("a", "b", "c", "d"), **CLEAR, clear_at_least={"type": "input_tokens", "value": 10**6})
    assert short.applied == ()


def test_excluded_tools_stay_and_inputs_go_when_asked() -> None:
    messages = history("keep " * 200, "b" * 1000, "c" * 1000, "d" * 1000)
    keep = {"type": "tool_uses", "value": 1}
    outcome = edited(messages, **CLEAR, keep=keep, exclude_tools=["memory"], clear_tool_inputs=True)
    assert texts(outcome.body) == ["keep " * 200, CLEARED, CLEARED, "d" * 1000]
    inputs = [b["input"] for m in outcome.body["messages"] for b in m["content"] if b["type"] == "tool_use"]
    assert inputs == [{"path": "0"}, {}, {}, {"path": "3"}]


def test_thinking_is_kept_or_cleared_as_asked() -> None:
    kind = "clear_thinking_20251015"
    assert edited(history("a", "b"), type=kind, keep="all").applied == ()
    outcome = edited(history("a", "b", "c"), type=kind, keep={"type": "thinking_turns", "value": 1})
    assert outcome.applied[0]["cleared_thinking_turns"] == 2
    kinds = [[b["type"] for b in m["content"]] for m in outcome.body["messages"] if m["role"] == "assistant"]
    assert kinds == [["tool_use"], ["tool_use"], ["thinking", "tool_use"]]


def test_compaction_is_due_at_its_trigger() -> None:
    wish = {"type": "compact_20260112", "trigger": {"type": "input_tokens", "value": 1000}}
    assert edited(history("a"), **wish).compact is None
    assert edited(history("a" * 5000), **wish).compact == wish


def test_edits_nobody_knows_are_left_alone() -> None:
    messages = history("a")
    assert edited(messages, type="later_20300101").body["messages"] == messages


def test_a_compacted_context_is_the_summary_and_the_pending_input() -> None:
    body = after_compaction({"model": "m", "messages": history("a", "b")}, SUMMARY)
    assert body["messages"] == [assistant(SUMMARY), user(result("c1", "b"))]


def test_a_summary_that_keeps_texts_leaves_what_the_user_wrote() -> None:
    keeping = {**SUMMARY, "keeps_texts": True}
    messages = [user("go"), *history("a", "b")]
    body = after_compaction({"model": "m", "messages": messages}, keeping)
    assert body["messages"][0] == user("go")
    assert body["messages"][-2:] == [assistant(keeping), user(result("c1", "b"))]
