"""Compares what was found with what really happened: the provider's ledger, and the scenario's own words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from proxy.model.facts import (
    BoundaryFact,
    CallFact,
    ExchangeFact,
    ExchangeKind,
    IterationFact,
    SessionFact,
    ThreadFact,
    TurnFact,
)
from proxy.scripted.provider import Served
from proxy.scripted.reply import Sampling
from tests.clients.scenario import Scenario, is_needed, place_of


class Finding(NamedTuple):
    """One thing compared."""

    what: str
    expected: object
    found: object

    @property
    def holds(self) -> bool:
        """Whether both are the same."""
        return self.expected == self.found


class Facts(NamedTuple):
    """What the product found."""

    sessions: Sequence[SessionFact]
    threads: Sequence[ThreadFact]
    exchanges: Sequence[ExchangeFact]
    turns: Sequence[TurnFact]
    iterations: Sequence[IterationFact]
    calls: Sequence[CallFact]
    boundaries: Sequence[BoundaryFact]


def check_client(scenario: Scenario, served: Sequence[Served], scripts: Iterable[tuple[str, int]]) -> list[Finding]:
    """Whether the client did what the script made it do; `scripts` are names and numbers of steps."""
    labels = {entry.label for entry in served if entry.status == 200}
    wanted = {f"{name}.{step}" for name, steps in scripts for step in range(steps)}
    places = Counter(place_of(call["id"]) for entry in _answered(served) for call in entry.calls)
    labelled = set(scenario.labels)
    needed = sum(map(is_needed, places))
    summaries = sum(entry.purpose == "summary" for entry in served)
    return [
        Finding("steps not reached", [], sorted(wanted - labels)),
        Finding("labelled calls not made once", [], sorted(p for p in labelled if places[p] != 1)),
        Finding("reads the policy needed", max(needed, scenario.needed), needed),
        Finding("summaries asked for", sum(kind == "client" for kind, _ in scenario.boundaries), summaries),
        Finding("threads served", scenario.threads, len({(entry.session, entry.agent) for entry in served})),
    ]


def check_product(
    scenario: Scenario, version: str, served: Sequence[Served], facts: Facts, *, hinted: bool
) -> list[Finding]:
    """Whether the product found what the provider knows and the scenario says.

    Args:
        scenario: What must be found.
        version: The client's.
        served: What the provider knows.
        facts: What the product found.
        hinted: The client told by headers what triggered its compactions.
    """
    return [
        *_structure(scenario, served, facts),
        *_usage(served, facts),
        Finding("boundaries", [kind for kind, _ in scenario.boundaries], [b.kind.value for b in facts.boundaries]),
        _triggers(scenario, facts, hinted=hinted),
        *_labels(scenario, version, facts),
    ]


def _structure(scenario: Scenario, served: Sequence[Served], facts: Facts) -> list[Finding]:
    sessions = len({entry.session for entry in served})
    answered = _answered(served)
    calls = sorted(call["id"] for entry in answered for call in entry.calls)
    kinds = Counter(exchange.kind for exchange in facts.exchanges)
    return [
        Finding("sessions", sessions, len(facts.sessions)),
        Finding("threads", scenario.threads, len(facts.threads)),
        Finding("turns", len(answered), kinds[ExchangeKind.TURN]),
        Finding("attempts without a turn", len(served) - len(answered), kinds[ExchangeKind.ATTEMPT]),
        Finding("unparsed, unobservable", 0, kinds[ExchangeKind.UNPARSED] + kinds[ExchangeKind.UNOBSERVABLE]),
        Finding("calls", calls, sorted(call.call for call in facts.calls)),
    ]


def _answered(served: Sequence[Served]) -> list[Served]:
    """Calls whose answer came whole."""
    return [entry for entry in served if entry.status == 200 and entry.fault not in {"stream_error", "cut"}]


def _usage(served: Sequence[Served], facts: Facts) -> list[Finding]:
    """Every sampling of every answered call, by message id, to the token."""
    numbers = {turn.message_id: (turn.writer, turn.number) for turn in facts.turns}
    found: dict[tuple[str, int], list[tuple[object, ...]]] = {}
    for i in sorted(facts.iterations, key=lambda i: i.iteration):
        row = (i.kind, i.uncached, i.cache_read, i.cache_write_5m, i.cache_write_1h, i.output)
        found.setdefault((i.writer, i.number), []).append(row)
    wrong = [
        entry.message_id
        for entry in _answered(served)
        if found.get(numbers.get(entry.message_id, ("", 0))) != [_row(sampling) for sampling in entry.samplings]
    ]
    return [Finding("calls whose usage differs", [], wrong)]


def _row(sampling: Sampling) -> tuple[object, ...]:
    return (sampling.kind, *sampling.input, sampling.output)


def _triggers(scenario: Scenario, facts: Facts, *, hinted: bool) -> Finding:
    """With hint headers every trigger is known; without, one that is told must not be another."""
    expected = [trigger for _, trigger in scenario.boundaries]
    found = [boundary.trigger for boundary in facts.boundaries]
    if not hinted and len(found) == len(expected):
        expected = [told and trigger for told, trigger in zip(found, expected, strict=True)]
    return Finding("triggers", expected, found)


def _labels(scenario: Scenario, version: str, facts: Facts) -> list[Finding]:
    found = {place_of(call.call): call.label.value for call in facts.calls}
    expected = {place: scenario.label(place, version) for place in scenario.labels}
    expected |= {place: "reacquisition" for place in found if is_needed(place)}
    once = sum(label == "reacquisition" for label in expected.values())
    return [
        *(Finding(f"label of {place}", label, found.get(place)) for place, label in expected.items()),
        Finding("reacquisitions in all", once, sum(label == "reacquisition" for label in found.values())),
    ]
