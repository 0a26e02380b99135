"""The decision table by itself."""

from __future__ import annotations

from itertools import product

from proxy.ledger.classify import REREADS, TABLE, Question, Share, classify
from proxy.ledger.results import ResultKind
from proxy.model.facts import Label, ToolClass

FLAGS = ("polling", "demanded", "observed", "same_key", "same_content", "copy_visible")


def questions() -> list[Question]:
    return [
        Question(tool_class=tool, answer=answer, share=share, **dict(zip(FLAGS, flags, strict=True)))
        for tool, answer, share in product(ToolClass, ResultKind, Share)
        for flags in product((False, True), repeat=len(FLAGS))
    ]


def test_every_question_has_a_class_and_every_row_is_some_ones() -> None:
    assert {classify(question) for question in questions()} == set(TABLE)


def test_nothing_but_retrieval_is_ever_a_reread() -> None:
    others = [question for question in questions() if question.tool_class is not ToolClass.RETRIEVAL]
    assert {classify(question).label for question in others} == {Label.NOT_RETRIEVAL}


def test_what_is_visible_or_was_never_observed_is_no_reread() -> None:
    for question in questions():
        if question.copy_visible or not question.observed:
            assert classify(question).label not in REREADS


def test_the_strict_class_needs_key_and_content_and_no_copy() -> None:
    for question in questions():
        if classify(question).label is Label.REACQUISITION:
            assert question.same_key
            assert question.same_content
            assert not question.copy_visible
