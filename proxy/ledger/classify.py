"""The class of one answered tool call: one decision table, the first row that fits (design §7, S0-58, V4-V6)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from proxy.ledger.results import ResultKind
from proxy.model.facts import Label, ToolClass


class Share(StrEnum):
    """How the lines that came back lie to the dropped observation they come from."""

    NONE = "none"
    ALL_OF_NEW = "all of new"
    """Every line of the new content was dropped content."""
    ALL_OF_OLD = "all of old"
    """The new content holds every dropped line, and more."""
    SOME = "some"


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """Everything the table asks about a call."""

    tool_class: ToolClass
    answer: ResultKind
    polling: bool
    """A rule says that repeating this call asks for news, not for the old answer."""
    demanded: bool
    """The harness had demanded that this resource be read again."""
    observed: bool
    """An earlier observation has the same key, or shares lines with the answer on the same resource."""
    same_key: bool
    """The latest observation of the same canonical key exists."""
    same_content: bool
    """That one has the same content hash; without one: some observation of the same resource has."""
    copy_visible: bool
    """The content stood in the asking turn's context: in an observation, or verbatim in its texts."""
    share: Share
    """Dropped and not restored lines of the same resource among the new content."""


class Row(NamedTuple):
    """One row of the table."""

    label: Label
    fits: Callable[[Question], bool]
    reason: str


TABLE: tuple[Row, ...] = (
    Row(Label.NOT_RETRIEVAL, lambda q: q.tool_class is not ToolClass.RETRIEVAL, "not a retrieval tool"),
    Row(Label.ATTEMPTED, lambda q: q.answer is ResultKind.UNCHANGED_STUB, "answered with an 'unchanged' stub"),
    Row(Label.ATTEMPTED, lambda q: q.answer is ResultKind.DEMAND and q.same_key, "refused by the harness"),
    Row(Label.FAILED, lambda q: q.answer is not ResultKind.CONTENT, "answered with an error"),
    Row(Label.ACQUISITION, lambda q: not q.observed, "resource and span not observed before"),
    Row(Label.FORCED, lambda q: q.demanded, "the harness demanded the re-read"),
    Row(Label.REFRESH, lambda q: q.polling, "a repeated poll by rule"),
    Row(Label.REFRESH, lambda q: q.same_key and not q.same_content, "observed before, the content changed"),
    Row(Label.REPEAT_VISIBLE, lambda q: q.copy_visible, "unchanged, and a copy was visible when it was asked"),
    Row(Label.REACQUISITION, lambda q: q.same_key and q.same_content, "same key and content, every copy dropped"),
    Row(Label.VARIANT, lambda q: q.same_content, "same content by another tool, command or range, every copy dropped"),
    Row(Label.SUBSET, lambda q: q.share is Share.ALL_OF_NEW, "a part of dropped content"),
    Row(Label.SUPERSET, lambda q: q.share is Share.ALL_OF_OLD, "dropped content and more"),
    Row(Label.OVERLAP, lambda q: q.share is Share.SOME, "lines of dropped content among others"),
    Row(Label.ACQUISITION, lambda _: True, "some of its lines observed before, none of them dropped"),
)

REREADS = frozenset({Label.REACQUISITION, Label.SUBSET, Label.SUPERSET, Label.OVERLAP, Label.VARIANT})
"""Classes that brought dropped content back; only `reacquisition` is the strict one, and they are never added."""

WHOLE = frozenset({Label.REACQUISITION, Label.VARIANT, Label.FORCED, Label.REPEAT_VISIBLE, Label.ATTEMPTED})
"""Classes whose tokens are arguments and whole payload (S0-75); the others count only the lines that came back."""

IN_PART = REREADS - WHOLE
"""Those others."""


def classify(question: Question) -> Row:
    """The first row that fits."""
    return next(row for row in TABLE if row.fits(question))
