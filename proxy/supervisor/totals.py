"""The store's facts as counters.

A session's facts change only when one of its exchanges is committed: only sessions whose number of exchanges has
changed are added up again, all others stand as they were.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from proxy.metrics.definitions import CONTEXT_TOKENS, REREAD_CLASSES, TOKEN_CLASS
from proxy.metrics.readings import Labels, Readings, distribute
from proxy.model.facts import BoundaryFact, CallFact, ExchangeFact, Fact, IterationFact, SessionFact, TurnFact
from proxy.model.usage import PICO_PER_USD
from proxy.store import Reader

Entry = tuple[str, Labels]
"""A metric's name and its labels; amounts are integers until they are shown."""
BULK = 50
"""From so many changed sessions on one query over all of them is quicker."""
_COST = "compaction_cost_usd_total"
_CONTEXTS = {
    "compaction_boundary_context_before_tokens": "tokens_before",
    "compaction_boundary_context_after_tokens": "tokens_after",
}


class Count(NamedTuple):
    """How many rows there are, by columns."""

    metric: str
    fact: type[Fact]
    by: tuple[str, ...]
    labels: Callable[[str, tuple[str, ...]], Labels | None]
    """From client and column values; None = not counted here."""


class Sum(NamedTuple):
    """What a column adds up to."""

    metric: str
    fact: type[Fact]
    measure: str
    by: tuple[str, ...]
    labels: Callable[[str, tuple[str, ...]], Labels | None]
    unmeasured: str = ""
    """Metric that counts the rows without a value."""


def _client(client: str, _: tuple[str, ...]) -> Labels:
    return (client,)


def _with_client(client: str, group: tuple[str, ...]) -> Labels:
    return (client, *group)


def _if_said(client: str, group: tuple[str, ...]) -> Labels | None:
    return (client,) if group[0] else None


def _if_reread(client: str, group: tuple[str, ...]) -> Labels | None:
    return (client, *group) if group[0] in REREAD_CLASSES else None


def _without_client(_: str, group: tuple[str, ...]) -> Labels:
    return group


def _token_class(name: str) -> Callable[[str, tuple[str, ...]], Labels]:
    return lambda _, group: (group[0], name, group[1])


COUNTS = (
    Count("compaction_turns_total", TurnFact, ("model_answered",), _with_client),
    Count("compaction_turns_without_usage_total", TurnFact, ("usage_missing",), _if_said),
    Count("compaction_turns_with_disagreeing_usage_total", TurnFact, ("usage_disagrees",), _if_said),
    Count("compaction_boundaries_total", BoundaryFact, ("kind", "trigger", "level"), _with_client),
    Count("compaction_calls_total", CallFact, ("tool_class",), _with_client),
    Count("compaction_reread_calls_total", CallFact, ("label",), _if_reread),
)
SUMS = (
    *(
        Sum("compaction_billed_tokens_total", IterationFact, name, ("model", "kind"), _token_class(name))
        for name in TOKEN_CLASS.values
    ),
    Sum(_COST, IterationFact, "pico_usd", ("model", "kind"), _without_client),
    Sum("compaction_dropped_observations_total", BoundaryFact, "dropped_observations", (), _client),
    Sum("compaction_dropped_reference_tokens_total", BoundaryFact, "dropped_tokens_ref", (), _client),
    Sum("compaction_reread_reference_tokens_total", CallFact, "reread_tokens_ref", ("label",), _if_reread),
)
_UNPRICED = "compaction_unpriced_iterations_total"


class Totals:
    """What all sessions add up to, as far as this process has read them."""

    def __init__(self) -> None:
        self._exchanges: dict[str, int] = {}
        self._clients: dict[str, str] = {}
        self._parts: dict[str, dict[Entry, int]] = {}
        self._sums: dict[Entry, int] = {}

    def refresh(self, reader: Reader) -> None:
        """Add up again what has changed."""
        counted = reader.counts(ExchangeFact, "session")
        changed = {str(key[0]): count for key, count in counted.items() if key[0] is not None}
        changed = {own: count for own, count in changed.items() if self._exchanges.get(own) != count}
        if not changed:
            return
        scopes = [""] if len(changed) > BULK else sorted(changed)
        for scope in scopes:
            for session, part in _parts(reader, scope, self._client_of(reader, scope)).items():
                if session in changed:
                    self._replace(session, part)
        self._exchanges |= changed

    def readings(self) -> dict[str, dict[Labels, float]]:
        """Counters by metric; those that nothing was counted for are there and empty."""
        names = {count.metric for count in COUNTS} | {total.metric for total in SUMS}
        found: dict[str, dict[Labels, float]] = {
            name: {} for name in sorted(names | {_UNPRICED, "compaction_sessions_total"})
        }
        for (name, labels), amount in self._sums.items():
            if name in found:
                found[name][labels] = amount / PICO_PER_USD if name == _COST else amount
        return found

    def rereading(self) -> set[str]:
        """Sessions with any re-read."""
        return {
            session
            for session, part in self._parts.items()
            if any(name == "compaction_reread_calls_total" and amount for (name, _), amount in part.items())
        }

    def client(self, session: str) -> str:
        """The client of a session as first seen: a counter must not move to another label."""
        return self._clients.get(session, "")

    def _client_of(self, reader: Reader, scope: str) -> Callable[[str], str]:
        only = {"session": scope} if scope else {}
        for fact in reader.each(SessionFact, **only):
            self._clients.setdefault(fact.session, fact.client)
        return self.client

    def _replace(self, session: str, part: dict[Entry, int]) -> None:
        for entry, amount in self._parts.get(session, {}).items():
            self._sums[entry] -= amount
        for entry, amount in part.items():
            self._sums[entry] = self._sums.get(entry, 0) + amount
        self._parts[session] = part


def _parts(reader: Reader, scope: str, client: Callable[[str], str]) -> dict[str, dict[Entry, int]]:
    """What each session adds: one session, or all of them when no scope is given."""
    only = {"session": scope} if scope else {}
    parts: dict[str, dict[Entry, int]] = {}
    for session, entry, amount in _amounts(reader, only, client):
        part = parts.setdefault(session, {})
        part[entry] = part.get(entry, 0) + amount
    return parts


def _amounts(reader: Reader, only: dict[str, str], client: Callable[[str], str]) -> Iterator[tuple[str, Entry, int]]:
    for (session,) in _sessions(reader, only):
        yield session, ("compaction_sessions_total", (client(session),)), 1
    for count in COUNTS:
        for group, rows in reader.counts(count.fact, "session", *count.by, **only).items():
            session, values = str(group[0]), _texts(group[1:])
            if (labels := count.labels(client(session), values)) is not None:
                yield session, (count.metric, labels), rows
    for total in SUMS:
        for group, found in reader.totals(total.fact, total.measure, "session", *total.by, **only).items():
            session, values = str(group[0]), _texts(group[1:])
            if (labels := total.labels(client(session), values)) is not None and found.total is not None:
                yield session, (total.metric, labels), found.total
            if total.metric == _COST and found.unmeasured:
                yield session, (_UNPRICED, values[:1]), found.unmeasured


def _sessions(reader: Reader, only: dict[str, str]) -> Iterable[tuple[str]]:
    return [(str(key[0]),) for key in reader.counts(SessionFact, "session", **only)]


def _texts(group: Iterable[object]) -> tuple[str, ...]:
    """Column values as labels; a false flag is empty text."""
    return tuple("" if value in (None, 0) else str(value) for value in group)


def contexts(reader: Reader, client: Callable[[str], str]) -> Readings:
    """Context sizes around boundaries, as distributions by client."""
    found: dict[str, dict[Labels, list[float]]] = {}
    for name, column in _CONTEXTS.items():
        values = found.setdefault(name, {})
        for group, rows in reader.counts(BoundaryFact, "session", column).items():
            if group[1] is not None:
                values.setdefault((client(str(group[0])),), []).extend([float(group[1])] * rows)
    return {
        name: {labels: distribute(values, CONTEXT_TOKENS) for labels, values in by_client.items()}
        for name, by_client in found.items()
    }
