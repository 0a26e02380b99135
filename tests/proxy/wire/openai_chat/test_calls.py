from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proxy.wire.openai_chat.calls import StreamedCalls


def a_fragment(index: int | None = None, call: str | None = None, name: str | None = None, text: object = "") -> Any:
    function = {"arguments": text} | ({"name": name} if name is not None else {})
    place = {} if index is None else {"index": index}
    return place | ({"id": call} if call is not None else {}) | {"function": function}


def whole(*fragments: object) -> list[tuple[str, str, str]]:
    calls = StreamedCalls()
    for fragment in fragments:
        calls.add(fragment)
    return [(raw.get("id", ""), raw["function"]["name"], raw["function"]["arguments"]) for raw in calls.whole()]


A, B = ("a", "read", '{"p":1}'), ("b", "list", '{"p":2}')


@pytest.mark.parametrize(
    ("fragments", "calls"),
    [
        pytest.param(
            [a_fragment(0, "a", "read"), a_fragment(0, text='{"p"'), a_fragment(0, text=":1}")], [A], id="by index"
        ),
        pytest.param(
            [a_fragment(0, *A[:2]), a_fragment(1, *B[:2]), a_fragment(0, text=A[2]), a_fragment(1, text=B[2])],
            [A, B],
            id="interleaved",
        ),
        pytest.param(
            [a_fragment(None, "a", "read"), a_fragment(text='{"p":'), a_fragment(text="1}")], [A], id="no index"
        ),
        pytest.param(
            [a_fragment(None, *A), a_fragment(None, *B)], [A, B], id="no index, whole calls"
        ),
        pytest.param([a_fragment(0, *A), a_fragment(0, *B)], [A, B], id="every call has index 0"),
        pytest.param(
            [a_fragment(0, "a", "read", '{"p":'), a_fragment(0, "a", "read", "1}")], [A], id="id and name repeated"
        ),
        pytest.param(
            [a_fragment(0, None, "read", A[2]), a_fragment(0, None, "list", B[2])],
            [("", *A[1:]), ("", *B[1:])],
            id="whole calls without id, one index",
        ),
        pytest.param(
            [a_fragment(None, None, "read", A[2]), a_fragment(None, None, "list", B[2])],
            [("", *A[1:]), ("", *B[1:])],
            id="neither index nor id",
        ),
        pytest.param(
            [a_fragment(0, "", "read"), a_fragment(0, "a", "", A[2])], [A], id="the id comes late"
        ),
        pytest.param(
            [a_fragment(0, *A), a_fragment(0, None, "read", "")], [A], id="a last fragment without arguments"
        ),
        pytest.param([a_fragment(0, "a", "read", {"p": 1})], [A], id="arguments are an object"),
        pytest.param([a_fragment(0, "a", "read", None)], [("a", "read", "")], id="no arguments"),
        pytest.param([a_fragment(5, *A), a_fragment(2, *B)], [A, B], id="any indexes, in the order they came"),
        pytest.param([a_fragment(True, *A)], [A], id="an index that is none"),
    ],
)  # fmt: skip
def test_fragments_make_calls(fragments: list[object], calls: list[tuple[str, str, str]]) -> None:
    assert whole(*fragments) == calls


def test_a_custom_tool_comes_in_pieces_too() -> None:
    calls = StreamedCalls()
    calls.add({"index": 0, "id": "a", "type": "custom", "custom": {"name": "patch", "input": "*** "}})
    calls.add({"index": 0, "custom": {"input": "Begin"}})
    assert calls.whole() == [{"id": "a", "type": "custom", "custom": {"name": "patch", "input": "*** Begin"}}]


def test_what_is_no_fragment_is_said() -> None:
    assert StreamedCalls().add(7) is False


@given(st.lists(st.lists(st.integers(1, 5), max_size=4), max_size=4), st.booleans(), st.booleans())
@settings(max_examples=60, deadline=None)
def test_calls_are_whole_however_they_were_cut(cuts: list[list[int]], has_index: bool, repeats_id: bool) -> None:
    fragments, calls = [], []
    for place, sizes in enumerate(cuts):
        text = f'{{"number":{place},"text":"some longer text"}}'
        calls.append((f"c{place}", "read", text))
        index = place if has_index else None
        fragments.append(a_fragment(index, f"c{place}", "read"))
        for size in sizes:
            fragments.append(a_fragment(index, f"c{place}" if repeats_id else None, text=text[:size]))
            text = text[size:]
        fragments.append(a_fragment(index, f"c{place}" if repeats_id else None, text=text))
    assert whole(*fragments) == calls
