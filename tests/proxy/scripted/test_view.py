from __future__ import annotations

import pytest

from proxy.scripted.view import View, unanswered, unpaired, visible_messages
from tests.support.scripted import assistant, call, result, user


def test_a_plain_string_is_one_text_block() -> None:
    view = View({"messages": [{"role": "user", "content": "hello"}]})
    assert list(view.prompts()) == ["hello"]
    assert view.last_prompt() == "hello"


def test_a_prompt_before_system_messages_is_still_the_last_prompt() -> None:
    view = View({"messages": [user("one"), assistant("two"), user("three"), {"role": "system", "content": "four"}]})
    assert view.last_prompt() == "three"
    assert list(view.prompts()) == ["one", "three", "four"]


def test_everything_before_the_last_compaction_block_is_out_of_sight() -> None:
    compaction = {"type": "compaction", "content": "short"}
    messages = [user("old"), assistant("gone", compaction, "kept"), user("new")]
    assert [message["content"] for message in visible_messages(messages)] == [
        [compaction, {"type": "text", "text": "kept"}],
        [{"type": "text", "text": "new"}],
    ]
    assert not View({"messages": messages}).shows("old")
    assert View({"messages": messages}).shows("short")


def test_a_failed_compaction_hides_nothing() -> None:
    messages = [user("old"), assistant({"type": "compaction", "content": None}), user("new")]
    assert View({"messages": messages}).shows("old")


def test_what_the_model_wrote_itself_is_no_sight_of_a_file() -> None:
    messages = [
        user("go"),
        assistant("timeout = 5", call("c", "Edit", old_string="timeout = 5")),
        user(result("c", "ok")),
    ]
    assert not View({"messages": messages}).shows("timeout = 5")
    assert View({"messages": [*messages[:2], user(result("c", "1\ttimeout = 5"))]}).shows("timeout = 5")


@pytest.mark.parametrize(
    ("messages", "fault"),
    [
        ([user("go"), assistant(call("c", "t")), user(result("c", ""))], ""),
        ([user("go"), assistant(call("c", "t")), {"role": "system", "content": []}, user(result("c", ""))], ""),
        ([user(result("c", ""))], "messages.0: tool_result without tool_use: c"),
        ([assistant(call("c", "t")), user("no")], "messages.1: tool_use without tool_result: c"),
        ([assistant(call("c", "t")), user(result("d", ""))], "messages.1: tool_result without tool_use: d"),
    ],
)
def test_calls_and_results_must_pair_up(messages: list[dict[str, object]], fault: str) -> None:
    assert unpaired(messages) == fault


def test_a_compaction_that_keeps_texts_leaves_what_the_user_wrote_before_it() -> None:
    block = {"type": "compaction", "content": "short", "keeps_texts": True}
    messages = [user("go"), assistant(call("c", "read_file")), user(result("c", "x"), "on"), assistant("old", block)]
    kept = [(role, part.get("text") or part["content"]) for role, part in View({"messages": messages}).shown()]
    assert kept == [("user", "go"), ("user", "on"), ("assistant", "short")]


def test_calls_and_results_may_stand_apart_where_the_dialect_lets_them() -> None:
    asked, between = assistant(call("c", "read_file")), user("wait")
    assert unanswered([asked, between, user(result("c", "x"))]) == ""
    assert unanswered([asked, between]) == "No tool output found for call c."
    assert unanswered([user(result("c", "x")), asked]) == "No tool call found for tool output with call_id c."


def test_the_system_prompt_is_text_whatever_its_form() -> None:
    assert View({"system": "be careful"}).system() == "be careful"
    assert View({"system": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}).system() == "a\nb"
    assert View({}).system() == ""
