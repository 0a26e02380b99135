"""What counts when histories are compared."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.model.messages import Message
from proxy.sessions.normalise import units
from proxy.wire.anthropic_messages.blocks import blocks_of
from tests.support.journey import call, result, text


def digests(*messages: tuple[str, Any]) -> list[bytes]:
    return [unit.digest for unit in units(tuple(Message(role=role, blocks=blocks_of(said)) for role, said in messages))]


@pytest.mark.parametrize(
    "same",
    [
        ("user", [text("go")]),
        ("user", [{**text("go"), "cache_control": {"type": "ephemeral"}}]),
        ("user", [text("<system-reminder>be kind</system-reminder>"), text("go"), text("  ")]),
        ("user", [{**text("go"), "citations": None}]),
    ],
)
def test_what_clients_change_by_themselves_does_not_count(same: tuple[str, Any]) -> None:
    assert digests(same) == digests(("user", "go"))


@pytest.mark.parametrize("other", [("assistant", "go"), ("user", "go on"), ("user", [call("c", "go")]), ("user", 5)])
def test_what_means_something_else_counts(other: tuple[str, Any]) -> None:
    assert digests(other) != digests(("user", "go"))


def test_thinking_and_system_messages_do_not_count() -> None:
    thinking = {"type": "thinking", "thinking": "hm", "signature": "s"}
    assert digests(("system", "be kind"), ("assistant", [thinking, text("go")])) == digests(("assistant", "go"))


def test_the_order_of_arguments_does_not_count_and_their_values_do() -> None:
    one, two = call("c", "Read", a=1, b=2), call("c", "Read", b=2, a=1)
    assert digests(("assistant", [one])) == digests(("assistant", [two]))
    assert digests(("assistant", [one])) != digests(("assistant", [call("c", "Read", a=1, b=3)]))


def test_a_result_counts_by_its_call_its_text_and_whether_it_failed() -> None:
    shown = [result("c", "said"), result("d", "said"), result("c", "other"), result("c", "said", is_error=True)]
    assert len({tuple(digests(("user", [one]))) for one in shown}) == 4
    assert digests(("user", [result("c", [text("said")])])) == digests(("user", [shown[0]]))


@given(st.lists(st.sampled_from(["a", "b", "c"]), max_size=6), st.integers(0, 6))
def test_how_blocks_are_grouped_into_messages_does_not_count(said: list[str], at: int) -> None:
    blocks = [text(one) for one in said]
    assert digests(("user", blocks[:at]), ("user", blocks[at:])) == digests(("user", blocks))
