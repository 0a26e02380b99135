"""Calls that the client sends back under ids of its own are the calls that were asked."""

from __future__ import annotations

import pytest

from proxy.model.facts import CallFact, ExchangeFact, ObservationFact
from tests.support.journey import Client, Driver, a_file, numbered, read, result, text

CONTENT = numbered(a_file("a.py"))
OTHER = numbered(a_file("b.py"))


def test_parallel_calls_are_joined_by_tool_and_arguments_in_order() -> None:
    client = Client(Driver())
    client.user(text("go"))
    client.asks(read("a", "/repo/a.py"), read("b", "/repo/b.py"), read("c", "/repo/a.py"))
    mine = [read("m1", "/repo/a.py"), read("m2", "/repo/b.py"), read("m3", "/repo/a.py")]
    client.messages[-1] = {"role": "assistant", "content": mine}
    client.answers(result("m3", CONTENT), result("m1", CONTENT), result("m2", OTHER))
    client.does(read("d", "/repo/b.py"), OTHER)
    client.turn()
    run = client.driver.run
    assert run.labels() == {
        "m1": "acquisition",
        "m2": "acquisition",
        "m3": "repeat_visible",
        "d": "repeat_visible",
    }
    assert len(run.of(ObservationFact)) == len(run.of(CallFact)) == 4


@pytest.mark.parametrize("headers", [{"x-claude-code-session-id": "s"}, {}])
def test_every_turn_may_do_so_with_a_session_id_and_without(headers: dict[str, str]) -> None:
    client = Client(Driver())
    client.headers = {"user-agent": "claude-cli/2.1.332 (external, sdk-cli)", **headers}
    client.user(text("go"))
    for number in range(4):
        client.asks(read(f"unnamed_{number}", "/repo/a.py"))
        client.messages[-1] = {"role": "assistant", "content": [read(f"mine{number}", "/repo/a.py")]}
        client.answers(result(f"mine{number}", CONTENT))
    client.turn()
    run = client.driver.run
    assert list(run.labels().values()) == ["acquisition", *["repeat_visible"] * 3]
    assert len(run.of(ObservationFact)) == 4
    assert len({exchange.session for exchange in run.of(ExchangeFact)}) == 1


def test_a_call_with_other_arguments_is_another_call() -> None:
    client = Client(Driver())
    client.user(text("go"))
    client.asks(read("a", "/repo/a.py"))
    client.messages[-1] = {"role": "assistant", "content": [read("m1", "/repo/b.py")]}
    client.answers(result("m1", OTHER))
    client.turn()
    assert client.driver.run.labels() == {"a": "no_result"}
