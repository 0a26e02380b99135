from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from proxy.transcripts import claude_code
from proxy.transcripts.calls import Beside, Told, read_calls
from proxy.transcripts.claude_code import ClaudeCode
from proxy.transcripts.trouble import Trouble
from tests.support.transcripts import CONTINUED, ClaudeFile, call, say, usage


def calls(*files: ClaudeFile, folder: Path) -> tuple[list[Told], Beside, Trouble]:
    beside, trouble = Beside(), Trouble()
    paths = [file.write(folder / f"{place}.jsonl") for place, file in enumerate(files)]
    reader = ClaudeCode(files[0].session, beside, trouble)
    return list(read_calls(reader, paths, trouble)), beside, trouble


def texts(told: Told) -> list[str]:
    """The history as one text for each block."""
    return [
        f"{message.role}:{block.tool or block.text}"
        for message in told.reading.request.messages
        for block in message.blocks
    ]


def test_records_of_one_reply_are_one_call_whose_usage_counts_once(tmp_path: Path) -> None:
    file = ClaudeFile()
    file.user("hello")
    file.answer(say("I look."), call("t1", "Read", file_path="/a"), used=usage(read=7, write=3, output=20))
    file.result("t1", "content of a")
    file.answer(say("Done."))
    (first, second), beside, trouble = calls(file, folder=tmp_path)
    assert texts(first) == ["user:hello"]
    assert texts(second) == ["user:hello", "assistant:I look.", "assistant:Read", "user:content of a"]
    assert [one.usage.input for one in first.reading.reply.iterations] == [10]
    assert (first.reading.reply.stop_reason, beside.open_outputs, len(beside.replies)) == ("tool_use", 0, 2)
    assert trouble.entries() == []


def test_the_stub_says_who_called_and_when(tmp_path: Path) -> None:
    file = ClaudeFile()
    file.user("hello")
    file.answer(say("one"), say("two"))
    ((told,), _, _) = calls(file, folder=tmp_path)
    assert told.exchange.header("x-claude-code-session-id") == file.session
    assert told.exchange.header("user-agent") == "claude-cli/2.1.332"
    assert told.exchange.duration_us == 2_000_000
    assert told.reading.request.system[0].text == "Working directory: /repo"


def test_results_of_parallel_calls_hang_on_different_records_and_all_stand_in_the_history(tmp_path: Path) -> None:
    file = ClaudeFile()
    file.user("hello")
    file.answer(call("t1", "Read", file_path="/a"), call("t2", "Read", file_path="/b"))
    first_half, last_half = (record["uuid"] for record in file.records[-2:])
    file.tip = first_half
    file.result("t1", "content of a")
    file.tip = last_half
    file.result("t2", "content of b")
    file.answer(say("Done."))
    (_, second), _, _ = calls(file, folder=tmp_path)
    assert texts(second)[1:] == ["assistant:Read", "assistant:Read", "user:content of a", "user:content of b"]


def test_a_compaction_begins_a_new_history_and_is_told_to_the_first_call_after_it(tmp_path: Path) -> None:
    file = ClaudeFile()
    file.user("hello")
    file.turn(call("t1", "Read", file_path="/a"), "content of a")
    file.compact("what was done", trigger="manual")
    file.answer(say("on"))
    file.answer(say("and on"))
    (_, summary, second, third), beside, _ = calls(file, folder=tmp_path)
    assert texts(summary) == ["user:hello", "assistant:Read", "user:content of a"]
    assert texts(second) == [f"user:{CONTINUED}what was done"]
    hints = [told.exchange.header("x-claude-code-context-compacted") for told in (second, third)]
    assert hints == ["manual", None]
    assert (beside.marks, beside.followed) == (1, 1)


def test_the_call_that_wrote_a_summary_is_known_to_have_been_made_and_nothing_of_what_it_billed(
    tmp_path: Path,
) -> None:
    file = ClaudeFile()
    file.compact("of a session that nobody has")
    file.user("hello")
    file.answer(say("hi"))
    file.compact("what was done")
    (first, summary), beside, _ = calls(file, folder=tmp_path)
    assert [told.reading.request.on_demand_compaction for told in (first, summary)] == [False, True]
    assert summary.exchange.header("x-claude-code-compaction") == "auto"
    assert summary.reading.reply.iterations == ()
    assert beside.implied == 1


def test_a_compaction_at_the_end_is_counted_and_followed_by_nothing(tmp_path: Path) -> None:
    file = ClaudeFile()
    file.user("hello")
    file.answer(say("hi"))
    file.compact("what was done")
    _, beside, _ = calls(file, folder=tmp_path)
    assert (beside.marks, beside.followed) == (1, 0)


@pytest.mark.parametrize("form", ["preservedMessages", "preservedSegment"])
@pytest.mark.parametrize("parent", ["summary", "kept"])
def test_what_a_compaction_kept_stands_behind_its_summary(tmp_path: Path, form: str, parent: str) -> None:
    file = ClaudeFile()
    file.user("hello")
    file.turn(call("t1", "Read", file_path="/a"), "content of a")
    file.answer(say("kept words"))
    kept = file.records[-1]["uuid"]
    anchor = f"main-{file.name}-000008"  # the summary's: two records further
    metadata: dict[str, Any] = {
        "preservedMessages": {"anchorUuid": anchor, "uuids": [kept]},
        "preservedSegment": {"anchorUuid": anchor, "headUuid": kept, "tailUuid": kept},
    }
    file.compact("what was done", **{form: metadata[form]})
    assert file.records[-1]["uuid"] == anchor
    file.tip = anchor if parent == "summary" else kept
    file.user("go on")
    file.answer(say("on"))
    told, beside, _ = calls(file, folder=tmp_path)
    assert texts(told[-1]) == [f"user:{CONTINUED}what was done", "assistant:kept words", "user:go on"]
    assert (beside.marks, beside.followed) == (1, 1)


def test_results_that_the_client_cleared_by_itself_are_cleared_from_there_on(tmp_path: Path) -> None:
    file = ClaudeFile()
    file.user("hello")
    file.turn(call("t1", "Read", file_path="/a"), "content of a")
    file.turn(call("t2", "Read", file_path="/b"), "content of b")
    file.record("system", subtype="microcompact_boundary", microcompactMetadata={"compactedToolIds": ["t1"]})
    file.answer(say("on"))
    told, beside, _ = calls(file, folder=tmp_path)
    assert texts(told[-1])[2::2] == ["user:[Old tool result content cleared]", "user:content of b"]
    assert texts(told[-2])[2] == "user:content of a"
    assert beside.marks == 0


def test_a_rewind_goes_back_to_where_it_names(tmp_path: Path) -> None:
    file = ClaudeFile()
    file.user("hello")
    file.answer(say("one"))
    fork = file.tip
    file.user("this way")
    file.answer(say("two"))
    file.tip = fork
    file.user("that way")
    file.answer(say("three"))
    told, _, _ = calls(file, folder=tmp_path)
    assert [texts(one)[-1] for one in told] == ["user:hello", "user:this way", "user:that way"]
    assert len(texts(told[2])) == len(texts(told[1])) == 3


def test_sub_agents_have_histories_of_their_own_in_files_of_their_own_or_not(tmp_path: Path) -> None:
    main, agent = ClaudeFile(), ClaudeFile(agent="7f3a")
    main.user("hello")
    main.answer(call("t1", "Agent", prompt="look"))
    agent.user("look")
    agent.answer(say("seen"))
    tip, main.tip = main.tip, None
    side = main.user("older versions write it here", isSidechain=True)
    main.record("assistant", isSidechain=True, message={"id": "msg_side", "role": "assistant", "content": [say("x")]})
    main.tip = tip
    main.result("t1", "seen")
    main.answer(say("Done."))
    told, _, _ = calls(main, agent, folder=tmp_path)
    by_agent = {one.exchange.header("x-claude-code-agent-id"): texts(one) for one in told}
    assert by_agent["7f3a"] == ["user:look"]
    assert by_agent[side["uuid"][:8]] == ["user:older versions write it here"]
    assert by_agent[None][-1] == "user:seen"


def test_a_session_taken_up_in_a_new_file_repeats_its_records_and_they_count_once(tmp_path: Path) -> None:
    file = ClaudeFile()
    file.user("hello")
    file.answer(say("one"))
    again = ClaudeFile(session="5c1f0c5e-0000-4000-8000-000000000002", records=list(file.records), tip=file.tip)
    again.user("go on")
    again.answer(say("two"))
    told, beside, _ = calls(file, again, folder=tmp_path)
    assert [texts(one) for one in told] == [["user:hello"], ["user:hello", "assistant:one", "user:go on"]]
    assert beside.repeated == 2


def test_attached_files_stand_in_the_history_as_they_were_put_to_the_model(tmp_path: Path) -> None:
    file = ClaudeFile()
    file.user("hello")
    rendered = [{"content": "<system-reminder>\n1\tcontent of a\n</system-reminder>"}]
    file.record("attachment", attachment={"type": "file"}, rendered=rendered, renderedRole="user")
    older = {"type": "file", "content": {"type": "text", "file": {"content": "content of b"}}}
    file.record("attachment", attachment=older)
    file.record("attachment", attachment={"type": "skill_listing"})
    file.answer(say("one"))
    ((told,), _, _) = calls(file, folder=tmp_path)
    assert [line.partition(":")[2] for line in texts(told)[1:]] == [rendered[0]["content"], "content of b"]


def test_the_clients_own_words_are_no_calls_and_failed_tries_are_counted(tmp_path: Path) -> None:
    file = ClaudeFile()
    file.user("hello")
    file.record("system", subtype="api_error")
    file.answer(say("API Error"), model="<synthetic>")
    file.user("again")
    file.answer(say("one"))
    told, beside, _ = calls(file, folder=tmp_path)
    assert [texts(one) for one in told] == [["user:hello", "user:again"]]
    assert beside.failed == 1


def test_usage_that_was_written_before_the_reply_had_ended_is_said_to_be_open(tmp_path: Path) -> None:
    file = ClaudeFile()
    file.user("hello")
    file.answer(say("one"), say("two"), used=usage(write=5, output=231))
    for record, output in zip(file.records[1:], (231, 8), strict=True):
        record["message"] |= {"stop_reason": None, "usage": usage(write=5, output=output)}
    ((told,), beside, _) = calls(file, folder=tmp_path)
    assert beside.open_outputs == 1
    assert [one.usage.output for one in told.reading.reply.iterations] == [231]


def test_a_reply_without_usage_has_none(tmp_path: Path) -> None:
    file = ClaudeFile()
    file.user("hello")
    file.answer(say("one"))
    del file.records[-1]["message"]["usage"]
    ((told,), _, _) = calls(file, folder=tmp_path)
    assert told.reading.reply.iterations == ()


def test_strange_records_are_noted_and_the_rest_is_read(tmp_path: Path) -> None:
    file = ClaudeFile()
    file.records += [{"type": "hologram"}, {"type": "user"}, {"type": 7}, {"type": "summary"}]
    file.user("hello")
    file.record("user", message="gone")
    file.record("assistant", message={"role": "assistant"})
    file.answer(say("one"))
    file.records.append({"type": "hologram"})
    told, _, trouble = calls(file, folder=tmp_path)
    assert [texts(one) for one in told] == [["user:hello"]]
    assert [(entry.reason, entry.line, entry.count) for entry in trouble.entries()] == [
        ("assistant record without message", 7, 1),
        ("unknown record type (no name)", 3, 1),
        ("unknown record type hologram", 1, 2),
        ("user record without message", 6, 1),
        ("user record without uuid", 2, 1),
    ]


def test_a_line_that_was_lost_does_not_tear_the_history_apart(tmp_path: Path) -> None:
    file = ClaudeFile()
    file.user("hello")
    file.turn(call("t1", "Read", file_path="/a"), "content of a")
    file.user("lost")
    del file.records[-1]
    file.answer(say("one"))
    told, _, trouble = calls(file, folder=tmp_path)
    assert texts(told[-1]) == ["user:hello", "assistant:Read", "user:content of a"]
    assert [entry.reason for entry in trouble.entries()] == ["a parent that is not there"]


def test_of_a_very_large_session_what_stands_before_a_compaction_is_let_go_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(claude_code, "HELD_LIMIT", 100)
    file = ClaudeFile()
    file.user("hello")
    file.answer(say("one"))
    before = file.tip
    file.compact("what was done")
    file.answer(say("on"))
    file.tip = before
    file.user("back to where it was")
    file.answer(say("three"))
    told, beside, _ = calls(file, folder=tmp_path)
    assert texts(told[1]) == ["user:hello", "assistant:one"]
    assert texts(told[3]) == ["user:back to where it was"]
    assert beside.incomplete == 1
