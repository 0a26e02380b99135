"""What stands in texts, by line."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from proxy.ledger.context import Texts
from proxy.model.facts import InSummary
from proxy.model.messages import Block, BlockKind
from proxy.sessions import lines

ROWS = st.lists(st.sampled_from([f"line number {i} of it" for i in range(6)]), max_size=8)


def a_text(said: str) -> Block:
    return Block(kind=BlockKind.TEXT, raw={}, text=said)


def texts(*said: str) -> Texts:
    return Texts.of([a_text(one) for one in said])


def test_only_line_feeds_end_a_line() -> None:
    whole = ["first part\u2028second part", "a\x0cpage break here", "the last line"]
    assert texts("\n".join(whole)).holds(lines.significant(whole)) is InSummary.VERBATIM


def test_line_ends_of_the_other_system_do_not_matter() -> None:
    whole = ["the first line", "the last line"]
    assert texts("\r\n".join(whole)).holds(lines.significant(whole)) is InSummary.VERBATIM


@given(ROWS, ROWS)
def test_holding_is_standing_one_after_the_other(said: list[str], wanted: list[str]) -> None:
    size = len(wanted)
    in_order = size > 0 and any(said[at : at + size] == wanted for at in range(len(said) - size + 1))
    some = InSummary.PARTLY if set(said) & set(wanted) else InSummary.NONE
    assert texts("\n".join(said)).holds(lines.significant(wanted)) is (InSummary.VERBATIM if in_order else some)


@given(ROWS, ROWS)
def test_what_is_kept_of_texts_answers_for_the_wanted_lines_as_the_whole_does(
    said: list[str], wanted: list[str]
) -> None:
    whole, packed = texts("\n".join(said), "12\t" + "\n13\t".join(said)), lines.significant(wanted)
    runs = whole.only(set(lines.unpack(packed)))
    assert Texts(runs, opaque=False).holds(packed) is whole.holds(packed)
    assert {line for run in runs for line in lines.unpack(run)} <= set(lines.unpack(packed))
