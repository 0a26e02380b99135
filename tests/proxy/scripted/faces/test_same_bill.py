"""One script over one conversation costs the same in every dialect, read back by hand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from proxy.scripted.actions import Read, Run, Say, Think, Write
from proxy.scripted.provider import Provider
from proxy.scripted.script import Need, Script, Step
from proxy.scripted.settings import ProviderSettings
from tests.support.scripted_talks import (
    TALKS,
    Bill,
    ChainedTalk,
    ChatTalk,
    GeminiTalk,
    MessagesTalk,
    ResponsesTalk,
    Talk,
)

WORK = Script(
    name="work",
    steps=(
        Step(do=(Say("I look."), Read("big.txt"))),
        Step(do=(Read("small.txt"), Run("unit"))),
        Step(do=(Write("small.txt", "é😀\n"),), needs=(Need(path="big.txt", shows="line 500\n"),)),
        Step(do=(Say("Done."),)),
    ),
)
THINKING = Script(name="thinking", steps=(Step(do=(Think("hm" * 50), Read("small.txt"))), Step(do=(Say("Done."),))))


def run(_name: str, arguments: Mapping[str, Any]) -> str:
    return "".join(f"line {n}\n" for n in range(900 if arguments.get("path") == "big.txt" else 3))


def played(kind: type[Talk], prompt: str) -> Talk:
    talk = kind(Provider(ProviderSettings(scripts=(WORK, THINKING), deterministic=True)), run)
    assert talk.ask(prompt) == "Done."
    return talk


@pytest.mark.parametrize("kind", TALKS)
def test_every_dialect_bills_the_same_classes(kind: type[Talk]) -> None:
    expected, found = played(MessagesTalk, "Please [script work]"), played(kind, "Please [script work]")
    bills = expected.bills
    if kind is GeminiTalk:  # what is written to the cache is told as any other input
        bills = [Bill(bill.uncached + bill.written, bill.read, 0, bill.output) for bill in bills]
    assert found.bills == bills
    assert found.calls == expected.calls
    assert found.bills[-1].read > 1000


@pytest.mark.parametrize("kind", TALKS)
def test_what_is_told_is_what_the_ledger_says_was_billed(kind: type[Talk]) -> None:
    talk = played(kind, "[script work]")
    for served, bill in zip(talk.provider.ledger(), talk.bills, strict=True):
        (sampling,) = served.samplings
        assert bill.uncached + bill.read + bill.written == sum(sampling.input)
        assert (bill.read, bill.output) == (sampling.input.read, sampling.output)


@pytest.mark.parametrize("kind", [ResponsesTalk, ChainedTalk, GeminiTalk])
def test_thinking_that_comes_back_costs_the_same(kind: type[Talk]) -> None:
    expected, found = played(MessagesTalk, "[script thinking]"), played(kind, "[script thinking]")
    assert [bill.output for bill in found.bills] == [bill.output for bill in expected.bills]
    assert [sum(bill[:3]) for bill in found.bills] == [sum(bill[:3]) for bill in expected.bills]


def test_thinking_that_a_dialect_hides_does_not_come_back() -> None:
    expected, found = played(MessagesTalk, "[script thinking]"), played(ChatTalk, "[script thinking]")
    assert found.bills[0] == expected.bills[0]
    assert sum(found.bills[1][:3]) < sum(expected.bills[1][:3])
