"""What an answer is compared with: earlier observations of its key, its resource, its lines."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from proxy.ledger.classify import Question, Share
from proxy.ledger.content import Content
from proxy.ledger.context import covered
from proxy.ledger.results import ResultKind
from proxy.model.facts import InSummary
from proxy.sessions import lines
from proxy.sessions.state import Asked, Seen, Thread


class Match(NamedTuple):
    """The comparison of one answer, as of the asking turn."""

    question: Question
    compared: Seen | None
    """The observation that decided: of the same key, of the same content, or the one whose lines came back."""
    boundary: int | None
    """The boundary that removed the last copy of what came back; None when nothing of it was dropped."""
    dropped_turn: int | None
    """The first turn after that boundary."""
    in_summary: InSummary | None
    returned: tuple[str, ...]
    """Lines that were dropped, not restored since, and are here again; each once."""


def latest(seen: Iterable[Seen], key: str) -> Seen | None:
    """The last observation of a canonical key."""
    found = None
    for one in seen:
        if one.key == key:
            found = one
    return found


def match(asked: Asked, answer: ResultKind, content: Content, thread: Thread, seen: list[Seen]) -> Match:
    """Compare an answer with everything its thread has seen."""
    same_key = latest(seen, asked.key)
    # Empty answers say nothing about another key: a search without hits is no copy of another one.
    related = [one for one in seen if one.concerns(asked.resources)] if content.lines else []
    alike = same_key or next((one for one in reversed(related) if _same(one, content)), None)
    visible = [one for one in seen if one.id in thread.visible]
    in_view = covered(content.lines, content.sha256, [one for one in visible if one in related or one is same_key])
    dropped = [one for one in related if one.dropped_by is not None]
    returned = content.returned({line for one in dropped for line in lines.unpack(one.remaining)})
    share = _share(content, dropped, len(returned))
    observed = alike is not None or in_view or share is not Share.NONE
    copy_visible = observed and (in_view or _in_texts(asked, content, dropped) or _elsewhere(content, visible))
    compared = alike or next((one for one in reversed(dropped) if _shares(one, content)), None)
    return Match(
        question=Question(
            tool_class=asked.tool_class,
            answer=answer,
            polling=asked.polling,
            demanded=not thread.demanded.isdisjoint(asked.resources),
            observed=observed,
            same_key=same_key is not None,
            same_content=alike is not None and _same(alike, content),
            copy_visible=copy_visible,
            share=share,
        ),
        compared=compared,
        boundary=compared.dropped_by if compared else None,
        dropped_turn=compared.dropped_turn if compared else None,
        in_summary=_in_summary(asked, compared),
        returned=tuple(returned),
    )


def _same(seen: Seen, content: Content) -> bool:
    return seen.content_sha256 == content.sha256


def _shares(seen: Seen, content: Content) -> bool:
    return not set(lines.unpack(seen.remaining)).isdisjoint(lines.unpack(content.lines))


def _elsewhere(content: Content, visible: list[Seen]) -> bool:
    """A visible observation of another resource holds the content: a copy all the same (V5)."""
    return bool(content.lines) and covered(content.lines, content.sha256, visible)


def _in_texts(asked: Asked, content: Content, dropped: list[Seen]) -> bool:
    """A dropped observation that stood verbatim in the asking turn's texts holds the content."""
    return any(
        asked.copies.get(one.id) is InSummary.VERBATIM
        and (_same(one, content) or lines.contains(one.lines, content.lines))
        for one in dropped
    )


def _share(content: Content, dropped: list[Seen], returned: int) -> Share:
    if not returned:
        return Share.NONE
    new = set(lines.unpack(content.lines))
    if returned == len(new):
        return Share.ALL_OF_NEW
    if any(one.remaining and new.issuperset(lines.unpack(one.lines)) for one in dropped):
        return Share.ALL_OF_OLD
    return Share.SOME


def _in_summary(asked: Asked, compared: Seen | None) -> InSummary | None:
    if compared is None or compared.dropped_by is None:
        return None
    return asked.copies.get(compared.id, compared.in_summary)
