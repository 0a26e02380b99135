"""The bill of one boundary, line by line."""

from __future__ import annotations

from proxy.cli.views import figures
from proxy.cli.views.columns import aligned
from proxy.ledger.bill import Bill, Line


def bill_lines(bill: Bill) -> list[str]:
    """What was measured adds up; what is modelled stands beside it."""
    rows = [
        ("The bill of this compaction", "tokens", "USD", ""),
        _row("summary call", bill.summary),
        _row("prompt cache written again instead of read", bill.rewrite),
        _row(f"re-reads, exact ({bill.exact.events})", bill.exact, unit=" ref"),
    ]
    if bill.partial.events:
        rows.append(_row(f"re-reads, partial ({bill.partial.events})", bill.partial, unit=" ref"))
    if bill.attempted.events:
        rows.append(_row(f"re-reads, attempted or demanded ({bill.attempted.events})", bill.attempted, unit=" ref"))
    rows.append(("  measured", "", _usd(bill.measured_pico_usd), ""))
    return aligned([*rows, *_modelled(bill)], right=(1, 2))


def _usd(pico: int | None) -> str:
    return figures.usd(pico, is_column=True)


def _row(name: str, line: Line, unit: str = "") -> tuple[str, str, str, str]:
    tokens = figures.whole(line.tokens)
    return f"  {name}", tokens + (unit if line.tokens is not None else ""), _usd(line.pico_usd), ""


def _modelled(bill: Bill) -> list[tuple[str, str, str, str]]:
    turns = bill.turns_followed
    saved = None if bill.saved_per_turn_pico_usd is None else -turns * bill.saved_per_turn_pico_usd
    less = f"{figures.plural(turns, 'turn')} {figures.TIMES} {figures.whole(bill.carried_less_tokens)} tokens"
    rows = [(f"  not carried any more, {less}", "", _usd(saved), "modelled")]
    if bill.pays_back_after is None:
        rows.append(("  when it pays back cannot be said", "", _usd(bill.net_pico_usd), "modelled net"))
    else:
        after = f"pays back after {figures.plural(bill.pays_back_after, 'turn')}; this session went on for {turns}"
        rows.append((f"  {after}", "", _usd(bill.net_pico_usd), "modelled net"))
    return rows
