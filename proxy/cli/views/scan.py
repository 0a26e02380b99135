"""A scan in the terminal: three figures, the classes with their baseline, the bills, the worst, what is missing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import tzinfo

from proxy.cli.scanning.account import Account, Charged
from proxy.cli.scanning.limits import Limit
from proxy.cli.scanning.overview import Overview, overview
from proxy.cli.scanning.work import Scan
from proxy.cli.views.columns import aligned, for_terminal
from proxy.model.facts import Label
from proxy.story import figures
from proxy.story.bill import rereads
from proxy.story.story import EXACT, PARTIAL
from proxy.transcripts.trouble import Entry

LISTED = 8
"""Compactions that are listed, the dearest first."""
NAMED = 3
"""Files that are named for each reason why they were not read."""

CLASSES = (
    (Label.REACQUISITION, "exact re-read: the same content, every copy had been dropped"),
    (Label.SUBSET, "part of what was dropped"),
    (Label.SUPERSET, "what was dropped, and more"),
    (Label.OVERLAP, "some lines of what was dropped"),
    (Label.VARIANT, "what was dropped, by another tool or command"),
    (Label.REPEAT_VISIBLE, "repeat: a copy still stood in view (habit)"),
    (Label.ATTEMPTED, "answered by a stub of the client"),
    (Label.FORCED, "demanded by the client"),
    (Label.REFRESH, "refresh: the content had changed"),
    (Label.ACQUISITION, "new content"),
    (Label.FAILED, "failed"),
)
NEEDS_A_BOUNDARY = EXACT | PARTIAL

PARTS = {
    "summary": "summary calls",
    "rewrite": "prompt cache written again instead of read",
    "exact": "re-reads, exact",
    "partial": "re-reads, partial",
    "attempted": "re-reads, attempted or demanded",
}
HEAD = (
    *("session", "", "turn", "trigger", "dropped", "", "cache rewr.", "exact", "partial", "known cost"),
    *("carried less*", ""),
)
NOT_TOLD = (
    "not told by a transcript: system prompt, tools on offer, failed tries and, by Claude Code, the calls that wrote",
    "  summaries. Costs are lower bounds",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What the page is made of."""

    scan: Scan
    as_of_us: int
    limits: Sequence[Limit] = ()
    """Given when they were asked for."""
    kept: bool = False
    """The list of scanned paths is kept."""


@for_terminal
def scan_lines(told: Told, *, zone: tzinfo | None = None) -> list[str]:
    """The whole page."""
    found = overview(told.scan.accounts)
    lines = [*_header(told, found, zone), ""]
    if not told.scan.accounts:
        return [*lines, *_nothing(told.scan), *_left_out(told.scan)]
    lines += [*_three_figures(found), "", *_classes(found), ""]
    if found.compactions:
        lines += [*_bills(found), "", *_dearest(told.scan.accounts), *_worst(told.scan.accounts)]
    lines += [*_missing(found), *_left_out(told.scan)]
    if told.limits:
        lines += ["", *limit_lines(told.limits)]
    return [*lines, "next: compaction-gate wrap -- claude     (watch one live: nothing is left to inference)"]


def _header(told: Told, found: Overview, zone: tzinfo | None) -> Iterator[str]:
    scan = told.scan
    parts = [
        "scan",
        f"{figures.plural(scan.transcripts, 'transcript')} of {figures.plural(scan.files, 'file')}",
        figures.plural(found.sessions, "session"),
        figures.plural(found.turns, "turn"),
    ]
    if found.sessions:
        parts.append(f"{figures.moment(found.first_us, zone)} to {figures.moment(found.last_us, zone)}")
    yield " · ".join([*parts, "recorded", *found.levels, f"as of {figures.moment(told.as_of_us, zone)}"])
    yield "nothing was sent, nothing is stored" + (" but the list of scanned paths" if told.kept else "")


def _nothing(scan: Scan) -> Iterator[str]:
    yield "no transcript with a model call was found" + (" in that time" if scan.too_old else "")
    yield "next: compaction-gate scan PATH     (Claude Code: ~/.claude/projects, Codex: ~/.codex/sessions)"
    yield "      compaction-gate wrap -- claude     (watch one live)"


def _three_figures(found: Overview) -> list[str]:
    after, exact, partial = found.after.retrievals, found.after.of(EXACT), found.after.of(PARTIAL)
    rereads = (
        f"{exact:,} exact of {figures.plural(after, 'retrieval')} after a compaction ({figures.share(exact, after)}), "
        f"{partial:,} partial ({figures.share(partial, after)})"
    )
    cost = figures.usd(found.known_pico_usd) if found.compactions else "none"
    if found.known_pico_usd is not None and found.pico_usd:
        cost += f" ({figures.share(found.known_pico_usd, found.pico_usd)} of {figures.usd(found.pico_usd)} in all)"
    return aligned([("compactions", _compactions(found)), ("re-reads", rereads), ("known cost", cost)])


def _compactions(found: Overview) -> str:
    triggers = ", ".join(f"{count:,} {name or 'trigger not told'}" for name, count in found.triggers.items())
    marked = found.compactions + found.unfollowed + found.unseen
    told = [f"{marked:,}" + (f" ({triggers})" if triggers else "")]
    if found.unfollowed:
        told.append(f"{found.unfollowed:,} with no turn after it, so without a bill")
    if found.unseen:
        told.append(f"{found.unseen:,} after which the history lacks nothing")
    return "; ".join(told)


def _classes(found: Overview) -> list[str]:
    before, after = found.before, found.after
    rows = [
        ("retrievals by class", "before the first compaction", "", "after one", ""),
        ("  all", f"{before.retrievals:,}", "", f"{after.retrievals:,}", ""),
    ]
    for label, meaning in CLASSES:
        counts = (before.labels.get(label, 0), after.labels.get(label, 0))
        if any(counts):
            first = ("none by definition", "") if label in NEEDS_A_BOUNDARY else _rate(counts[0], before.retrievals)
            rows.append((f"  {meaning}", *first, *_rate(counts[1], after.retrievals)))
    exact, dropped = after.of(EXACT), figures.plural(found.dropped, "observation")
    unknown = figures.share(found.unknown_calls, found.calls)
    return [
        *aligned(rows, right=(1, 2, 3, 4)),
        f"  {exact:,} exact re-reads of {dropped} that had been dropped: {figures.share(exact, found.dropped)}",
        f"  unknown tools: {unknown} of {figures.plural(found.calls, 'call')}; re-read figures are lower bounds",
    ]


def _rate(count: int, of: int) -> tuple[str, str]:
    return f"{count:,}", figures.share(count, of)


def _bills(found: Overview) -> list[str]:
    rows = [("all compactions together", "tokens", "USD", "told by")]
    for name, part in found.parts.items():
        unit = " ref" if part.tokens is not None and name in ("exact", "partial", "attempted") else ""
        usd = figures.usd(part.pico_usd, is_column=True) if part.told else figures.NOT_MEASURED
        rows.append(
            (f"  {PARTS[name]}", figures.whole(part.tokens) + unit, usd, f"{part.told:,} of {found.compactions:,}")
        )
    rows.append(("  known", "", figures.usd(found.known_pico_usd, is_column=True), ""))
    return [
        *aligned(rows, right=(1, 2)),
        _saved(found),
    ]


def _saved(found: Overview) -> str:
    if not found.judged:
        return "  modelled: whether they paid back cannot be said"
    return f"  modelled: {found.paid_back:,} of {found.judged:,} saved what is known of their cost in the turns after"


def _dearest(accounts: Sequence[Account]) -> list[str]:
    charged = [(one, number, each) for one in accounts for number, each in enumerate(one.compactions, start=1)]
    charged.sort(key=lambda entry: (-(entry[2].known_pico_usd or 0), entry[0].session.session, entry[1]))
    rows = [HEAD, *(_row(*entry) for entry in charged[:LISTED])]
    title = "the dearest compactions" if len(charged) > LISTED else "the compactions"
    return [
        f"{title}, of {len(charged):,}",
        *aligned(rows, right=(2, *range(5, 11)), indent=1),
        " exact, partial: re-reads and their reference tokens, never added",
        " * modelled, per turn at the price of a cache read",
    ]


def _row(one: Account, number: int, each: Charged) -> tuple[str, ...]:
    bill = each.bill
    least = ">= " if each.untold and each.known_pico_usd is not None else ""
    return (
        one.name[:8],
        f"b{number}" + ("" if bill.boundary.thread == "main" else f" {bill.boundary.thread[:16]}"),
        str(bill.boundary.turn),
        bill.boundary.trigger or bill.boundary.kind,
        f"{bill.boundary.dropped_observations} obs",
        figures.short(bill.carried_less_tokens),
        figures.usd(bill.rewrite.pico_usd) if bill.rewrite.pico_usd is not None else "not told",
        rereads(bill.exact),
        rereads(bill.partial),
        least + (figures.usd(each.known_pico_usd) if each.known_pico_usd is not None else "unpriced"),
        figures.usd(bill.saved_per_turn_pico_usd) if bill.saved_per_turn_pico_usd is not None else "unpriced",
        _pays_back(each),
    )


def _pays_back(each: Charged) -> str:
    """The mark comes from the arithmetic beside it and from nothing else."""
    followed = each.bill.turns_followed
    if each.pays_back_after is None:
        return f"when it pays back cannot be said; {followed} followed"
    mark = "\u2713" if followed >= each.pays_back_after else "\u2717"
    least = "at least " if each.untold else ""
    return f"pays back after {least}{figures.plural(each.pays_back_after, 'turn')}  {mark} {followed} followed"


def _worst(accounts: Sequence[Account]) -> Iterator[str]:
    worst = max(accounts, key=lambda one: one.badness)
    if not worst.reread_tokens_ref:
        return
    yield (
        f"worst session: {worst.name}  {figures.short(worst.exact_tokens_ref)} reference tokens read again exactly, "
        f"{figures.short(worst.reread_tokens_ref - worst.exact_tokens_ref)} in part, "
        f"{figures.plural(len(worst.compactions), 'compaction')}, {figures.plural(worst.turns, 'turn')}"
    )
    yield f"  {worst.files[0]}"
    for number, each in enumerate(worst.compactions, start=1):
        if each.again:
            named = ", ".join(f"{name} {figures.TIMES}{count}" for name, count in each.again[:NAMED])
            yield f"  again and again since b{number}: {named}"


def _missing(found: Overview) -> Iterator[str]:
    yield from NOT_TOLD
    if found.open_outputs:
        yield (
            f"  {found.open_outputs:,} of {found.turns:,} turns were written down before their reply had ended: their "
            "output is a lower bound"
        )
    if found.incomplete:
        yield f"  {figures.plural(found.incomplete, 'turn')} went back behind a compaction of too large a session"
    if found.usage_missing:
        yield f"  {figures.plural(found.usage_missing, 'turn')} without usage"
    if found.unpriced:
        yield f"  {figures.plural(found.unpriced, 'sampling')} without a price"
    if found.repeated:
        yield f"  {figures.plural(found.repeated, 'record')} stood in more than one place and counted once"


def _left_out(scan: Scan) -> Iterator[str]:
    if scan.too_old:
        yield f"not opened: {figures.plural(scan.too_old, 'file')} that had not changed in that time"
    by_reason: dict[str, list[Entry]] = {}
    for entry in scan.trouble:
        by_reason.setdefault(entry.reason, []).append(entry)
    for reason, entries in by_reason.items():
        named = ", ".join(entry.place for entry in entries[:NAMED])
        count = sum(entry.count for entry in entries)
        more = f" and {len(entries) - NAMED:,} more" if len(entries) > NAMED else ""
        yield f"not read: {count:,} {figures.TIMES} {reason}: {named}{more}"


def limit_lines(limits: Sequence[Limit]) -> Iterator[str]:
    """Comments for a policy file, so that they can be put into it as they are."""
    yield "# proposed from your own history by compaction-gate scan --suggest-limits; the decision is yours"
    for limit in limits:
        yield f"# {limit.key}: {limit.value or 'DECIDE'}     # {limit.why}"
