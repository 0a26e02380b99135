"""One session in the terminal: header, context curve, lanes, and the bill of each boundary."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import tzinfo

import orjson

from proxy.cli.views import figures
from proxy.cli.views.axis import Axis
from proxy.cli.views.columns import aligned
from proxy.cli.views.curve import context_by_column, curve
from proxy.cli.views.lanes import LABEL_WIDTH, MARKS, boundary_row, lanes, miss_row
from proxy.cli.views.story import EXACT, PARTIAL, Story
from proxy.ledger.bill import Bill, Line
from proxy.model.facts import Observability

LEAST_WIDTH = 20
DOORS = {"base_url": "base URL", "intercept": "intercept"}
LOOP_LISTED = 3
BILL_HEAD = (
    *("boundary", "turn", "kind", "dropped", "", "summary", "cache rewr.", "re-reads", "", "", "measured"),
    *("carried less*", "pays back*"),
)


def session_lines(story: Story, *, now_us: int, width: int, zone: tzinfo | None = None) -> list[str]:
    """The whole page, at most `width` columns of timeline."""
    lines = [*header(story, now_us=now_us, zone=zone), ""]
    if not story.turns:
        return [*lines, "no turn so far: no model call ended with its terminal event; see compaction-gate status"]
    lines += [*timeline(story, max(LEAST_WIDTH, width - LABEL_WIDTH - 1)), ""]
    if story.bills:
        return [*lines, *bill_table(story), *loop_lines(story)]
    return [*lines, "no compaction so far: nothing has left the model's view"]


def header(story: Story, *, now_us: int, zone: tzinfo | None = None) -> Iterator[str]:
    """Two lines: what was seen, and the figures with what they leave out."""
    session = story.session
    client = " ".join(filter(None, (session.client or "unknown client", session.client_version)))
    parts = [f"session {session.session[:8]}", client, door(story), _threads(story), session.source]
    levels = sorted({boundary.level for boundary in story.boundaries}, key=list(Observability).index)
    yield " · ".join([*parts, *levels])
    money = story.cost
    unpriced = f" + {figures.plural(money.unpriced, 'unpriced sampling')}" if money.unpriced else ""
    cost = figures.usd(money.pico_usd) if money.pico_usd is not None else "not priced"
    yield " · ".join(
        (
            figures.plural(len(story.turns), "turn"),
            figures.span(story.duration_us),
            cost + unpriced,
            figures.plural(len(story.boundaries), "compaction"),
            f"{figures.plural(story.exact + story.partial, 're-read')} ({story.exact} exact, {story.partial} partial)",
            f"unknown tools {figures.share(story.unknown_calls, len(story.calls))}",
            f"as of {figures.moment(now_us, zone)}",
        )
    )


def door(story: Story) -> str:
    """Which door was used, and what Claude Code, which looks at its base URL, sent through it."""
    name = DOORS.get(story.session.door, story.session.door)
    if not story.session.door_effects or story.session.client != "claude-code":
        return f"door: {name}"
    effects = orjson.loads(story.session.door_effects)
    window = "context-1m beta sent" if effects["long_window"] else "context-1m beta not sent"
    search = "tool search on" if effects["tool_search"] else "tool search off"
    return f"door: {name} ({window}, {search})"


def _threads(story: Story) -> str:
    kinds = Counter(thread.kind for thread in story.threads)
    named = [figures.plural(kinds["agent"], "sub-agent")] if kinds["agent"] else []
    if kinds["side"]:
        named.append(figures.plural(kinds["side"], "side call"))
    return " + ".join(["main", *named])


def timeline(story: Story, width: int) -> list[str]:
    """Curve and lanes on one axis, with a legend of the marks that appear."""
    axis = Axis(story, width)
    rows, marks = lanes(story, axis)
    misses, circles = miss_row(story, axis)
    lines = curve(context_by_column(story, axis))
    if story.boundaries:
        lines.append(boundary_row(story, axis))
    lines += rows
    if misses:
        lines.append(misses)
    legend = [f"{mark} {meaning}" for mark, meaning in MARKS if mark in marks]
    legend += [text for circle, text in (("○", "○ cold"), ("●", "● what was cached had changed")) if circle in circles]
    return [*lines, " " + "  ".join(legend)]


def bill_table(story: Story) -> list[str]:
    """One row for each boundary; what is modelled is marked."""
    rows = [BILL_HEAD, *(_bill_row(number, bill) for number, bill in enumerate(story.bills, start=1))]
    retrievals = story.retrievals_after_a_boundary
    dropped = sum(boundary.dropped_observations for boundary in story.boundaries)
    rate = (
        f" of {figures.plural(retrievals, 'retrieval')} since the first compaction {story.exact} were exact re-reads, "
        f"{story.partial} partial; {figures.plural(dropped, 'observation')} had been dropped"
    )
    return [
        *aligned(rows, right=(1, 4, 5, 6, 7, 8, 9, 10), indent=1),
        rate,
        " tokens of re-reads are reference tokens; the others are billed ones",
        " * modelled",
    ]


def _bill_row(number: int, bill: Bill) -> tuple[str, ...]:
    boundary = bill.boundary
    kind = " ".join(filter(None, (boundary.kind, boundary.trigger)))
    thread = "" if boundary.thread == "main" else f" {boundary.thread}"
    rereads = bill.exact.events + bill.partial.events
    return (
        f"b{number}{thread}",
        str(boundary.turn),
        kind,
        f"{boundary.dropped_observations} obs",
        figures.short(bill.carried_less_tokens),
        _amount(bill.summary),
        _amount(bill.rewrite),
        str(rereads),
        figures.short((bill.exact.tokens or 0) + (bill.partial.tokens or 0)) if rereads else "",
        _rereads_usd(bill),
        figures.usd(bill.measured_pico_usd),
        f"{figures.usd(bill.saved_per_turn_pico_usd)}/turn" if bill.saved_per_turn_pico_usd is not None else "unpriced",
        _pay_back(bill),
    )


def _amount(line: Line) -> str:
    return "none" if line.events == 0 and line.tokens == 0 else figures.usd(line.pico_usd)


def _rereads_usd(bill: Bill) -> str:
    amounts = [line.pico_usd for line in (bill.exact, bill.partial, bill.attempted)]
    known = [amount for amount in amounts if amount is not None]
    return figures.usd(sum(known) if len(known) == len(amounts) else None)


def _pay_back(bill: Bill) -> str:
    if bill.pays_back_after is None:
        return f"not shown; {bill.turns_followed} followed so far"
    mark = "✓" if bill.turns_followed >= bill.pays_back_after else "✗"
    return f"after {figures.plural(bill.pays_back_after, 'turn')}  {mark} {bill.turns_followed} followed"


def loop_lines(story: Story) -> Iterator[str]:
    """What was fetched again more than once after one boundary, and where to look further."""
    for number, bill in enumerate(story.bills, start=1):
        charged = [
            call.resource or call.tool
            for call in story.calls
            if call.thread == bill.boundary.thread
            and call.boundary == bill.boundary.boundary
            and call.label in EXACT | PARTIAL
        ]
        repeated = [(name, count) for name, count in Counter(charged).most_common(LOOP_LISTED) if count > 1]
        if repeated:
            named = ", ".join(f"{name} {figures.TIMES}{count}" for name, count in repeated)
            where = f"{story.session.session[:8]}:b{number}"
            yield f" again and again since b{number}: {named}   → compaction-gate explain {where}"
