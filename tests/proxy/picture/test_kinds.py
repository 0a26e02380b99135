from __future__ import annotations

from dataclasses import replace

from proxy.picture.kinds import KINDS, kinds_note, results_in_view, seen_kinds, sizes, written_summaries
from tests.support.pictured import a_pictured_session
from tests.support.stories import Telling, reads


def a_told_session() -> Telling:
    """Two results, a compaction that drops one of them, one more result."""
    told = Telling()
    told.turn(1_000, reads("a"), said_tokens_ref=40, summary_tokens_ref=0)
    told.turn(2_000, reads("b"), said_tokens_ref=50, summary_tokens_ref=0)
    told.turn(2_100, purpose="summary", reply_tokens_ref=70, said_tokens_ref=60, summary_tokens_ref=0)
    told.boundary(("a", 300), summary_writer=told.writer, summary_number=3, summary_part=0)
    told.turn(800, said_tokens_ref=90, summary_tokens_ref=0)
    told.turn(None, said_tokens_ref=95, summary_tokens_ref=65)
    return told


def test_results_stand_in_view_from_the_turn_that_showed_them_until_a_boundary_drops_them() -> None:
    assert results_in_view(a_told_session().story()) == [300, 300, 300, 0, 0]


def test_texts_are_what_was_said_less_the_summary() -> None:
    assert [held[2:4] for held in sizes(a_told_session().story())] == [(0, 40), (0, 50), (0, 60), (70, 20), (65, 30)]


def test_a_summary_without_its_clients_phrase_is_as_long_as_it_was_written_and_never_longer_than_what_was_said() -> (
    None
):
    told = a_told_session()
    assert written_summaries(told.story()) == [0, 0, 0, 70, 70]
    told.boundary(summary_writer=None)
    told.turn(700, said_tokens_ref=50, summary_tokens_ref=0)
    assert sizes(told.story())[-1][2:4] == (0, 50), "nobody saw who wrote the last one"
    told.turns[3] = replace(told.turns[3], said_tokens_ref=30)
    assert sizes(told.story())[3][2:4] == (30, 0)


def test_what_a_transcript_does_not_tell_is_left_out_and_named() -> None:
    told = Telling(door="transcript", source="recorded")
    told.turn(1_000, said_tokens_ref=40, summary_tokens_ref=0)
    story = told.story()
    assert [kind.name for kind in seen_kinds(story)] == ["texts and calls"]
    assert kinds_note(story) == (
        "at most 40 reference tokens in view, in turn 1: texts and calls 40; "
        "system and tool definitions: not told by a transcript"
    )


def test_a_summary_that_cannot_be_read_in_some_turns_is_counted() -> None:
    told = a_pictured_session()
    told.turns[-1] = replace(told.turns[-1], summary_tokens_ref=None)
    assert kinds_note(told.story()).endswith("; summary: not told by the traffic in 1 of 12 turns")


def test_no_turn_has_no_note_and_each_kind_a_colour_of_its_own() -> None:
    assert kinds_note(Telling().story()) == ""
    assert len({kind.fill for kind in KINDS}) == len(KINDS)
