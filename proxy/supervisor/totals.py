"""The store's facts as counters.

A session's facts change only when one of its exchanges is committed: only sessions whose number of exchanges has
changed are added up again, all others stand as they were.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from proxy.metrics.definitions import BY_NAME, REREAD_CLASSES, TOKEN_CLASS
from proxy.metrics.readings import Labels, Readings, whole
from proxy.model.facts import BoundaryFact, CallFact, ExchangeFact, Fact, IterationFact, Label, SessionFact, TurnFact
from proxy.model.usage import PICO_PER_USD
from proxy.store import Reader

BULK = 50
"""From so many changed sessions on one query over all of them is quicker."""
_COST = "compaction_cost_usd_total"
_UNPRICED = "compaction_unpriced_iterations_total"
_SESSIONS = "compaction_sessions_total"
_BETWEEN = "compaction_turns_between_boundaries"
_SPREADS = {
    "compaction_boundary_context_before_tokens": "tokens_before",
    "compaction_boundary_context_after_tokens": "tokens_after",
}
_PARTIAL = (Label.SUBSET, Label.SUPERSET, Label.OVERLAP, Label.VARIANT)
_EXTENTS = {Label.REACQUISITION.value: "exact", **dict.fromkeys(map(str, _PARTIAL), "partial")}


class Entry(NamedTuple):
    """One number that sessions add to; integers until they are shown."""

    metric: str
    labels: Labels
    part: int = 0
    """Of a distribution its buckets, then its total (`readings.parts_of`)."""


Place = Callable[[Labels, tuple[str, ...]], Labels | None]
"""Labels of an amount, from whose it is (client and user's labels) and column values; None = not counted here."""


class Count(NamedTuple):
    """How many rows there are, by columns."""

    metric: str
    fact: type[Fact]
    by: tuple[str, ...]
    labels: Place


class Sum(NamedTuple):
    """What a column adds up to."""

    metric: str
    fact: type[Fact]
    measure: str
    by: tuple[str, ...]
    labels: Place


def _whose(who: Labels, _: tuple[str, ...]) -> Labels:
    return who


def _with_group(who: Labels, group: tuple[str, ...]) -> Labels:
    return (*who, *group)


def _if_said(who: Labels, group: tuple[str, ...]) -> Labels | None:
    return who if group[0] else None


def _if_reread(who: Labels, group: tuple[str, ...]) -> Labels | None:
    return (*who, *group) if group[0] in REREAD_CLASSES else None


def _of_tool(_: Labels, group: tuple[str, ...]) -> Labels | None:
    tool, label = group
    return (tool, _EXTENTS[label]) if label in _EXTENTS else None


def _token_class(name: str) -> Place:
    return lambda _, group: (group[0], name, group[1])


COUNTS = (
    Count("compaction_turns_total", TurnFact, ("model_answered",), _with_group),
    Count("compaction_turns_without_usage_total", TurnFact, ("usage_missing",), _if_said),
    Count("compaction_turns_with_disagreeing_usage_total", TurnFact, ("usage_disagrees",), _if_said),
    Count("compaction_billed_iterations_total", IterationFact, ("model",), _with_group),
    Count("compaction_boundaries_total", BoundaryFact, ("kind", "trigger", "level"), _with_group),
    Count("compaction_calls_total", CallFact, ("tool_class",), _with_group),
    Count("compaction_reread_calls_total", CallFact, ("label",), _if_reread),
)
SUMS = (
    *(
        Sum("compaction_billed_tokens_total", IterationFact, name, ("model", "kind"), _token_class(name))
        for name in TOKEN_CLASS.values
    ),
    Sum(_COST, IterationFact, "pico_usd", ("model", "kind"), _with_group),
    Sum("compaction_dropped_observations_total", BoundaryFact, "dropped_observations", (), _whose),
    Sum("compaction_dropped_reference_tokens_total", BoundaryFact, "dropped_tokens_ref", (), _whose),
    Sum("compaction_reread_reference_tokens_total", CallFact, "reread_tokens_ref", ("label",), _if_reread),
    Sum("compaction_tool_reread_reference_tokens_total", CallFact, "reread_tokens_ref", ("tool", "label"), _of_tool),
)
NAMES = (_SESSIONS, _UNPRICED, _BETWEEN, *_SPREADS, *(count.metric for count in COUNTS), *(one.metric for one in SUMS))
Amounts = Iterator[tuple[str, Entry, int]]
"""Session, what it adds to, how much."""


class Totals:
    """What all sessions add up to, as far as this process has read them."""

    def __init__(self, label_names: Sequence[str] = ()) -> None:
        """Takes the names of the user's labels."""
        self._label_names = tuple(label_names)
        self.exchanges: dict[str, int] = {}
        """Of each session, as of the last refresh."""
        self._whose: dict[str, Labels] = {}
        self._parts: dict[str, dict[Entry, int]] = {}
        self._sums: dict[Entry, int] = {}

    def refresh(self, reader: Reader) -> None:
        """Add up again what has changed."""
        counted = reader.counts(ExchangeFact, "session")
        changed = {str(key[0]): count for key, count in counted.items() if key[0] is not None}
        changed = {own: count for own, count in changed.items() if self.exchanges.get(own) != count}
        if not changed:
            return
        scopes = [""] if len(changed) > BULK else sorted(changed)
        for scope in scopes:
            only = {"session": scope} if scope else {}
            self._learn_whose(reader, only)
            for session, part in by_session(self._amounts(reader, only)).items():
                if session in changed:
                    self._replace(session, part)
        self.exchanges |= changed

    def readings(self) -> Readings:
        """Counters by metric; those that nothing was counted for are there and empty."""
        return shown(self._sums, NAMES)

    def rereading(self) -> set[str]:
        """Sessions with any re-read."""
        return {
            session
            for session, part in self._parts.items()
            if any(entry.metric == "compaction_reread_calls_total" and amount for entry, amount in part.items())
        }

    def whose(self, session: str) -> Labels:
        """Client and user's labels of a session as first seen: a counter must not move to another label."""
        return self._whose.get(session, ("",) * (1 + len(self._label_names)))

    def _learn_whose(self, reader: Reader, only: dict[str, str]) -> None:
        for fact in reader.each(SessionFact, **only):
            if fact.session not in self._whose:
                labels = json.loads(fact.labels) if fact.labels else {}
                self._whose[fact.session] = (fact.client, *(labels.get(name, "") for name in self._label_names))

    def _replace(self, session: str, part: dict[Entry, int]) -> None:
        for entry, amount in self._parts.get(session, {}).items():
            self._sums[entry] -= amount
        for entry, amount in part.items():
            self._sums[entry] = self._sums.get(entry, 0) + amount
        self._parts[session] = part

    def _amounts(self, reader: Reader, only: dict[str, str]) -> Amounts:
        for key in reader.counts(SessionFact, "session", **only):
            yield str(key[0]), Entry(_SESSIONS, self.whose(str(key[0]))), 1
        for count in COUNTS:
            for group, rows in reader.counts(count.fact, "session", *count.by, **only).items():
                session, values = str(group[0]), _texts(group[1:])
                if (labels := count.labels(self.whose(session), values)) is not None:
                    yield session, Entry(count.metric, labels), rows
        for total in SUMS:
            yield from self._sums_of(reader, only, total)
        yield from self._spreads(reader, only)

    def _sums_of(self, reader: Reader, only: dict[str, str], total: Sum) -> Amounts:
        for group, found in reader.totals(total.fact, total.measure, "session", *total.by, **only).items():
            session, values = str(group[0]), _texts(group[1:])
            if (labels := total.labels(self.whose(session), values)) is not None and found.total is not None:
                yield session, Entry(total.metric, labels), found.total
            if total.metric == _COST:
                yield session, Entry(_UNPRICED, (*self.whose(session), values[0])), found.unmeasured

    def _spreads(self, reader: Reader, only: dict[str, str]) -> Amounts:
        for name, column in _SPREADS.items():
            for (session, value), rows in reader.counts(BoundaryFact, "session", column, **only).items():
                if value is not None:
                    yield from self._fallen(name, str(session), int(value), rows)
        former: tuple[object, ...] = ()
        for session, thread, _, turn in reader.counts(BoundaryFact, "session", "thread", "boundary", "turn", **only):
            if former[:2] == (session, thread):
                yield from self._fallen(_BETWEEN, str(session), int(turn or 0) - int(str(former[2])), 1)
            former = (session, thread, turn)

    def _fallen(self, name: str, session: str, value: int, times: int) -> Amounts:
        """A value that fell into a bucket so many times."""
        buckets, who = BY_NAME[name].buckets, self.whose(session)
        yield session, Entry(name, who, bisect_left(buckets, value)), times
        yield session, Entry(name, who, len(buckets) + 1), value * times


def by_session(amounts: Amounts) -> dict[str, dict[Entry, int]]:
    """What each session adds."""
    parts: dict[str, dict[Entry, int]] = {}
    for session, entry, amount in amounts:
        part = parts.setdefault(session, {})
        part[entry] = part.get(entry, 0) + amount
    return parts


def shown(sums: Mapping[Entry, int], names: Iterable[str]) -> Readings:
    """Sums as a scrape shows them, for all these metrics."""
    parts: dict[str, dict[Labels, list[float]]] = {name: {} for name in sorted(names)}
    for entry, amount in sums.items():
        buckets = len(BY_NAME[entry.metric].buckets)
        found = parts[entry.metric].setdefault(entry.labels, [0] * (buckets + 2 if buckets else 1))
        found[entry.part] += amount / PICO_PER_USD if "_usd_" in entry.metric else amount
    return {name: {labels: whole(found) for labels, found in values.items()} for name, values in parts.items()}


def _texts(group: Iterable[object]) -> tuple[str, ...]:
    """Column values as labels; a false flag is empty text."""
    return tuple("" if value in (None, 0) else str(value) for value in group)
