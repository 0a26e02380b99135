"""Ledger findings as facts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import orjson

from proxy.ledger.classify import IN_PART, REREADS, WHOLE, Row
from proxy.ledger.content import Content
from proxy.ledger.matching import Match
from proxy.model.facts import CallFact, Label, ObservationFact
from proxy.model.ids import ObservationId, SessionId, ThreadId
from proxy.sessions.lines import LINE_SIZE
from proxy.sessions.thread import Asked, Seen

HUMAN_GAP_US = 60_000_000
"""A model time above this is marked: it may hold a human (V7)."""

_AFTER_BOUNDARY = REREADS | {Label.ATTEMPTED, Label.FORCED}
"""Classes that are charged to the boundary that removed the last copy, when there is one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """One answered call with everything that was found."""

    turn: int
    at_us: int
    row: Row
    match: Match
    content: Content
    seen: ObservationId | None
    is_error: bool
    error_type: str
    returned_tokens_ref: int
    """Reference tokens of the lines that came back; counted where they are what counts (`IN_PART`)."""


def call_fact(session: SessionId, thread: ThreadId, asked: Asked, label: Label) -> CallFact:
    """A call without an answer."""
    return CallFact(
        session=session,
        thread=thread,
        label=label,
        **_question(asked),
        answered_us=None,
        answered_turn=None,
        result_sha256="",
        result_tokens_ref=None,
        is_error=False,
        error_type="",
        observation=None,
        repeats=None,
        boundary=None,
        turns_later=None,
        in_summary=None,
        reread_tokens_ref=None,
        because=_json({"rule": asked.rule, "key": asked.key}),
    )


def answered(session: SessionId, thread: ThreadId, asked: Asked, judged: Judged) -> CallFact:
    """A judged call."""
    label, match = judged.row.label, judged.match
    last = match.last if label in _AFTER_BOUNDARY else None
    compared = match.compared if label not in (Label.ACQUISITION, Label.NOT_RETRIEVAL, Label.FAILED) else None
    return CallFact(
        session=session,
        thread=thread,
        label=label,
        **_question(asked),
        answered_us=judged.at_us,
        answered_turn=judged.turn,
        result_sha256=judged.content.sha256,
        result_tokens_ref=judged.content.tokens_ref,
        is_error=judged.is_error,
        error_type=judged.error_type,
        observation=judged.seen,
        repeats=compared.id if compared else None,
        boundary=last.dropped_by if last else None,
        turns_later=asked.turn - last.dropped_turn if last and last.dropped_turn else None,
        in_summary=match.in_summary if last else None,
        reread_tokens_ref=_tokens(label, asked, judged),
        because=_because(asked, judged),
    )


def _question(asked: Asked) -> dict[str, Any]:
    """The fields of a call that are known when it is asked."""
    return {
        "turn": asked.turn,
        "index": asked.index,
        "call": asked.call,
        "tool": asked.tool,
        "tool_class": asked.tool_class,
        "action": asked.action,
        "resource": asked.resource,
        "span": asked.span,
        "arguments_sha256": asked.arguments_sha256,
        "arguments_tokens_ref": asked.arguments_tokens_ref,
        "asked_us": asked.asked_us,
        "suspected": asked.suspected,
        "model_us": asked.model_us,
    }


def _tokens(label: Label, asked: Asked, judged: Judged) -> int | None:
    if label in WHOLE:
        return asked.arguments_tokens_ref + judged.content.tokens_ref
    return judged.returned_tokens_ref if label in IN_PART else None


def _because(asked: Asked, judged: Judged) -> str:
    compared = judged.match.compared
    reasons: dict[str, Any] = {
        "rule": asked.rule,
        "key": asked.key,
        "reason": judged.row.reason,
        "content_sha256": judged.content.sha256,
        "copy_visible": judged.match.question.copy_visible,
        "returned_lines": len(judged.match.returned),
    }
    if compared:
        reasons["compared"] = {
            "observation": compared.id,
            "turn": compared.turn,
            "key": compared.key,
            "content_sha256": compared.content_sha256,
            "dropped_by": compared.dropped_by,
        }
    if asked.model_us is not None and asked.model_us > HUMAN_GAP_US:
        reasons["may_hold_a_human"] = True
    return _json(reasons)


def observation_fact(session: SessionId, seen: Seen) -> ObservationFact:
    """An observation as it stands now."""
    return ObservationFact(
        session=session,
        observation=seen.id,
        thread=seen.thread,
        turn=seen.turn,
        call=seen.call,
        tool_class=seen.tool_class,
        key=f"{seen.key}@{seen.content_sha256}",
        resource=seen.resource,
        span=seen.span,
        content_sha256=seen.content_sha256,
        tokens_ref=seen.tokens_ref,
        line_count=len(seen.lines) // LINE_SIZE,
        dropped_by=seen.dropped_by,
    )


def _json(value: object) -> str:
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS).decode()
