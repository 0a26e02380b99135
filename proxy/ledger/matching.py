"""What an answer is compared with: earlier observations of its key, its resource, its lines."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from proxy.ledger.classify import Question, Share
from proxy.ledger.content import Content
from proxy.ledger.context import Texts, covered, holds
from proxy.ledger.results import ResultKind
from proxy.model.facts import InSummary
from proxy.model.ids import ObservationId
from proxy.sessions import lines
from proxy.sessions.shelf import Shelf
from proxy.sessions.thread import Asked, Seen, Thread


class Match(NamedTuple):
    """The comparison of one answer, as of the asking turn."""

    question: Question
    compared: Seen | None
    """The observation that decided: the last copy that was dropped, or one of the same key or content."""
    last: Seen | None
    """The dropped observation that was the last copy of what came back; None while a copy is visible."""
    in_summary: InSummary | None
    """How much of that one stood in the asking turn's texts."""
    returned: tuple[str, ...]
    """Lines that the boundary of `last` dropped, that were not restored since, and are here again; each once."""


class _Sought(NamedTuple):
    """What the call was to bring: the answer's content, or of an answer without it what the key showed last."""

    sha256: str
    lines: bytes


class _Known(NamedTuple):
    """What the thread has seen of this key and its resources."""

    same_key: Seen | None
    related: list[Seen]
    visible: list[Seen]
    dropped: list[Seen]
    missing: dict[bytes, Seen]
    """Lines of the answer that were dropped and not restored, each with the observation that was its last copy."""


def match(asked: Asked, answer: ResultKind, content: Content, thread: Thread, seen: Shelf) -> Match:
    """Compare an answer with everything its thread has seen."""
    known = _known(asked, content, thread, seen)
    sought = _Sought(content.sha256, content.lines)
    if known.same_key and answer is not ResultKind.CONTENT:
        sought = _Sought(known.same_key.content_sha256, known.same_key.lines)
    alike = known.same_key or next((one for one in reversed(known.related) if _same(one, sought)), None)
    same_content = alike is not None and _same(alike, sought)
    back = content.among(known.missing)
    share = _share(content, known.dropped, len(back))
    texts = Texts(asked.texts, opaque=asked.opaque)
    observed = alike is not None or _shares_lines(content, known.related)
    copy_visible = observed and (
        covered(sought.lines, sought.sha256, known.visible)
        or texts.holds(sought.lines) is InSummary.VERBATIM
        or _elsewhere(sought, thread.visible, seen)
    )
    copies = [one for one in known.dropped if holds(one, sought.lines, sought.sha256)] if same_content else []
    last = None if copy_visible else _last(copies or [known.missing[line] for line in back], asked.key)
    changed = known.same_key is not None and not same_content
    return Match(
        question=Question(
            tool_class=asked.tool_class,
            answer=answer,
            polling=asked.polling,
            demanded=not thread.demanded.isdisjoint(asked.resources),
            observed=observed,
            same_key=known.same_key is not None,
            same_content=same_content,
            copy_visible=copy_visible,
            share=share,
        ),
        compared=known.same_key if changed else last or alike or _last(known.dropped, asked.key),
        last=last,
        in_summary=texts.holds(last.lines) if last else None,
        returned=tuple(
            text for line, text in back.items() if last and known.missing[line].dropped_by == last.dropped_by
        ),
    )


def _known(asked: Asked, content: Content, thread: Thread, seen: Shelf) -> _Known:
    # Empty answers say nothing about another key: a search without hits is no copy of another one.
    related = seen.akin(asked.key, asked.resources if content.lines else ())
    visible = [one for one in related if one.id in thread.visible]
    dropped = [one for one in related if one.dropped_by is not None]
    return _Known(seen.latest(asked.key), related, visible, dropped, _missing(content, dropped, visible))


def _shares_lines(content: Content, related: list[Seen]) -> bool:
    new = lines.distinct(content.lines)
    return any(not new.isdisjoint(lines.unpack(one.lines)) for one in related)


def _same(one: Seen, sought: _Sought) -> bool:
    return one.content_sha256 == sought.sha256


def _missing(content: Content, dropped: list[Seen], visible: list[Seen]) -> dict[bytes, Seen]:
    if not dropped:
        return {}
    new = lines.distinct(content.lines)
    missing = {
        line: one for one in sorted(dropped, key=_drop_of) for line in new.intersection(lines.unpack(one.remaining))
    }
    if not missing:
        return missing
    shown: set[bytes] = set().union(*(lines.unpack(one.lines) for one in visible))
    return {line: one for line, one in missing.items() if line not in shown}


def _last(copies: Iterable[Seen], key: str) -> Seen | None:
    """The one that was dropped last; of several the one of the key."""
    return max(copies, key=lambda one: (*_drop_of(one), one.key == key), default=None)


def _drop_of(one: Seen) -> tuple[int, int]:
    """Its boundary, and of a rolling one the turn: drops in the order of time."""
    return one.dropped_by or 0, one.dropped_turn or 0


def _elsewhere(sought: _Sought, visible: set[ObservationId], seen: Shelf) -> bool:
    """A visible observation of another resource holds the content: a copy all the same (V5)."""
    if not sought.lines:
        return False
    return covered(sought.lines, sought.sha256, seen.visible(visible, len(sought.lines)))


def _share(content: Content, dropped: list[Seen], returned: int) -> Share:
    if not returned:
        return Share.NONE
    new = lines.distinct(content.lines)
    if returned == len(new):
        return Share.ALL_OF_NEW
    if any(one.remaining and new.issuperset(lines.unpack(one.lines)) for one in dropped):
        return Share.ALL_OF_OLD
    return Share.SOME
