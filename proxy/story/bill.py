"""The bill of one boundary, row by row."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from proxy.ledger.bill import Bill, Line
from proxy.story import figures

TITLE = "The bill of this compaction"


class BillRow(NamedTuple):
    """One row; empty cells where there is nothing to say."""

    name: str
    tokens: str
    usd: str
    note: str = ""
    """`modelled` where no traffic shows it."""


def bill_rows(bill: Bill) -> Iterator[BillRow]:
    """What was measured adds up; what is modelled stands beside it."""
    yield _row("summary call", bill.summary)
    yield _row("prompt cache written again instead of read", bill.rewrite)
    yield _row(f"re-reads, exact ({bill.exact.events})", bill.exact, unit=" ref")
    if bill.partial.events:
        yield _row(f"re-reads, partial ({bill.partial.events})", bill.partial, unit=" ref")
    if bill.attempted.events:
        yield _row(f"re-reads, attempted or demanded ({bill.attempted.events})", bill.attempted, unit=" ref")
    yield BillRow("measured", "", _usd(bill.measured_pico_usd))
    yield from _modelled(bill)


def rereads(line: Line) -> str:
    """How many, and their reference tokens: of one kind, since exact and partial ones are never added (V4)."""
    return f"{line.events} {figures.short(line.tokens)}" if line.events else "0"


def pay_back(bill: Bill) -> str:
    """How long until the savings reach the cost; the mark comes from the arithmetic beside it and from nothing else."""
    if bill.pays_back_after is None:
        return f"not shown; {bill.turns_followed} followed"
    mark = "\u2713" if bill.turns_followed >= bill.pays_back_after else "\u2717"
    return f"{figures.plural(bill.pays_back_after, 'turn')} {mark} {bill.turns_followed} followed"


def _usd(pico: int | None) -> str:
    return figures.usd(pico, is_column=True)


def _row(name: str, line: Line, unit: str = "") -> BillRow:
    tokens = figures.whole(line.tokens)
    return BillRow(name, tokens + (unit if line.tokens is not None else ""), _usd(line.pico_usd))


def _modelled(bill: Bill) -> Iterator[BillRow]:
    turns = bill.turns_followed
    saved = None if bill.saved_per_turn_pico_usd is None else -turns * bill.saved_per_turn_pico_usd
    less = f"{figures.plural(turns, 'turn')} {figures.TIMES} {figures.whole(bill.carried_less_tokens)} tokens"
    yield BillRow(f"not carried any more, {less}", "", _usd(saved), "modelled")
    if bill.pays_back_after is None:
        yield BillRow("when it pays back cannot be said", "", _usd(bill.net_pico_usd), "modelled net")
        return
    after = f"pays back after {figures.plural(bill.pays_back_after, 'turn')}; this session went on for {turns}"
    yield BillRow(after, "", _usd(bill.net_pico_usd), "modelled net")
