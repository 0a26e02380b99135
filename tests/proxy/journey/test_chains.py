"""Histories that the provider holds: a chained request is judged as if it had brought them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from proxy.model.facts import CallFact, ExchangeFact, ExchangeKind, ObservationFact, TurnFact
from tests.support.journey import Client, Driver, Json, a_file, bash, numbered, read, result, text, usage

Play = Callable[[Client], None]


class Chained(Client):
    """Sends only what is new and names the reply before; the provider holds the rest (wire-formats 1.2)."""

    def __init__(self, driver: Driver, session: str = "s1") -> None:
        super().__init__(driver, session)
        self.sent = 0
        self.last = ""

    def turn(self, *reply: Json, **more: Any) -> Any:
        thread: Json = {"type": "continue", "previous_message_id": self.last} if self.last else {"type": "create"}
        whole, self.messages = self.messages, self.messages[self.sent :]
        observed = super().turn(*reply, body={"thread": thread}, **more)
        self.messages = [*whole, *self.messages[len(whole) - self.sent :]]
        self.sent = len(self.messages)
        self.last = self.driver.run.of(TurnFact)[-1].message_id
        return observed


def read_twice(client: Client) -> None:
    lines = a_file("a.py")
    client.user(text("go"))
    client.does(read("t1", "/repo/a.py"), numbered(lines))
    client.does(bash("t2", "make"), "built")
    client.does(read("t3", "/repo/a.py"), numbered(lines))
    client.turn()


def facts_of(client: Client, play: Play) -> tuple[Any, ...]:
    play(client)
    run = client.driver.run
    return (
        run.labels(),
        run.relations,
        [(seen.observation, seen.content_sha256, seen.dropped_by) for seen in run.of(ObservationFact)],
        [turn.fresh_tokens_ref for turn in run.of(TurnFact)],
    )


def test_a_chain_says_what_the_whole_history_would_have_said() -> None:
    assert facts_of(Chained(Driver()), read_twice) == facts_of(Client(Driver()), read_twice)
    assert facts_of(Chained(Driver()), read_twice)[0] == {
        "t1": "acquisition",
        "t2": "not_retrieval",
        "t3": "repeat_visible",
    }


def test_a_chain_without_any_id_is_one_session_by_the_replies_that_it_names() -> None:
    client = Chained(Driver())
    del client.headers["x-claude-code-session-id"]
    read_twice(client)
    exchanges = client.driver.run.of(ExchangeFact)
    assert {exchange.kind for exchange in exchanges} == {ExchangeKind.TURN}
    assert len({exchange.session for exchange in exchanges}) == 1


def test_a_chain_whose_beginning_nobody_saw_is_unobservable_with_or_without_an_id() -> None:
    for headers in ({}, {"x-session-id": "s"}):
        client = Client(Driver())
        client.headers = headers
        client.user(text("go on"))
        client.turn(body={"thread": {"type": "continue", "previous_message_id": "msg_unseen"}})
        (exchange,) = client.driver.run.of(ExchangeFact)
        assert (exchange.kind, exchange.reason) == (ExchangeKind.UNOBSERVABLE, "server-held history")


def test_a_chain_may_be_taken_up_again_at_an_earlier_reply() -> None:
    client = Chained(Driver())
    lines = numbered(a_file("a.py"))
    client.user(text("go"))
    client.does(read("t1", "/repo/a.py"), lines)
    client.turn()
    fork = client.last
    client.user(text("one way"))
    client.turn()
    client.last = fork
    client.user(text("another way"))
    client.turn()
    assert client.driver.run.relations[-1] == "rewind"
    assert client.driver.run.boundaries == []


@pytest.mark.parametrize("kept", [1, 3])
def test_a_chain_grows_with_what_is_new(kept: int) -> None:
    client = Chained(Driver())
    client.user(text("go"))
    for turn in range(40):
        client.does(bash(f"t{turn}", f"step {turn}"), "\n".join(a_file(f"f{turn}", kept)))
    parts = next(iter(client.driver.parts.values()))
    held = sum(len(part) for name, part in parts.items() if name.startswith("held/"))
    assert held < 40 * 1000


def test_a_prewarm_is_no_turn_and_its_billing_counts() -> None:
    client = Client(Driver())
    client.user(text("go"))
    client.turn(stop="max_tokens", keep=False, body={"max_tokens": 0}, answer={"content": []}, used=usage(write=900))
    client.turn()
    exchanges = client.driver.run.of(ExchangeFact)
    assert [(e.kind, e.turn, e.attempt) for e in exchanges] == [
        (ExchangeKind.PREWARM, None, None),
        (ExchangeKind.TURN, 1, 1),
    ]
    assert len(client.driver.run.of(TurnFact)) == 1
    assert client.driver.run.of(CallFact) == []


def test_results_of_a_chain_are_answers_to_calls_of_the_reply_that_it_names() -> None:
    client = Chained(Driver())
    client.user(text("go"))
    client.asks(read("t1", "/repo/a.py"), read("t2", "/repo/b.py"))
    client.answers(result("t2", "b"), result("t1", "a"))
    client.turn()
    assert client.driver.run.labels() == {"t1": "acquisition", "t2": "acquisition"}
