"""Boundaries: one event per compaction, none for rewinds, forks, clears and sub-agents."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.model.facts import BoundaryKind, DropFact, InSummary, Observability, ThreadFact, TurnFact
from tests.support.compaction import CONTINUATION, SUMMARY
from tests.support.journey import Client, Driver, a_file, call, numbered, read, result, text, usage

APP = a_file("app")
DB = a_file("db")


@pytest.fixture
def client() -> Client:
    client = Client(Driver())
    client.user(text("change the timeout"))
    client.does(read("c1", "/repo/app.py"), numbered(APP))
    client.does(read("c2", "/repo/db.py"), numbered(DB))
    return client


def ask_for_summary(client: Client, **more: Any) -> None:
    held = list(client.messages)
    client.user(text("CRITICAL: Respond with TEXT ONLY. Do NOT call any tools.\n\nYour task is …"))
    client.turn(text(f"<analysis>a</analysis><summary>\n{SUMMARY}\n</summary>"), keep=False, **more)
    client.messages = held


def test_a_summary_and_a_continuation_are_one_boundary(client: Client) -> None:
    ask_for_summary(client)
    client.messages = [{"role": "user", "content": CONTINUATION + SUMMARY}]
    client.turn()
    client.user(text("go on"))
    client.turn()
    (boundary,) = client.driver.run.boundaries
    assert boundary.kind is BoundaryKind.CLIENT
    assert boundary.evidence == "continuation text"
    assert boundary.level is Observability.EXACT
    assert boundary.dropped_observations == 2
    assert boundary.turn == 4
    assert boundary.summary_number == 3
    assert [turn.purpose for turn in client.driver.run.of(TurnFact)] == ["main", "main", "summary", "main", "main"]
    assert client.driver.run.relations == ["first", "extends", "extends", "compacted", "extends"]
    assert {drop.observation for drop in client.driver.run.of(DropFact)} == {"main/1.0", "main/2.0"}


def test_sizes_are_the_billed_contexts_around_it(client: Client) -> None:
    client.turn(used=usage(read=60_000, write=1_000, output=50))
    ask_for_summary(client, used=usage(read=61_000, uncached=240, output=1_310))
    client.messages = [{"role": "user", "content": CONTINUATION + SUMMARY}]
    client.turn(used=usage(write=14_900, output=20))
    (boundary,) = client.driver.run.boundaries
    assert (boundary.tokens_before, boundary.tokens_after) == (61_000, 14_900)


@pytest.mark.parametrize("trigger", ["manual", "auto"])
def test_hint_headers_name_the_trigger(client: Client, trigger: str) -> None:
    ask_for_summary(client, headers={"x-claude-code-compaction": trigger})
    client.messages = [{"role": "user", "content": CONTINUATION + SUMMARY}]
    client.turn(headers={"x-claude-code-context-compacted": trigger})
    (boundary,) = client.driver.run.boundaries
    assert (boundary.evidence, boundary.trigger) == ("hint header", trigger)


def test_the_trigger_of_the_summarising_call_is_kept_when_the_next_process_says_nothing(client: Client) -> None:
    ask_for_summary(client, headers={"x-claude-code-compaction": "manual"})
    client.messages = [{"role": "user", "content": CONTINUATION + SUMMARY}]
    client.turn()
    assert client.driver.run.boundaries[0].trigger == "manual"


def test_a_reminder_behind_the_summarising_prompt_does_not_hide_it(client: Client) -> None:
    client.user(text("CRITICAL: Respond with TEXT ONLY. Do NOT call any tools."))
    client.messages.append({"role": "system", "content": "The user hasn't heard from you in a while"})
    client.turn(text(SUMMARY), keep=False)
    assert client.driver.run.of(TurnFact)[-1].purpose == "summary"


def test_a_failed_summary_leaves_no_boundary(client: Client) -> None:
    ask_for_summary(client)
    client.user(text("never mind"))
    client.turn()
    assert client.driver.run.boundaries == []
    assert client.driver.run.relations[-1] == "extends"


def test_a_retried_first_request_after_a_compaction_is_still_one_boundary(client: Client) -> None:
    ask_for_summary(client)
    client.messages = [{"role": "user", "content": CONTINUATION + SUMMARY}]
    overloaded = {"type": "error", "error": {"type": "overloaded_error", "message": "busy"}}
    client.turn(status=529, answer=overloaded, keep=False)
    client.turn()
    assert len(client.driver.run.boundaries) == 1


def test_a_second_compaction_is_a_second_boundary(client: Client) -> None:
    for words in ("one\n" + SUMMARY, "two\nanother text altogether here\nwith three new lines\nand a last one"):
        client.messages = [{"role": "user", "content": CONTINUATION + words}]
        client.turn()
    assert [boundary.boundary for boundary in client.driver.run.boundaries] == [1, 2]


def test_the_word_compact_in_prose_is_none(client: Client) -> None:
    client.turn()
    client.user(text("compact the summary: This session is being continued from a previous conversation, as they say"))
    client.turn()
    assert client.driver.run.boundaries == []


def test_a_rewind_is_none_and_what_it_left_is_no_longer_known(client: Client) -> None:
    client.turn()
    client.messages = client.messages[:3]
    client.user(text("do it differently"))
    client.does(read("c3", "/repo/db.py"), numbered(DB))
    client.turn()
    run = client.driver.run
    assert run.boundaries == []
    assert run.relations[3] == "rewind"
    assert run.labels()["c3"] == "acquisition"
    assert len(run.of(ThreadFact)) == 1


def test_a_rewind_behind_a_compaction_is_none(client: Client) -> None:
    client.messages = [{"role": "user", "content": CONTINUATION + SUMMARY}]
    client.turn()
    client.user(text("first idea"))
    client.turn()
    client.messages = client.messages[:2]
    client.user(text("second idea"))
    client.turn()
    assert len(client.driver.run.boundaries) == 1
    assert client.driver.run.relations[-1] == "rewind"


def test_a_branch_taken_up_again_is_visible_again(client: Client) -> None:
    client.turn()
    whole = list(client.messages)
    client.messages = client.messages[:3]
    client.user(text("do it differently"))
    client.turn()
    client.messages = whole
    client.user(text("no, the first way"))
    client.does(read("c3", "/repo/db.py"), numbered(DB))
    client.turn()
    assert client.driver.run.labels()["c3"] == "repeat_visible"
    assert client.driver.run.boundaries == []


def test_a_history_that_starts_over_is_another_thread(client: Client) -> None:
    client.messages = []
    client.user(text("something else altogether"))
    client.turn()
    threads = client.driver.run.of(ThreadFact)
    assert [(thread.thread, thread.why) for thread in threads] == [("main", "first"), ("main.2", "another history")]
    assert client.driver.run.boundaries == []


def test_a_sliding_window_is_a_boundary_by_its_structure(client: Client) -> None:
    client.does(read("c3", "/repo/etc.py"), numbered(a_file("etc")))
    del client.messages[1:3]
    client.turn()
    (boundary,) = client.driver.run.boundaries
    assert (boundary.evidence, boundary.kind) == ("history replaced", BoundaryKind.CLIENT)
    assert boundary.dropped_observations == 1


def test_dropping_at_every_turn_is_one_rolling_boundary(client: Client) -> None:
    for number in range(3, 7):
        client.does(read(f"c{number}", f"/repo/f{number}.py"), numbered(a_file(f"f{number}")))
        del client.messages[1:3]
    client.turn()
    (boundary,) = client.driver.run.boundaries
    assert boundary.kind is BoundaryKind.ROLLING
    assert boundary.dropped_observations == 4
    drops = client.driver.run.of(DropFact)
    assert [drop.turn for drop in drops] == [4, 5, 6, 7]
    assert {drop.boundary for drop in drops} == {1}


def test_results_cleared_in_place_are_dropped(client: Client) -> None:
    client.messages[2]["content"][0]["content"] = "[Old tool result content cleared]"
    client.does(read("c3", "/repo/app.py"), numbered(APP))
    client.turn()
    (boundary,) = client.driver.run.boundaries
    assert boundary.dropped_observations == 1
    assert client.driver.run.labels()["c3"] == "reacquisition"


def test_an_edited_text_from_which_nothing_was_lost_is_none(client: Client) -> None:
    client.messages[0] = {"role": "user", "content": [text("change the timeout, please")]}
    client.turn()
    assert client.driver.run.boundaries == []
    assert client.driver.run.relations[-1] == "edited"


def test_a_moved_cache_control_and_a_string_for_a_block_change_nothing(client: Client) -> None:
    client.messages[0] = {"role": "user", "content": "change the timeout"}
    client.messages[2]["content"][0]["cache_control"] = {"type": "ephemeral"}
    client.turn()
    assert client.driver.run.relations[-1] == "extends"


def test_an_own_summary_by_a_call_without_known_words_is_recognised_by_its_text(client: Client) -> None:
    client.user(text("Please write down where we are."))
    client.turn(text(SUMMARY))
    client.messages = [{"role": "user", "content": f"Notes of the former part:\n{SUMMARY}\nGo on."}]
    client.turn()
    (boundary,) = client.driver.run.boundaries
    assert (boundary.evidence, boundary.summary_number) == ("summary request", 3)


def test_results_that_the_provider_cleared_are_inferred(client: Client) -> None:
    edits = {"context_management": {"applied_edits": [_cleared(1)]}}
    client.turn(answer=edits)
    (boundary,) = client.driver.run.boundaries
    assert boundary.kind is BoundaryKind.PROVIDER_CLEAR
    assert boundary.level is Observability.INFERRED
    assert [drop.observation for drop in client.driver.run.of(DropFact)] == ["main/1.0"]
    client.user(text("go on"))
    client.asks(read("c3", "/repo/app.py"), answer=edits)
    client.answers(result("c3", numbered(APP)))
    client.turn(answer=edits)
    assert len(client.driver.run.boundaries) == 1
    assert client.driver.run.labels()["c3"] == "reacquisition"


def test_clearing_more_is_a_further_boundary(client: Client) -> None:
    client.turn(answer={"context_management": {"applied_edits": [_cleared(1)]}})
    client.user(text("go on"))
    client.turn(answer={"context_management": {"applied_edits": [_cleared(2)]}})
    assert [boundary.dropped_observations for boundary in client.driver.run.boundaries] == [1, 1]


def test_excluded_tools_are_not_counted_among_the_oldest(client: Client) -> None:
    management = {"edits": [{"type": "clear_tool_uses_20250919", "exclude_tools": ["Read"]}]}
    client.does(call("c3", "Bash", command="ls /repo"), "app.py db.py and more")
    client.turn(
        body={"context_management": management}, answer={"context_management": {"applied_edits": [_cleared(1)]}}
    )
    assert [drop.observation for drop in client.driver.run.of(DropFact)] == ["main/3.0"]


def test_a_compaction_inside_a_reply_drops_everything_before_it(client: Client) -> None:
    block = {"type": "compaction", "content": f"Summary of all.\n{APP[2]}"}
    client.turn(block, read("c3", "/repo/app.py"))
    client.answers(result("c3", numbered(APP)))
    client.turn()
    (boundary,) = client.driver.run.boundaries
    assert boundary.kind is BoundaryKind.PROVIDER_COMPACTION
    assert boundary.level is Observability.EXACT
    assert boundary.turn == 3
    assert client.driver.run.labels()["c3"] == "reacquisition"
    assert client.driver.run.call("c3").in_summary is InSummary.PARTLY


def test_an_opaque_compaction_is_known_by_behaviour_only(client: Client) -> None:
    client.turn({"type": "compaction", "content": None, "encrypted_content": "c2VjcmV0"}, text("and so on"))
    client.user(text("go on"))
    client.turn()
    (boundary,) = client.driver.run.boundaries
    assert boundary.level is Observability.BEHAVIOUR_ONLY
    assert {drop.in_summary for drop in client.driver.run.of(DropFact)} == {InSummary.UNKNOWN}


def test_a_failed_compaction_block_is_none(client: Client) -> None:
    client.turn({"type": "compaction", "content": None}, text("it did not work"))
    client.user(text("go on"))
    client.turn()
    assert client.driver.run.boundaries == []


def test_a_paused_compaction_counts_when_its_block_is_sent_back(client: Client) -> None:
    client.turn({"type": "compaction", "content": "The whole story in short."}, stop="compaction")
    assert client.driver.run.boundaries == []
    client.user(text("go on"))
    client.turn()
    client.user(text("and on"))
    client.turn()
    (boundary,) = client.driver.run.boundaries
    assert boundary.turn == 4
    assert boundary.dropped_observations == 2


def _cleared(count: int) -> dict[str, Any]:
    return {"type": "clear_tool_uses_20250919", "cleared_tool_uses": count, "cleared_input_tokens": 1000}


def test_the_users_command_names_the_trigger_when_no_header_does(client: Client) -> None:
    ask_for_summary(client)
    client.messages = [{"role": "user", "content": CONTINUATION + SUMMARY}]
    client.user(text("<local-command-caveat>…"), text("<command-name>/compact</command-name>"), text("go on"))
    client.turn()
    assert client.driver.run.boundaries[0].trigger == "manual"
