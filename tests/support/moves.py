"""Random moves of `oracle_story.Story`."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tests.support.oracle_story import FILES, LENGTH

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
