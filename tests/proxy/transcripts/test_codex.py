from __future__ import annotations

from pathlib import Path

from proxy.transcripts.calls import Beside, Told, read_calls
from proxy.transcripts.codex import Codex
from proxy.transcripts.trouble import Trouble
from tests.support.transcripts import CodexFile


def calls(*files: CodexFile, folder: Path) -> tuple[list[Told], Beside, Trouble]:
    beside, trouble, told = Beside(), Trouble(), list[Told]()
    for place, file in enumerate(files):
        told += read_calls(Codex(beside, trouble), [file.write(folder / f"{place}.jsonl")], trouble)
    return told, beside, trouble


def texts(told: Told) -> list[str]:
    """The history, without what stands in front of it."""
    found = [
        f"{message.role}:{block.tool or block.text or block.kind}"
        for message in told.reading.request.messages
        for block in message.blocks
    ]
    return [text for text in found if not text.startswith("user:<environment_context>")]


def test_what_the_model_wrote_between_two_things_that_were_put_to_it_is_one_call(tmp_path: Path) -> None:
    file = CodexFile()
    file.user("hello")
    file.turn("cat a", "content of a", prompt=1_000)
    file.say("Done.", prompt=2_000)
    (first, second), beside, trouble = calls(file, folder=tmp_path)
    assert texts(first) == ["user:hello"]
    assert [text.partition(":")[2].partition("\n")[0] for text in texts(second)] == [
        "hello",
        "thinking",
        "exec_command",
        "Chunk ID: 000001",
    ]
    assert [told.reading.reply.iterations[0].usage.input for told in (first, second)] == [1_000, 2_000]
    assert first.reading.request.model == "gpt-5.1-codex"
    assert first.exchange.header("session-id") == file.thread
    assert (len(beside.replies), trouble.entries()) == (2, [])


def test_older_versions_tell_usage_by_counts_of_tokens_and_repeat_them(tmp_path: Path) -> None:
    file = CodexFile(tells_usage=False)
    file.user("hello")
    file.turn("cat a", "content of a", prompt=1_000)
    file.records.append(file.records[-2])  # the count of tokens, told once more behind the output
    file.say("Done.", prompt=2_000)
    told, _, _ = calls(file, folder=tmp_path)
    assert [one.reading.reply.iterations[0].usage.input for one in told] == [1_000, 2_000]


def test_a_local_summary_is_a_call_that_asks_for_one_and_the_history_is_replaced(tmp_path: Path) -> None:
    file = CodexFile()
    file.user("hello")
    file.turn("cat a", "content of a")
    file.compact("what was done")
    file.say("on")
    told, beside, _ = calls(file, folder=tmp_path)
    asked = [one.reading.request.on_demand_compaction for one in told]
    windows = [one.exchange.header("x-codex-window-id") for one in told]
    assert asked == [False, True, False]
    assert windows == [f"{file.thread}:{number}" for number in (0, 0, 1)]
    assert [text.partition("\n")[2] for text in texts(told[2])] == ["", "what was done"]
    assert (beside.marks, beside.followed) == (1, 1)


def test_a_remote_compaction_is_a_call_without_words_and_an_item_that_cannot_be_read(tmp_path: Path) -> None:
    file = CodexFile()
    file.user("hello")
    file.turn("cat a", "content of a")
    file.compact_remotely("opaque", prompt=77_000)
    told, beside, _ = calls(file, folder=tmp_path)
    assert told[1].reading.request.on_demand_compaction
    assert told[1].reading.reply.blocks == ()
    assert [(one.kind, one.usage.input) for one in told[1].reading.reply.iterations] == [("compaction", 77_000)]
    assert (beside.marks, beside.followed) == (1, 0)


def test_without_a_new_history_the_texts_of_the_user_and_the_summary_are_it(tmp_path: Path) -> None:
    file = CodexFile(tells_usage=False)
    file.user("hello")
    file.turn("cat a", "content of a")
    file.say("what was done")
    file.record("compacted", message="A summary:\nwhat was done")
    file.say("on")
    told, _, _ = calls(file, folder=tmp_path)
    assert [one.reading.request.on_demand_compaction for one in told] == [False, True, False]
    assert texts(told[2]) == ["user:hello", "user:A summary:\nwhat was done"]


def test_turns_that_the_user_took_back_are_gone(tmp_path: Path) -> None:
    file = CodexFile()
    for word in ("one", "two", "three"):
        file.user(word)
        file.say(f"said {word}")
    file.record("event_msg", type="thread_rolled_back", num_turns=2)
    file.user("four")
    file.say("Done.")
    told, _, _ = calls(file, folder=tmp_path)
    assert texts(told[-1]) == ["user:one", "assistant:said one", "user:four"]


def test_a_copy_of_a_rollout_and_what_a_fork_repeats_count_once(tmp_path: Path) -> None:
    file = CodexFile()
    file.user("hello")
    file.turn("cat a", "content of a")
    fork = CodexFile(thread="01a22e8f-0000-7000-8000-000000000002")
    fork.records += file.records[1:]
    fork.say("another way")
    told, beside, _ = calls(file, file, fork, folder=tmp_path)
    assert [one.exchange.header("thread-id") for one in told] == [file.thread, fork.thread]
    assert texts(told[1])[-1].endswith("content of a")
    assert beside.repeated > 0


def test_a_thread_of_a_sub_agent_belongs_to_its_root_session(tmp_path: Path) -> None:
    file = CodexFile(thread="01a22e8f-0000-7000-8000-000000000002", session="01a22e8f-0000-7000-8000-000000000001")
    file.user("hello")
    file.say("hi")
    ((told,), _, _) = calls(file, folder=tmp_path)
    assert (told.exchange.header("session-id"), told.exchange.header("thread-id")) == (file.session, file.thread)


def test_a_reply_without_usage_has_none_and_strange_records_are_noted(tmp_path: Path) -> None:
    file = CodexFile()
    file.user("hello")
    file.item("message", id="m", role="assistant", content=[{"type": "output_text", "text": "cut"}])
    file.records += [{"type": "hologram"}, {"type": "compacted", "payload": 3}]
    ((told,), _, trouble) = calls(file, folder=tmp_path)
    assert told.reading.reply.iterations == ()
    assert [(entry.reason, entry.line) for entry in trouble.entries()] == [
        ("compacted record without payload", 7),
        ("unknown record type hologram", 6),
    ]
