"""One session in the terminal: header, context curve, lanes, and the bill of each boundary."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import tzinfo
from textwrap import wrap

from proxy.cli.views.columns import aligned, for_terminal
from proxy.cli.views.curve import context_by_column, curve
from proxy.cli.views.lanes import LABEL_WIDTH, boundary_row, lanes, miss_row
from proxy.ledger.bill import Bill, Line
from proxy.story import figures
from proxy.story.audit import audit_line
from proxy.story.axis import Axis
from proxy.story.banner import SEPARATOR, origin, timed_totals
from proxy.story.bill import pay_back, rereads
from proxy.story.marks import MARKS
from proxy.story.story import EXACT, PARTIAL, Story

LEAST_WIDTH = 20
LOOP_LISTED = 3
BILL_HEAD = (
    *("", "turn", "dropped", "summary", "rewrite", "exact", "partial", "re-reads", "measured", "less/turn*"),
    "pays back after*",
)
BILL_WIDTH = 120
"""Columns of a terminal that the table asks for at most."""


@for_terminal
def session_lines(story: Story, *, now_us: int, width: int, zone: tzinfo | None = None) -> list[str]:
    """The whole page, at most `width` columns of timeline."""
    lines = [*header(story, now_us=now_us, zone=zone), ""]
    if not story.turns:
        return [*lines, "no turn so far: no model call ended with its terminal event; see compaction-gate status"]
    lines += [*timeline(story, max(LEAST_WIDTH, width - LABEL_WIDTH - 1)), ""]
    if story.bills:
        return [*lines, *bill_table(story), *loop_lines(story), f" {audit_line(story.audited)}"]
    return [*lines, "no compaction so far: nothing has left the model's view"]


def header(story: Story, *, now_us: int, zone: tzinfo | None = None) -> Iterator[str]:
    """Two lines: what was seen, and the figures with what they leave out."""
    yield SEPARATOR.join(origin(story))
    yield SEPARATOR.join(timed_totals(story, as_of_us=now_us, zone=zone))


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
    """One row for each boundary; what is modelled is marked. Tokens of exact and partial re-reads stand apart (V4)."""
    rows = [BILL_HEAD, *(_bill_row(number, bill) for number, bill in enumerate(story.bills, start=1))]
    retrievals = story.retrievals_after_a_boundary
    dropped = sum(boundary.dropped_observations for boundary in story.boundaries)
    rate = (
        f" of {figures.plural(retrievals, 'retrieval')} since the first compaction {story.exact} were exact re-reads, "
        f"{story.partial} partial; {figures.plural(dropped, 'observation')} had been dropped"
    )
    return [
        *aligned(rows, right=range(1, 10), indent=1),
        *_kinds(story),
        rate,
        " exact, partial: re-reads and their reference tokens, never added; dropped tokens are billed ones",
        " * modelled; less/turn: the price of what each later turn no longer carries",
    ]


def _bill_row(number: int, bill: Bill) -> tuple[str, ...]:
    return (
        f"b{number}",
        str(bill.boundary.turn),
        _dropped(bill),
        _amount(bill.summary),
        _amount(bill.rewrite),
        rereads(bill.exact),
        rereads(bill.partial),
        _rereads_usd(bill),
        figures.usd(bill.measured_pico_usd),
        figures.usd(bill.saved_per_turn_pico_usd),
        pay_back(bill),
    )


def _kinds(story: Story) -> Iterator[str]:
    """Who compacted, why, and on which thread when it was not the main one."""
    found: dict[str, list[str]] = {}
    for number, bill in enumerate(story.bills, start=1):
        boundary = bill.boundary
        thread = f"on {boundary.thread}" if boundary.thread != "main" else ""
        kind = " ".join(filter(None, (boundary.kind, boundary.trigger, thread)))
        found.setdefault(kind, []).append(f"b{number}")
    told = SEPARATOR.join(f"{kind}: {', '.join(names)}" for kind, names in found.items())
    yield from wrap(told, BILL_WIDTH, initial_indent=" ", subsequent_indent="   ")


def _dropped(bill: Bill) -> str:
    observations = f"{bill.boundary.dropped_observations} obs"
    return (
        observations
        if bill.carried_less_tokens is None
        else f"{observations} {figures.short(bill.carried_less_tokens)}"
    )


def _amount(line: Line) -> str:
    return "none" if line.events == 0 and line.tokens == 0 else figures.usd(line.pico_usd)


def _rereads_usd(bill: Bill) -> str:
    amounts = [line.pico_usd for line in (bill.exact, bill.partial, bill.attempted)]
    known = [amount for amount in amounts if amount is not None]
    return figures.usd(sum(known) if len(known) == len(amounts) else None)


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
