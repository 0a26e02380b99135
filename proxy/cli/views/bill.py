"""The bill of one boundary in the terminal."""

from __future__ import annotations

from proxy.cli.views.columns import aligned
from proxy.ledger.bill import Bill
from proxy.story.bill import TITLE, bill_rows


def bill_lines(bill: Bill) -> list[str]:
    """A head and one line for each row."""
    rows = [(TITLE, "tokens", "USD", ""), *((f"  {row.name}", *row[1:]) for row in bill_rows(bill))]
    return aligned(rows, right=(1, 2))
