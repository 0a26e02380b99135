"""What the clients saw against what the store says."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from proxy.model.exchange import Outcome
from proxy.model.facts import ExchangeFact
from proxy.store.schema import TABLE_NAMES
from tests.crash.load import Seen, View

MARKED = {
    Seen.WHOLE: {Outcome.COMPLETE},
    Seen.TERMINAL: {Outcome.COMPLETE, Outcome.CUT, Outcome.SHUTDOWN},
    Seen.LONG_PART: {Outcome.COMPLETE, Outcome.CUT, Outcome.SHUTDOWN},
    Seen.PART: {Outcome.COMPLETE, Outcome.CUT, Outcome.SHUTDOWN, Outcome.REFUSED, Outcome.UPSTREAM_CUT},
    Seen.NOTHING: {Outcome.COMPLETE, Outcome.CUT, Outcome.SHUTDOWN, Outcome.REFUSED, Outcome.UPSTREAM_CUT},
}
"""How the store may mark an exchange, by what its client saw. A relay may die after it recorded an exchange to its end
and before its client had the last bytes: then it is complete for the store alone."""

MUST_BE_THERE = (Seen.WHOLE, Seen.TERMINAL, Seen.LONG_PART)


class Row(NamedTuple):
    """One exchange in the store."""

    name: str
    outcome: Outcome
    response_bytes: int


def stored(store: Path) -> list[Row]:
    """All exchanges of the store."""
    with sqlite3.connect(f"file:{store}?mode=ro", uri=True) as connection:
        rows = connection.execute(f"SELECT path, outcome, response_bytes FROM {TABLE_NAMES[ExchangeFact]}")
        return [Row(path.split("/")[1], Outcome(outcome), size) for path, outcome, size in rows]


def violations(views: Mapping[str, View], rows: Iterable[Row]) -> list[str]:
    """Every sentence here is a broken promise."""
    rows = list(rows)
    times = Counter(row.name for row in rows)
    found = [f"{name}: in the store, never sent" for name in times.keys() - views.keys()]
    for view in views.values():
        if times[view.name] > 1:
            found.append(f"{view.name}: {times[view.name]} times in the store ({view.seen})")
        if times[view.name] == 0 and view.seen in MUST_BE_THERE:
            found.append(f"{view.name}: not in the store ({view.seen})")
    for row in rows:
        seen = views.get(row.name)
        if seen is None:
            continue
        if row.outcome not in MARKED[seen.seen]:
            found.append(f"{row.name}: marked {row.outcome}, its client saw: {seen.seen}")
        if row.outcome is Outcome.COMPLETE and row.response_bytes != seen.body_bytes:
            found.append(f"{row.name}: complete with {row.response_bytes} of {seen.body_bytes} bytes")
        if row.response_bytes > seen.body_bytes:
            found.append(f"{row.name}: {row.response_bytes} bytes stored, {seen.body_bytes} sent")
    return sorted(found)


def table(views: Mapping[str, View], rows: Iterable[Row]) -> list[tuple[str, int, dict[str, int]]]:
    """Per view of the clients: how many exchanges, and how many of them the store has, by mark."""
    outcomes = {row.name: row.outcome for row in rows}
    lines = []
    for seen in Seen:
        names = [view.name for view in views.values() if view.seen is seen]
        marks = Counter(str(outcomes.get(name, "not stored")) for name in names)
        lines.append((str(seen), len(names), dict(sorted(marks.items()))))
    return lines
