"""Why a call got its class, or what a boundary did: hashes, ids and rules."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import tzinfo
from typing import Any

import orjson

from proxy.cli.views.bill import bill_lines
from proxy.cli.views.columns import aligned, for_terminal
from proxy.ledger.bill import Bill
from proxy.ledger.classify import REREADS, WHOLE
from proxy.model.facts import CallFact, Label, ToolClass
from proxy.story import figures
from proxy.story.dropped import dropped_by
from proxy.story.naming import name_of_call, name_of_session
from proxy.story.story import Story

MOST_LISTED = 20
_LABEL_TEXT = {
    Label.PENDING: "not answered yet",
    Label.NO_RESULT: "the history went on without an answer",
}
MEANING: dict[Label, str] = {
    Label.PENDING: "Nothing can be said before its answer arrives.",
    Label.NO_RESULT: "It never showed the model anything, so it counts as no read and no re-read.",
    Label.FAILED: "It showed an error and no content, so it counts as no read and no re-read.",
    Label.NOT_RETRIEVAL: "It is no read, so it is never a re-read, whatever it showed.",
    Label.ATTEMPTED: "A re-read that cost a call and brought nothing back: a column of its own, added to nothing.",
    Label.FORCED: "A re-read that the harness, not the model, asked for: a column of its own, added to nothing.",
    Label.ACQUISITION: "Something new was read: no re-read.",
    Label.REFRESH: "It was read before and may have changed since: news, no re-read.",
    Label.REPEAT_VISIBLE: "The model asked again for what stood in its context: habit, no cost of a compaction.",
    Label.REACQUISITION: "The model read again, unchanged, what a compaction had taken away: the strict re-read.",
    Label.SUBSET: "The model read again a part of what a compaction had taken away; only those lines count.",
    Label.SUPERSET: "The model read again what a compaction had taken away, and more; only the former counts.",
    Label.OVERLAP: "Some of what was read had been taken away by a compaction; only those lines count.",
    Label.VARIANT: "The model read again what a compaction had taken away, by another way; never added to exact ones.",
}
"""What each class means for a figure, in a sentence."""
AGAIN = frozenset({Label.ATTEMPTED, Label.FORCED, Label.REPEAT_VISIBLE})
"""Classes that ask again without bringing anything back that counts as a re-read."""
_UNKNOWN = "No rule knows this tool, so it cannot be a re-read here: every figure is a lower bound by such calls."


@for_terminal
def call_lines(story: Story, call: CallFact, *, zone: tzinfo | None = None) -> list[str]:
    """Everything that gave one call its class."""
    because: dict[str, Any] = orjson.loads(call.because or "{}")
    rows = [
        ("class", f"{call.label}: {because.get('reason') or _LABEL_TEXT.get(call.label, 'no reason recorded')}"),
        ("tool", f"{call.tool} · {call.tool_class} · {call.action or 'no action known'}"),
        ("tool rule", str(because.get("rule", "none"))),
        ("resource", " ".join(filter(None, (call.resource, call.span))) or "none"),
        ("key", str(because.get("key", "none"))),
        ("asked", f"turn {call.turn}, {figures.moment(call.asked_us, zone)}, {call.call}{_suspected(call)}"),
        ("arguments", f"sha256 {call.arguments_sha256 or 'none'}, {call.arguments_tokens_ref} reference tokens"),
        ("answer", _answer(call)),
        ("copy visible", _yes_no(because.get("copy_visible"))),
        *_compared(call, because),
        *_charged(story, call, because),
    ]
    head = f"{name_of_call(story, call)} · {call.thread} · {call.tool} {call.resource}".rstrip()
    is_unknown = call.tool_class is ToolClass.UNKNOWN
    return [head, f"  {_UNKNOWN if is_unknown else MEANING[call.label]}", *aligned(rows, indent=2), *_next(story, call)]


def _next(story: Story, call: CallFact) -> Iterator[str]:
    if call.tool_class is ToolClass.UNKNOWN:
        yield "  next: compaction-gate tools suggest"
    elif call.boundary is not None:
        name = story.boundary_names.get((call.thread, call.boundary))
        if name:
            yield f"  next: compaction-gate explain {name_of_session(story)}:{name}"


def _suspected(call: CallFact) -> str:
    return ", already suspected when asked" if call.suspected else ""


def _answer(call: CallFact) -> str:
    if call.answered_turn is None:
        return "none"
    size = f"{figures.whole(call.result_tokens_ref)} reference tokens"
    error = f", error {call.error_type}" if call.is_error else ""
    return f"turn {call.answered_turn}, sha256 {call.result_sha256 or 'none'}, {size}{error}"


def _yes_no(value: object) -> str:
    return "not asked" if value is None else "yes" if value else "no"


def _compared(call: CallFact, because: dict[str, Any]) -> Iterator[tuple[str, str]]:
    compared = because.get("compared")
    if compared:
        name = "repeats" if call.label in REREADS | AGAIN else "compared with"
        yield name, f"observation {compared['observation']} of turn {compared['turn']}"
        yield "  its key", str(compared["key"])
        yield "  its content", f"sha256 {compared['content_sha256']}"
    if because.get("may_hold_a_human"):
        yield "model time", "over a minute: may hold a human"


def _charged(story: Story, call: CallFact, because: dict[str, Any]) -> Iterator[tuple[str, str]]:
    if call.boundary is None:
        return
    name = story.boundary_names.get((call.thread, call.boundary), f"boundary {call.boundary}")
    later = "not known" if call.turns_later is None else figures.plural(call.turns_later, "turn")
    yield "dropped by", f"{name}, {later} before; in its summary: {call.in_summary or 'not known'}"
    what = "arguments and whole answer"
    if call.label not in WHOLE:
        what = f"the {figures.plural(because.get('returned_lines', 0), 'line')} that came back"
    yield "charged", f"{figures.whole(call.reread_tokens_ref)} reference tokens: {what}"


@for_terminal
def boundary_lines(story: Story, number: int, bill: Bill, *, zone: tzinfo | None = None) -> list[str]:
    """What a boundary dropped and what it cost; what was fetched again comes first."""
    boundary = bill.boundary
    by = f" {boundary.trigger}" if boundary.trigger else ", trigger not shown by the traffic"
    rows = [
        ("kind", f"{boundary.kind}{by}"),
        ("seen by", f"{boundary.evidence} ({boundary.level})"),
        ("at", f"turn {boundary.turn} of {boundary.thread}, {figures.moment(boundary.at_us, zone)}"),
        ("context", f"{figures.whole(boundary.tokens_before)} → {figures.whole(boundary.tokens_after)} billed tokens"),
        ("dropped", f"{figures.plural(boundary.dropped_observations, 'observation')}, {_dropped_size(bill)}"),
        ("put back", f"{figures.plural(boundary.reattached, 'observation')} by the client itself"),
    ]
    head = f"{story.session.session[:8]}:b{number}"
    return [head, *aligned(rows, indent=2), "", *bill_lines(bill), "", *_dropped(story, bill)]


def _dropped_size(bill: Bill) -> str:
    return f"{figures.whole(bill.boundary.dropped_tokens_ref)} reference tokens"


def _dropped(story: Story, bill: Bill) -> list[str]:
    dropped = dropped_by(story, bill.boundary)
    rows = [("fetched again", "tokens ref", "in summary", "what", "seen at", "content")]
    for drop, observation, again in dropped[:MOST_LISTED]:
        what = " ".join(filter(None, (observation.resource or observation.key, observation.span)))
        count = f"{again} {figures.TIMES}" if again else "never"
        seen = f"turn {observation.turn}"
        content = f"sha256 {observation.content_sha256[:12]}"
        rows.append((count, figures.whole(observation.tokens_ref), drop.in_summary, what, seen, content))
    rest = len(dropped) - MOST_LISTED
    return [*aligned(rows, right=(0, 1), indent=2), *([f"  … and {rest} more"] if rest > 0 else [])]
