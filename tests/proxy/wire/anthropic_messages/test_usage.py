from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proxy.model.usage import Iteration, IterationKind, Usage
from proxy.wire.anthropic_messages.usage import Answer, billed
from proxy.wire.token_counts import MAX_COUNT, Billed
from tests.support.wire import MODEL, a_usage, an_iteration

ANSWER = Answer(MODEL)

SAYS = "cache_creation says {} tokens, cache_creation_input_tokens 30"

DOCUMENTED = {
    "input_tokens": 23000,
    "output_tokens": 1000,
    "cache_creation_input_tokens": 3000,
    "cache_read_input_tokens": 100000,
    "cache_creation": {"ephemeral_5m_input_tokens": 1000, "ephemeral_1h_input_tokens": 2000},
    "output_tokens_details": {"thinking_tokens": 200},
    "server_tool_use": {"web_search_requests": 2, "web_fetch_requests": 0},
    "service_tier": "standard",
    "speed": "standard",
    "iterations": [
        an_iteration("compaction", 180000, 3500),
        an_iteration(
            "message", 23000, 1000, model=MODEL, cache_read_input_tokens=100000, cache_creation_input_tokens=3000
        ),
    ],
}
"""The example of wire-formats 1.5."""


def read(usage: dict[str, Any], answer: Answer = ANSWER) -> Billed:
    return billed(usage, answer)


def kinds(result: Billed) -> list[tuple[str, str, int, int]]:
    return [(each.kind.value, each.model, each.usage.uncached, each.usage.output) for each in result.iterations]


def total(result: Billed) -> Usage:
    return sum((each.usage for each in result.iterations), Usage())


def test_the_documented_example_bills_the_hidden_compaction() -> None:
    result = read(DOCUMENTED)
    assert result.disagrees == ""
    assert result.iterations == (
        Iteration(kind=IterationKind.COMPACTION, model=MODEL, usage=Usage(uncached=180000, output=3500)),
        Iteration(
            kind=IterationKind.MESSAGE,
            model=MODEL,
            usage=Usage(
                uncached=23000, cache_read=100000, cache_write_5m=1000, cache_write_1h=2000, output=1000, reasoning=200
            ),
            server_tool_calls=2,
        ),
    )
    assert total(result).uncached == 203000
    assert total(result).output == 4500


@pytest.mark.parametrize("iterations", [{}, {"iterations": None}, {"iterations": []}])
def test_without_iterations_the_top_level_is_the_one_sampling(iterations: dict[str, Any]) -> None:
    result = read(a_usage(7, 3, cache_read_input_tokens=5, **iterations))
    assert kinds(result) == [("message", MODEL, 7, 3)]
    assert result.iterations[0].usage.input == 12


def test_usage_that_did_not_come_is_not_zero() -> None:
    assert billed(None, ANSWER) == Billed((), "")
    assert billed([], ANSWER) == Billed((), "usage is not an object")


def test_usage_of_zero_is_a_measured_zero() -> None:
    assert kinds(read(a_usage(0, 0))) == [("message", MODEL, 0, 0)]


@pytest.mark.parametrize("value", [-1, 1.5, "7", True, [], {}, 1e20, MAX_COUNT + 1, None])
@pytest.mark.parametrize("field", ["input_tokens", "output_tokens"])
def test_a_number_that_is_no_count_leaves_the_sampling_unmeasured(field: str, value: object) -> None:
    assert read(a_usage() | {field: value}) == Billed((), f"{field} is not a count")


def test_an_unreadable_cache_count_is_no_zero_either() -> None:
    assert read(a_usage(cache_read_input_tokens="1")) == Billed((), "cache_read_input_tokens is not a count")
    split = {"ephemeral_5m_input_tokens": -1}
    assert read(a_usage(cache_creation=split)).disagrees == "ephemeral_5m_input_tokens is not a count"
    assert read(a_usage(iterations=[an_iteration("message", -5)])).disagrees == "input_tokens is not a count"


@pytest.mark.parametrize(
    ("fields", "five_minutes", "hour", "disagrees"),
    [
        ({"cache_creation_input_tokens": 30}, 30, 0, ""),
        ({"cache_creation_input_tokens": 30, "cache_creation": None}, 30, 0, ""),
        ({"cache_creation_input_tokens": 30, "cache_creation": (10, 20)}, 10, 20, ""),
        ({"cache_creation_input_tokens": 30, "cache_creation": (0, 30)}, 0, 30, ""),
        ({"cache_creation": (10, 20)}, 10, 20, ""),
        ({"cache_creation_input_tokens": 30, "cache_creation": (10, 5)}, 25, 5, SAYS.format(15)),
        ({"cache_creation_input_tokens": 30, "cache_creation": (0, 50)}, 0, 30, SAYS.format(50)),
    ],
)  # fmt: skip
def test_writes_are_split_by_lifetime(fields: dict[str, Any], five_minutes: int, hour: int, disagrees: str) -> None:
    if isinstance(fields.get("cache_creation"), tuple):
        names = ("ephemeral_5m_input_tokens", "ephemeral_1h_input_tokens")
        fields = fields | {"cache_creation": dict(zip(names, fields["cache_creation"], strict=True))}
    result = read(a_usage(**fields))
    usage = result.iterations[0].usage
    assert (usage.cache_write_5m, usage.cache_write_1h, result.disagrees) == (five_minutes, hour, disagrees)


def test_an_advisor_is_billed_beside_the_top_level_with_its_own_model() -> None:
    entries = [an_iteration("message", 100, 10), an_iteration("advisor_message", 900, 90, model="claude-fable-5")]
    result = read(a_usage(100, 10, iterations=entries))
    assert kinds(result) == [("message", MODEL, 100, 10), ("advisor_message", "claude-fable-5", 900, 90)]
    assert result.disagrees == ""


def test_a_tool_loop_of_the_server_is_priced_by_sampling() -> None:
    entries = [an_iteration("message", 60, 4), an_iteration("compaction", 50000, 700), an_iteration("message", 40, 6)]
    result = read(a_usage(100, 10, iterations=entries))
    assert kinds(result) == [("message", MODEL, 60, 4), ("compaction", MODEL, 50000, 700), ("message", MODEL, 40, 6)]


def test_several_compactions_are_all_billed() -> None:
    entries = [an_iteration("compaction", 50000, 500), an_iteration("compaction", 51000, 600), an_iteration("message")]
    assert total(read(a_usage(iterations=entries))).uncached == 101010


def test_a_fallback_that_adds_up_is_priced_by_model() -> None:
    entries = [
        an_iteration("message", 100, 0, model="claude-fable-5"),
        an_iteration("fallback_message", 30, 10, model="claude-opus-4-8"),
    ]
    result = read(a_usage(130, 10, iterations=entries), Answer("claude-opus-4-8"))
    assert kinds(result) == [("message", "claude-fable-5", 100, 0), ("fallback_message", "claude-opus-4-8", 30, 10)]


def test_a_declined_attempt_outside_the_top_level_is_left_out() -> None:
    entries = [
        an_iteration("message", 535, 0, model="claude-fable-5"),
        an_iteration("message", 100, 4, model="claude-opus-4-8"),
        an_iteration("fallback_message", 312, 260, model="claude-opus-4-8"),
    ]
    result = read(a_usage(412, 264, iterations=entries), Answer("claude-opus-4-8"))
    assert kinds(result) == [("message", "claude-opus-4-8", 100, 4), ("fallback_message", "claude-opus-4-8", 312, 260)]
    assert result.disagrees == ""


def test_a_declined_attempt_that_had_begun_to_answer_is_said() -> None:
    entries = [
        an_iteration("message", 535, 40, model="claude-fable-5"),
        an_iteration("fallback_message", 412, 264, model="claude-opus-4-8"),
    ]
    result = read(a_usage(412, 264, iterations=entries), Answer("claude-opus-4-8"))
    assert kinds(result) == [("fallback_message", "claude-opus-4-8", 412, 264)]
    assert result.disagrees == "a declined attempt with output is left out"


@pytest.mark.parametrize(
    "field", ["input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"]
)
def test_entries_that_do_not_add_up_in_any_of_the_four_give_way_to_the_top_level(field: str) -> None:
    counts = {"cache_read_input_tokens": 7, "cache_creation_input_tokens": 3}
    entry = an_iteration("message", 100, 10, **counts)
    top = a_usage(100, 10, **counts) | {field: 1000}
    result = read(top | {"iterations": [an_iteration("compaction", 5, 6), entry]})
    assert [each.kind.value for each in result.iterations] == ["compaction", "message"]
    assert (result.iterations[1].usage.input, result.iterations[1].usage.output) == (
        top["input_tokens"] + top["cache_read_input_tokens"] + top["cache_creation_input_tokens"],
        top["output_tokens"],
    )
    assert result.disagrees.startswith("iterations add up to 100/7/3/10, the top level says ")


def test_a_compaction_on_demand_has_no_other_sampling() -> None:
    entries = [an_iteration("compaction", 180000, 3500)]
    only = Answer(MODEL, only_compaction=True)
    assert kinds(read(a_usage(0, 0, iterations=entries), only)) == [("compaction", MODEL, 180000, 3500)]
    assert kinds(read(a_usage(180000, 3500), only)) == [("compaction", MODEL, 180000, 3500)]


def test_a_top_level_that_repeats_the_compaction_is_billed_once_and_said() -> None:
    result = read(a_usage(180000, 3500, iterations=[an_iteration("compaction", 180000, 3500)]))
    assert kinds(result) == [("compaction", MODEL, 180000, 3500)]
    assert result.disagrees == "the top level repeats its extra iterations"


def test_a_compaction_alone_beside_a_top_level_is_billed_beside_it() -> None:
    result = read(a_usage(10, 5, iterations=[an_iteration("compaction", 180000, 3500)]))
    assert kinds(result) == [("compaction", MODEL, 180000, 3500), ("message", MODEL, 10, 5)]


@pytest.mark.parametrize(
    ("entry", "named"), [({"type": "of_the_future"}, "of_the_future"), (3, "(no name)"), ({}, "(no name)")]
)
def test_an_unknown_iteration_is_left_out_and_said(entry: object, named: str) -> None:
    result = read(a_usage(iterations=[entry, an_iteration("message")]))
    assert kinds(result) == [("message", MODEL, 10, 5)]
    assert result.disagrees == f"iteration type {named} is unknown and left out"


SPLIT = {"ephemeral_5m_input_tokens": 10, "ephemeral_1h_input_tokens": 20}
SHORT = {"ephemeral_5m_input_tokens": 30, "ephemeral_1h_input_tokens": 0}


def writing(tokens: int, split: dict[str, int] | None = None) -> dict[str, Any]:
    return an_iteration("message", 10, 5, cache_creation_input_tokens=tokens, cache_creation=split)


@pytest.mark.parametrize(
    ("entries", "writes", "disagrees"),
    [
        ([writing(30)], [(10, 20)], ""),
        ([writing(0), writing(30)], [(0, 0), (10, 20)], ""),
        ([writing(25), writing(5)], [(5, 20), (5, 0)], "lifetimes of cache writes are not told by iteration"),
        ([writing(30, SPLIT), writing(0)], [(10, 20), (0, 0)], ""),
        ([writing(30, SHORT)], [(30, 0)], "iterations and top level tell different lifetimes of cache writes"),
    ],
)  # fmt: skip
def test_lifetimes_that_only_the_top_level_tells_reach_the_entries(
    entries: list[dict[str, Any]], writes: list[tuple[int, int]], disagrees: str
) -> None:
    count = len(entries)
    result = read(
        a_usage(10 * count, 5 * count, cache_creation_input_tokens=30, cache_creation=SPLIT, iterations=entries)
    )
    assert [(each.usage.cache_write_5m, each.usage.cache_write_1h) for each in result.iterations] == writes
    assert result.disagrees == disagrees


def test_thinking_is_part_of_the_output_of_the_last_samplings() -> None:
    entries = [an_iteration("message", 10, 100), an_iteration("message", 10, 30)]
    usage = a_usage(20, 130, iterations=entries, output_tokens_details={"thinking_tokens": 50})
    assert [each.usage.reasoning for each in read(usage).iterations] == [20, 30]
    assert read(a_usage(output_tokens_details={"thinking_tokens": "x"})).iterations[0].usage.reasoning == 0


def test_terms_are_those_that_are_not_the_default() -> None:
    plain = a_usage(service_tier="standard", speed="standard", inference_geo="global")
    assert read(plain).iterations[0].terms == ()
    stated = a_usage(service_tier="priority", speed="fast", inference_geo="us")
    assert read(stated).iterations[0].terms == (
        ("inference_geo", "us"),
        ("service_tier", "priority"),
        ("speed", "fast"),
    )
    assert read(a_usage(speed=3)).iterations[0].terms == ()
    assert read(a_usage(speed="a " * 90)).iterations[0].terms == (("speed", "(no name)"),)


@pytest.mark.parametrize(
    ("fields", "calls", "unpriceable"),
    [
        ({"web_search_requests": 3, "web_fetch_requests": 9}, 3, ""),
        ({"web_search_requests": None}, 0, ""),
        ({"web_search_requests": -1}, 0, "web_search_requests cannot be priced"),
        ({"code_execution_requests": 2}, 0, "code_execution_requests cannot be priced"),
        ({"code_execution_requests": 0}, 0, ""),
        ({"a name with blanks": 1}, 0, "(no name) cannot be priced"),
    ],
)
def test_server_tools_are_counted_or_make_the_sampling_unpriceable(
    fields: dict[str, Any], calls: int, unpriceable: str
) -> None:
    iteration = read(a_usage(server_tool_use=fields)).iterations[0]
    assert (iteration.server_tool_calls, iteration.unpriceable) == (calls, unpriceable)


def test_server_tools_stand_on_one_sampling_only() -> None:
    entries = [an_iteration("message"), an_iteration("compaction"), an_iteration("message")]
    result = read(a_usage(20, 10, iterations=entries, server_tool_use={"web_search_requests": 4}))
    assert [each.server_tool_calls for each in result.iterations] == [0, 0, 4]


def test_what_is_billed_in_another_way_is_unpriceable() -> None:
    refused = read(a_usage(412, 0), Answer(MODEL, refused_empty=True))
    assert refused.iterations[0].unpriceable == "refused before any output"
    credited = read(a_usage(fallback_credit={"status": {"type": "redeemed"}}))
    assert credited.iterations[0].unpriceable == "fallback credit redeemed"
    assert read(a_usage(fallback_credit={"status": {"type": "not_applied"}})).iterations[0].unpriceable == ""
    entries = [an_iteration("message"), an_iteration("advisor_message", model="claude-fable-5")]
    fast = read(a_usage(speed="fast", iterations=entries))
    assert [each.unpriceable for each in fast.iterations] == ["", "speed of another model's sampling is not told"]


counts = st.integers(0, 1000)
entry = st.builds(
    an_iteration,
    st.sampled_from([kind.value for kind in IterationKind]),
    counts,
    counts,
    cache_read_input_tokens=counts,
    cache_creation_input_tokens=counts,
    model=st.sampled_from([None, MODEL, "other"]),
)


@given(st.lists(entry, max_size=6), counts, counts)
@settings(max_examples=120, deadline=None)
def test_billed_is_the_top_level_and_the_extra_entries_whatever_adds_up(
    entries: list[dict[str, Any]], uncached: int, output: int
) -> None:
    inside = [each for each in entries if each["type"] in {"message", "fallback_message"}]
    extra = [each for each in entries if each not in inside]
    if inside:  # a top level that is the sum, as the API documents it
        uncached = sum(each["input_tokens"] for each in inside)
        output = sum(each["output_tokens"] for each in inside)
    result = read(
        a_usage(
            uncached,
            output,
            iterations=entries,
            cache_read_input_tokens=sum(each["cache_read_input_tokens"] for each in inside),
            cache_creation_input_tokens=sum(each["cache_creation_input_tokens"] for each in inside),
        )
    )
    if "repeats" not in result.disagrees:
        assert result.disagrees == ""
        assert total(result).uncached == uncached + sum(each["input_tokens"] for each in extra)
        assert total(result).output == output + sum(each["output_tokens"] for each in extra)
    assert all(each.usage.input >= each.usage.uncached for each in result.iterations)


usage_like = st.dictionaries(
    st.sampled_from(
        [
            "input_tokens",
            "output_tokens",
            "cache_creation",
            "cache_creation_input_tokens",
            "iterations",
            "speed",
            "server_tool_use",
            "output_tokens_details",
            "fallback_credit",
            "service_tier",
        ]
    ),
    st.recursive(
        st.none() | st.integers(-5, 10**12) | st.floats() | st.text(max_size=3) | st.booleans() | entry,
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(st.sampled_from(["status", "type", "web_search_requests", "thinking_tokens", "x"]), inner)
        ),
        max_leaves=6,
    ),
)


@given(usage_like)
@settings(max_examples=120, deadline=None)
def test_no_usage_is_a_crash(usage: dict[str, Any]) -> None:
    result = read({"input_tokens": 1, "output_tokens": 1} | usage)
    assert all(each.usage.reasoning <= each.usage.output for each in result.iterations)
