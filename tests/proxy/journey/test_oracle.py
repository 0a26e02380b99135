"""Whatever a session does, the journey's boundaries and classes are those of an independent oracle."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import given, settings
from hypothesis import strategies as st

from proxy.model.facts import BoundaryFact, BoundaryKind, CallFact, DropFact
from tests.support.journey import Driver
from tests.support.moves import MOVES, Move
from tests.support.oracle_story import Story
from tests.support.oracle_words import Verdict


def play(moves: list[tuple[int, Move]]) -> None:
    """Tell a session with one sub-agent to both, and compare what they say."""
    driver = Driver()
    stories = [Story(driver), Story(driver, agent="kid")]
    for who, (name, *rest) in moves:
        if name == "restart":
            driver.restart()
        else:
            method: Callable[..., None] = getattr(stories[who], name)
            method(*rest)
    for story, thread in zip(stories, ("main", "agent:kid"), strict=True):
        if story.oracle.turns:
            story.say()
            compare(story, driver, thread)


def compare(story: Story, driver: Driver, thread: str) -> None:
    run = driver.run
    calls = [fact for fact in run.of(CallFact) if fact.thread == thread]
    assert {c.call: Verdict(c.label.value, c.boundary, c.reread_tokens_ref) for c in calls} == story.oracle.verdicts
    found = [fact for fact in run.of(BoundaryFact) if fact.thread == thread]
    drops = [fact for fact in run.of(DropFact) if fact.thread == thread]
    names = {call.observation: call.call for call in calls}
    assert [
        (b.turn, b.kind is BoundaryKind.ROLLING,
         {names[d.observation]: d.in_summary.value for d in drops if d.boundary == b.boundary})
        for b in found
    ] == [(b.turn, b.rolling, b.dropped) for b in story.oracle.boundaries]  # fmt: skip
    assert [b.dropped_observations for b in found] == [len(b.dropped) for b in story.oracle.boundaries]


@settings(max_examples=250, deadline=None)
@given(st.lists(st.tuples(st.sampled_from([0, 0, 0, 1]), MOVES), min_size=2, max_size=20))
def test_the_journey_says_what_the_oracle_says(moves: list[tuple[int, Move]]) -> None:
    play(moves)
