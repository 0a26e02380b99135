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
from proxy.model.ids import ExchangeId
from proxy.scripted.provider import Served
from tests.clients import billed
from tests.clients.programs.client import Client
from tests.clients.scenario import Scenario, is_needed, place_of

APART_MESSAGES = 2


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
        Finding("summaries asked for", scenario.summaries, summaries),
        *_threads_served(scenario, served),
    ]


def _threads_served(scenario: Scenario, served: Sequence[Served]) -> list[Finding]:
    """Of clients that name their sessions to the provider; the others' threads only their histories tell."""
    threads = {(entry.session, entry.agent) for entry in served}
    named = all(session for session, _ in threads)
    return [Finding("threads served", scenario.threads, len(threads))] if named else []


def check_product(
    scenario: Scenario, client: Client, served: Sequence[Served], facts: Facts, *, hinted: bool
) -> list[Finding]:
    """Whether the product found what the provider knows and the scenario says.

    Args:
        scenario: What must be found.
        client: Who did it.
        served: What the provider knows.
        facts: What the product found.
        hinted: The client told by headers what triggered its compactions.
    """
    return [
        *_structure(scenario, served, facts),
        *_usage(served, facts),
        Finding("boundaries", [kind for kind, _ in scenario.boundaries], [b.kind.value for b in facts.boundaries]),
        _triggers(scenario, facts, hinted=hinted),
        *_labels(scenario, client, facts),
    ]


def _structure(scenario: Scenario, served: Sequence[Served], facts: Facts) -> list[Finding]:
    answered = _answered(served)
    calls = sorted(call["id"] for entry in answered for call in entry.calls)
    kinds = Counter(exchange.kind for exchange in facts.exchanges)
    # Titles and the like stand beside the conversation.
    beside = [*{entry.session for entry in served if entry.purpose == "side"}, *_written_apart(served)]
    return [
        Finding("sessions", _sessions(scenario, served), len(facts.sessions)),
        Finding("threads", scenario.threads + len(beside), len(facts.threads)),
        Finding("turns", len(_turns(served)), kinds[ExchangeKind.TURN]),
        Finding("prewarms", len(answered) - len(_turns(served)), kinds[ExchangeKind.PREWARM]),
        Finding("attempts without a turn", len(served) - len(answered), kinds[ExchangeKind.ATTEMPT]),
        Finding("unparsed, unobservable", 0, kinds[ExchangeKind.UNPARSED] + kinds[ExchangeKind.UNOBSERVABLE]),
        Finding("calls", calls, sorted(call.call for call in facts.calls)),
    ]


def _sessions(scenario: Scenario, served: Sequence[Served]) -> int:
    if scenario.session:  # the relay removed the name before the provider could see it
        return 1
    named = {entry.session for entry in served if entry.session}
    # Nothing in a call that only summarises tells whose history it is.
    return len(named) or scenario.conversations + len(_written_apart(served))


def _written_apart(served: Sequence[Served]) -> list[Served]:
    """Calls whose summary is of a history that they show as one text, and not of their own."""
    return [entry for entry in _turns(served) if entry.purpose == "summary" and len(_history(entry)) <= APART_MESSAGES]


def _history(served: Served) -> Sequence[object]:
    return next((served.request[name] for name in ("messages", "input", "contents") if name in served.request), ())


def _turns(served: Sequence[Served]) -> list[Served]:
    return [entry for entry in _answered(served) if entry.purpose != "prewarm"]


def _answered(served: Sequence[Served]) -> list[Served]:
    """Calls whose answer came whole."""
    return [entry for entry in served if entry.status == 200 and entry.fault not in {"stream_error", "cut"}]


def _usage(served: Sequence[Served], facts: Facts) -> list[Finding]:
    """Every sampling of every answered call, by message id, to the token; and how many told none."""
    numbers = {turn.message_id: turn.exchange for turn in facts.turns}
    rows: dict[ExchangeId | None, list[IterationFact]] = {}
    for one in facts.iterations:
        rows.setdefault(one.exchange, []).append(one)
    turns = _turns(served)
    wrong = [
        (told, found)
        for entry in turns
        if (told := billed.told(entry)) != (found := billed.found(rows.get(numbers.get(entry.message_id), [])))
    ]
    silent = sum(not billed.tells_usage(entry) for entry in turns)
    return [
        Finding("usage where it differs", [], wrong),
        Finding("turns without usage", silent, sum(turn.usage_missing for turn in facts.turns)),
    ]


def _triggers(scenario: Scenario, facts: Facts, *, hinted: bool) -> Finding:
    """With hint headers every trigger is known; without, one that is told must not be another."""
    expected = [trigger for _, trigger in scenario.boundaries]
    found = [boundary.trigger for boundary in facts.boundaries]
    if not hinted and len(found) == len(expected):
        expected = [told and trigger for told, trigger in zip(found, expected, strict=True)]
    return Finding("triggers", expected, found)


def _labels(scenario: Scenario, client: Client, facts: Facts) -> list[Finding]:
    found = {place_of(call.call): call.label.value for call in facts.calls}
    expected = {place: scenario.label(place, client.version) for place in scenario.labels}
    expected |= {place: "reacquisition" for place in found if is_needed(place)}
    once = sum(label == "reacquisition" for label in expected.values())
    return [
        *(Finding(f"label of {place}", label, found.get(place)) for place, label in expected.items()),
        Finding("reacquisitions in all", once, sum(label == "reacquisition" for label in found.values())),
    ]
