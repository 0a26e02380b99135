"""What left a thread's view, and the boundary that is counted for it: one event per compaction (F77)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, replace
from typing import Any, NamedTuple

from proxy.ledger import reports
from proxy.ledger.context import Texts, covered
from proxy.model.facts import BoundaryFact, BoundaryKind, DropFact, Fact, InSummary, Observability
from proxy.model.ids import ObservationId, SessionId
from proxy.sessions import lines
from proxy.sessions.state import SessionState
from proxy.sessions.thread import Said, Seen, Thread


class View(NamedTuple):
    """What of a thread's observations stands in a context."""

    visible: set[ObservationId]
    lost: dict[ObservationId, InSummary]
    """Visible before and no more, with how much of each stands in the context's texts."""
    reattached: int
    """Of those whose result is gone: how many stand verbatim in the texts."""
    inferred: bool
    """Some of the lost ones are known by the provider's count alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cause:
    """Why content left the view."""

    kind: BoundaryKind
    evidence: str
    level: Observability
    trigger: str = ""
    said: Said | None = None
    """The reply that wrote the summary."""


def look(
    thread: Thread,
    seen: list[Seen],
    shown: set[bytes],
    texts: Callable[[], Texts],
    hidden: frozenset[str] = frozenset(),
) -> View:
    """Compare what was visible with a context: results by digest, copies by line (V5).

    `shown` are the matching digests of the context's tool results; `hidden` the call ids whose results the
    provider says it cleared.
    """
    direct = [one for one in seen if one.unit in shown and one.call not in hidden]
    visible = {one.id for one in direct}
    lost: dict[ObservationId, InSummary] = {}
    reattached = 0
    for one in seen:
        if one.id not in thread.visible or one.id in visible:
            continue
        # What has no line worth comparing ("ok") says nothing about another key.
        others = direct if one.lines else [other for other in direct if other.key == one.key]
        if covered(one.lines, one.content_sha256, others):
            visible.add(one.id)
            continue
        held = texts().holds(one.lines)
        if held is InSummary.VERBATIM:
            visible.add(one.id)
            reattached += 1
        else:
            lost[one.id] = held
    return View(visible, lost, reattached, inferred=bool(hidden))


def leave_branch(thread: Thread, state: SessionState, view: View) -> list[Fact]:
    """A rewind: what it left behind is in no living branch, and nothing was compacted (F78)."""
    facts = come_back(thread, state, view)
    for key in view.lost:
        state.seen[key].rewound = True
    state.touch_seen(set(view.lost))
    return facts


def come_back(thread: Thread, state: SessionState, view: View) -> list[Fact]:
    """Take over what is visible now; observations that stand in the context again are not dropped any more."""
    back = [seen for key in sorted(view.visible) if (seen := state.seen[key]).dropped_by is not None]
    for seen in back:
        seen.dropped_by = seen.dropped_turn = seen.in_summary = None
        seen.remaining = b""
    state.touch_seen({seen.id for seen in back})
    thread.visible = view.visible
    return [reports.observation_fact(state.session, seen) for seen in back]


def roll_on(thread: Thread, turn: int, cause: Cause) -> None:
    """A policy that drops at each turn found nothing to drop at this one: what it drops next is the same boundary."""
    if thread.last_boundary and _rolls_on(thread, turn, cause):
        thread.last_boundary["rolled_to"] = turn


def cross(state: SessionState, thread: Thread, view: View, cause: Cause, *, turn: int, at_us: int) -> list[Fact]:
    """Count a boundary on a thread and drop what it removed; the facts, the boundary last."""
    back = come_back(thread, state, view)
    rolling = _rolls_on(thread, turn, cause)
    if not rolling:
        thread.boundaries += 1
    number = thread.boundaries
    lost = [state.seen[key] for key in view.lost]
    drops = list(_drop(state.session, lost, view, number, turn))
    state.touch_seen(set(view.lost))
    fact = BoundaryFact(
        session=state.session,
        thread=thread.id,
        boundary=number,
        turn=turn,
        at_us=at_us,
        kind=cause.kind,
        trigger=cause.trigger,
        level=cause.level,
        evidence=cause.evidence,
        tokens_before=thread.context_tokens,
        tokens_after=None,
        dropped_observations=len(lost),
        dropped_tokens_ref=sum(one.tokens_ref for one in lost),
        summary_writer=cause.said.writer if cause.said else None,
        summary_number=cause.said.number if cause.said else None,
        summary_part=cause.said.part if cause.said else None,
        reattached=view.reattached,
    )
    if rolling and thread.last_boundary:
        fact = _extend(thread.last_boundary, fact)
    thread.last_boundary = {**asdict(fact), "rolled_to": turn}
    return [*back, *drops, fact]


def _rolls_on(thread: Thread, turn: int, cause: Cause) -> bool:
    """A history replaced at two turns in a row is one policy that drops at each turn: one rolling boundary (V5)."""
    last = thread.last_boundary
    if last is None:
        return False
    return bool(cause.evidence == last["evidence"] == "history replaced" and last["rolled_to"] == turn - 1)


def _extend(last: dict[str, Any], now: BoundaryFact) -> BoundaryFact:
    plain = {key: value for key, value in last.items() if key != "rolled_to"}
    first = BoundaryFact(**{**plain, "kind": BoundaryKind.ROLLING, "level": Observability(last["level"])})
    return replace(
        first,
        dropped_observations=first.dropped_observations + now.dropped_observations,
        dropped_tokens_ref=first.dropped_tokens_ref + now.dropped_tokens_ref,
        reattached=now.reattached,
    )


def _drop(session: SessionId, lost: Iterable[Seen], view: View, number: int, turn: int) -> Iterable[Fact]:
    for seen in lost:
        seen.dropped_by = number
        seen.dropped_turn = turn
        seen.in_summary = view.lost[seen.id]
        seen.remaining = b"".join(dict.fromkeys(lines.unpack(seen.lines)))
        yield reports.observation_fact(session, seen)
        yield DropFact(
            session=session,
            thread=seen.thread,
            boundary=number,
            observation=seen.id,
            turn=turn,
            in_summary=seen.in_summary,
        )
