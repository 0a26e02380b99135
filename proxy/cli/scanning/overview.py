"""Sums over all sessions of a scan."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from proxy.cli.scanning.account import Account, Charged, Reads
from proxy.model.facts import Label, Observability


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One line of all bills together."""

    pico_usd: int | None
    """Sum of what is known; None when nothing is."""
    told: int
    """Compactions whose transcript tells it."""
    tokens: int | None
    events: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Overview:
    """Everything together."""

    sessions: int
    turns: int
    calls: int
    unknown_calls: int
    first_us: int
    last_us: int
    pico_usd: int | None
    unpriced: int
    usage_missing: int
    open_outputs: int
    incomplete: int
    repeated: int
    before: Reads
    after: Reads
    dropped: int
    compactions: int
    """That have a turn after them."""
    unfollowed: int
    unseen: int
    triggers: Mapping[str, int]
    """Compactions by what caused them; empty when that is not told."""
    levels: Sequence[Observability]
    parts: dict[str, Part]
    known_pico_usd: int | None
    paid_back: int
    """Compactions whose savings had reached what is known of their cost (modelled)."""
    judged: int
    """Compactions of which that can be said."""


def overview(accounts: Sequence[Account]) -> Overview:
    """Add up."""
    charged = [each for one in accounts for each in one.compactions]
    judged = [each for each in charged if each.pays_back_after is not None]
    return Overview(
        sessions=len(accounts),
        turns=sum(one.turns for one in accounts),
        calls=sum(one.calls for one in accounts),
        unknown_calls=sum(one.unknown_calls for one in accounts),
        first_us=min((one.session.first_us for one in accounts), default=0),
        last_us=max((one.session.last_us for one in accounts), default=0),
        pico_usd=_sum(one.pico_usd for one in accounts),
        unpriced=sum(one.unpriced for one in accounts),
        usage_missing=sum(one.usage_missing for one in accounts),
        open_outputs=sum(one.open_outputs for one in accounts),
        incomplete=sum(one.incomplete for one in accounts),
        repeated=sum(one.repeated for one in accounts),
        before=_together(one.before for one in accounts),
        after=_together(one.after for one in accounts),
        dropped=sum(one.dropped for one in accounts),
        compactions=len(charged),
        unfollowed=sum(one.unfollowed for one in accounts),
        unseen=sum(one.unseen for one in accounts),
        triggers=dict(sorted(Counter(each.bill.boundary.trigger for each in charged).items())),
        levels=sorted({each.bill.boundary.level for each in charged}, key=list(Observability).index),
        parts=_parts(charged),
        known_pico_usd=_sum(each.known_pico_usd for each in charged),
        paid_back=sum(each.bill.turns_followed >= (each.pays_back_after or 0) for each in judged),
        judged=len(judged),
    )


def _sum(amounts: Iterable[int | None]) -> int | None:
    known = [amount for amount in amounts if amount is not None]
    return sum(known) if known else None


def _together(reads: Iterable[Reads]) -> Reads:
    labels, retrievals = Counter[Label](), 0
    for each in reads:
        labels.update(each.labels)
        retrievals += each.retrievals
    return Reads(retrievals=retrievals, labels=dict(labels))


def _parts(charged: Sequence[Charged]) -> dict[str, Part]:
    names = charged[0].lines if charged else {}
    parts = {}
    for name in names:
        lines = [each.lines[name] for each in charged]
        parts[name] = Part(
            pico_usd=_sum(line.priced_pico_usd or line.pico_usd for line in lines),
            told=sum(line.pico_usd is not None for line in lines),
            tokens=_sum(line.tokens for line in lines),
            events=sum(line.events for line in lines),
        )
    return parts
