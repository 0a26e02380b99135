"""Precision by class, with what people said instead."""

from __future__ import annotations

from collections.abc import Sequence

from proxy.cli.views.columns import aligned
from proxy.story import figures
from proxy.story.audit import NOT_AUDITED, Audited, precision_text, precisions


def audit_lines(audited: Sequence[Audited]) -> list[str]:
    """A table; a class of which no call was judged is absent and so not audited."""
    if not audited:
        return [NOT_AUDITED, "next: fill hand_label in the sheet, then compaction-gate audit import SHEET again"]
    rows = [("class", "precision (Wilson, 95 %)", "people said instead")]
    rows += [
        (one.label, precision_text(one), ", ".join(f"{label} {count}" for label, count in one.others.items()))
        for one in precisions(audited)
    ]
    head = f"{figures.plural(len(audited), 'call')} judged by hand; classes that are not listed were not"
    return [head, *aligned(rows, indent=1)]
