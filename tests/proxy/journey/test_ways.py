"""However a conversation travels, what is said of it is the same: whole, chained, over a WebSocket, without any id."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from proxy.model.facts import BoundaryFact, CallFact, DropFact, ExchangeFact, ObservationFact, TurnFact
from tests.support.journey import Client, Driver
from tests.support.moves import MOVES, Move
from tests.support.ways import (
    Chained,
    Linked,
    Nameless,
    Responding,
    Socketed,
    Told,
    Trimming,
    Undated,
    Warmed,
    Whole,
)

Moves = Sequence[tuple[int, Move]]


class Facts(NamedTuple):
    """What is said of one thread, without the names of its session and its turns' exchanges."""

    turns: list[Any]
    calls: list[Any]
    observations: list[Any]
    boundaries: list[Any]
    drops: list[Any]


def told(way: type[Client], moves: Moves, agents: Sequence[str]) -> tuple[list[Facts], set[str | None]]:
    driver = Driver()
    one_way = type("OneWay", (Told,), {"way": way})
    stories = [one_way(driver, agent) for agent in agents]
    for who, (name, *rest) in moves:
        if name == "restart":
            driver.restart()
        elif who < len(stories):
            getattr(stories[who], name)(*rest)
    for story in stories:
        story.say()
    found = [facts(driver, f"agent:{agent}" if agent else "main") for agent in agents]
    return found, {exchange.session for exchange in driver.run.of(ExchangeFact)}


def facts(driver: Driver, thread: str) -> Facts:
    run = driver.run
    assert all(exchange.kind != "unobservable" for exchange in run.of(ExchangeFact))
    return Facts(
        [
            (turn.turn, turn.purpose, turn.relation, turn.fresh_tokens_ref, turn.reply_tokens_ref, turn.context_tokens)
            for turn in run.of(TurnFact)
            if turn.thread == thread
        ],
        [
            (c.call, c.label, c.turn, c.answered_turn, c.boundary, c.in_summary, c.reread_tokens_ref)
            for c in run.of(CallFact)
            if c.thread == thread
        ],
        [
            (seen.observation, seen.turn, seen.call, seen.content_sha256, seen.tokens_ref, seen.dropped_by)
            for seen in run.of(ObservationFact)
            if seen.thread == thread
        ],
        [
            (b.boundary, b.turn, b.kind, b.evidence, b.level, b.dropped_observations, b.reattached, b.tokens_after)
            for b in run.of(BoundaryFact)
            if b.thread == thread
        ],
        sorted((d.boundary, d.observation, d.turn, d.in_summary) for d in run.of(DropFact) if d.thread == thread),
    )


STORIES = st.lists(st.tuples(st.sampled_from([0, 0, 0, 1]), MOVES), min_size=2, max_size=16)
SLOW = settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@pytest.mark.parametrize("way", [Chained])
@SLOW
@given(moves=STORIES)
def test_a_thread_held_by_the_provider_says_what_the_whole_history_says(way: type[Client], moves: Moves) -> None:
    assert told(way, moves, ["", "kid"])[0] == told(Whole, moves, ["", "kid"])[0]


@pytest.mark.parametrize("way", [Linked, Socketed, Warmed])
@SLOW
@given(moves=STORIES)
def test_a_chain_of_responses_says_what_the_whole_history_says(way: type[Client], moves: Moves) -> None:
    assert told(way, moves, ["", "kid"])[0] == told(Responding, moves, ["", "kid"])[0]


@pytest.mark.parametrize("way", [Nameless, Undated, Trimming])
@SLOW
@given(moves=STORIES)
def test_a_client_without_ids_has_one_session_that_says_the_same(way: type[Client], moves: Moves) -> None:
    found, sessions = told(way, [(0, ("ask", ("read", "a"))), *moves], [""])
    assert len(sessions) == 1
    assert found == told(Whole, [(0, ("ask", ("read", "a"))), *moves], [""])[0]
