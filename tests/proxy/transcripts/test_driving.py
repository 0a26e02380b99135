from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proxy.model.facts import BoundaryFact, CallFact, Label, SessionFact, ToolClass, TurnFact
from proxy.transcripts.calls import Beside
from proxy.transcripts.driving import Facts, calls_of, drive
from proxy.transcripts.formats import group, look
from proxy.transcripts.trouble import Trouble
from tests.support.journey import a_file, a_journey
from tests.support.plain_scan import Count, plain_scan
from tests.support.transcripts import ClaudeFile, CodexFile, call, numbered, say, usage

TRACE = "shared/traces/fasthooks__claude_code_sample_main_transcript.jsonl"


def facts_of(path: Path) -> tuple[Facts, Beside]:
    head = look(path, Trouble())
    assert head is not None
    beside = Beside()
    return drive(a_journey("recorded"), calls_of(group([head])[0], beside, Trouble())), beside


def labels(facts: Facts) -> Counter[Label]:
    return Counter(fact.label for fact in facts.of(CallFact))


def compare(path: Path) -> Count:
    """The product and the plain script say the same."""
    plain, (facts, beside) = plain_scan(path), facts_of(path)
    found = labels(facts)
    calls = facts.of(CallFact)
    assert beside.marks == plain.compactions
    assert len(calls) == plain.calls
    assert (found[Label.REACQUISITION], found[Label.REPEAT_VISIBLE]) == (plain.rereads, plain.repeats)
    return plain


def test_what_was_read_again_after_a_compaction_is_found_with_its_bill(tmp_path: Path) -> None:
    file = ClaudeFile()
    file.user("hello")
    content = numbered(a_file("a"))
    file.turn(call("t1", "Read", file_path="/repo/a"), content, used=usage(write=1_000))
    file.turn(call("t2", "Read", file_path="/repo/a"), content, used=usage(read=1_000, write=100))
    file.compact("what was done")
    file.turn(call("t3", "Read", file_path="/repo/a"), content, used=usage(write=500))
    file.answer(say("Done."), used=usage(read=500, write=50))
    facts, _ = facts_of(file.write(tmp_path / "a.jsonl"))
    (boundary,) = facts.of(BoundaryFact)
    assert [fact.label for fact in facts.of(CallFact)] == ["acquisition", "repeat_visible", "reacquisition"]
    assert (boundary.trigger, boundary.level, boundary.evidence) == ("auto", "inferred", "compaction record")
    assert (boundary.tokens_before, boundary.tokens_after, boundary.summary_number) == (1_100, 500, None)
    (session,) = facts.of(SessionFact)
    assert (session.source, session.door, session.client, session.client_version) == (
        "recorded",
        "transcript",
        "claude-code",
        "2.1.332",
    )


def test_codex_reads_by_commands_are_classed_across_both_kinds_of_compaction(tmp_path: Path) -> None:
    file = CodexFile()
    file.user("hello")
    content = "\n".join(a_file("a"))
    file.turn("cat a", content)
    file.compact("what was done, told at some length\nwith a second line\nand with a third line")
    file.turn("cat a", content)
    file.compact_remotely("opaque")
    file.turn("sed -n 1,5p a", "\n".join(a_file("a")[:5]))
    file.say("Done.")
    facts, beside = facts_of(file.write(tmp_path / "a.jsonl"))
    assert [fact.label for fact in facts.of(CallFact)] == ["acquisition", "reacquisition", "subset"]
    assert [(b.kind, b.level) for b in facts.of(BoundaryFact)] == [
        ("client", "inferred"),
        ("provider-compaction", "behaviour-only"),
    ]
    assert all(b.summary_number for b in facts.of(BoundaryFact))
    assert beside.marks == 2


def test_the_plain_script_says_the_same_of_the_recorded_transcript() -> None:
    path = next((up / TRACE for up in Path(__file__).parents if (up / TRACE).exists()), None)
    if path is None:
        pytest.skip("the recorded traces are not here")
    assert compare(path) == Count(compactions=1, calls=10, turns=12, reads=2) or compare(path).compactions == 1


MOVES = st.lists(
    st.one_of(
        st.tuples(st.just("read"), st.integers(0, 3)),
        st.tuples(st.just("change"), st.integers(0, 3)),
        st.tuples(st.just("run"), st.integers(0, 9)),
        st.tuples(st.just("compact"), st.just(0)),
    ),
    max_size=14,
)


@settings(max_examples=60, deadline=None)
@given(MOVES)
def test_the_plain_script_says_the_same_of_any_claude_code_session(
    tmp_path_factory: pytest.TempPathFactory, moves: list[tuple[str, int]]
) -> None:
    file, versions = ClaudeFile(), Counter[int]()
    file.user("hello")
    for number, (what, which) in enumerate(moves):
        if what == "read":
            content = numbered(a_file(f"file {which} in version {versions[which]}"))
            file.turn(call(f"t{number}", "Read", file_path=f"/repo/{which}"), content)
        elif what == "run":
            file.turn(call(f"t{number}", "Bash", command=f"make {which}"), f"made {number}")
        elif what == "compact":
            file.compact(f"what was done up to {number}")
        else:
            versions[which] += 1
    file.answer(say("Done."))
    compare(file.write(tmp_path_factory.mktemp("plain") / "a.jsonl"))


@settings(max_examples=40, deadline=None)
@given(MOVES)
def test_the_plain_script_says_the_same_of_any_codex_session(
    tmp_path_factory: pytest.TempPathFactory, moves: list[tuple[str, int]]
) -> None:
    file = CodexFile()
    file.user("hello")
    for number, (what, which) in enumerate(moves):
        if what == "compact":
            file.compact(f"what was done up to {number}, of which there is much to say\nand {number} more\nand more")
        else:
            file.turn(f"cat {which}", "\n".join(a_file(f"file {which}")))
    file.say("Done.")
    compare(file.write(tmp_path_factory.mktemp("plain") / "a.jsonl"))


def test_turns_are_as_many_as_replies(tmp_path: Path) -> None:
    file = ClaudeFile()
    file.user("hello")
    file.turn(call("t1", "Bash", command="ls"), "a")
    file.answer(say("Done."))
    path = file.write(tmp_path / "a.jsonl")
    facts, _ = facts_of(path)
    assert len(facts.of(TurnFact)) == plain_scan(path).turns == 2
    assert facts.of(CallFact)[0].tool_class is ToolClass.RETRIEVAL
