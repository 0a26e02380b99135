"""Whatever a session does, the journey's boundaries and classes are those of an independent oracle."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from proxy.model.facts import BoundaryFact, BoundaryKind, CallFact, DropFact
from tests.support.journey import Driver
from tests.support.oracle_story import FILES, LENGTH, Story
from tests.support.oracle_words import Verdict

Move = tuple[Any, ...]

NAMES = st.sampled_from(FILES)
SPANS = st.tuples(st.integers(1, LENGTH), st.integers(1, LENGTH)).map(lambda pair: (min(pair), max(pair)))
CALLS = st.one_of(
    st.tuples(st.sampled_from(["read", "shell"]), NAMES),
    st.tuples(st.sampled_from(["read", "shell"]), NAMES, SPANS),
    st.tuples(st.just("edit"), NAMES, st.integers(1, LENGTH)),
    st.tuples(st.just("write"), NAMES),
    st.tuples(st.sampled_from(["stub", "demand", "error"]), NAMES),
)
ASKS = st.lists(CALLS, min_size=1, max_size=3).map(lambda calls: ("ask", *calls))
ATTACHED = st.lists(
    st.tuples(NAMES, st.sampled_from(["plain", "numbered", "system"])), max_size=2, unique_by=lambda a: a[0]
)
COMPACT = st.tuples(
    st.just("compact"), st.sampled_from([0, 3, LENGTH]), ATTACHED, st.sampled_from(["seen", "auto", "unseen"])
)
MOVES = st.one_of(
    ASKS,
    ASKS,
    ASKS,
    COMPACT,
    st.tuples(st.sampled_from(["say", "slide", "empty", "retry", "fail"])),
    st.tuples(st.just("rewind"), st.integers(1, 6)),
    st.tuples(st.just("clear"), st.integers(0, 3)),
    st.tuples(st.just("fold"), st.sampled_from([0, 3, LENGTH])),
    st.tuples(st.just("restart")),
)


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
