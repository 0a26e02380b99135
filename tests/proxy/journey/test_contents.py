"""Kept contents: every piece once, every body whole again."""

from __future__ import annotations

from typing import Any

import orjson

from proxy.journey import Journey, Ports
from proxy.ledger.ledger import Instruments
from tests.support.journey import Client, Driver, a_file, numbered, price, read, shipped_rules, text, words


def a_keeping_driver() -> Driver:
    instruments = Instruments(tools=shipped_rules(), count=words, redact=lambda said: said)

    def redact(dialect: str, body: Any) -> Any:
        return {**body, "dialect": dialect}

    return Driver(Journey(Ports(instruments=instruments, price=price, source="live", redact_body=redact)))


class Kept:
    """All pieces of a run by name."""

    def __init__(self) -> None:
        self.pieces: dict[str, bytes] = {}
        self.last = ""

    def take(self, contents: tuple[tuple[str, bytes], ...]) -> None:
        self.pieces.update(contents)
        self.last = contents[-1][0]

    def messages(self, name: str) -> list[Any]:
        manifest = orjson.loads(self.pieces[name])
        former = self.messages(manifest["former"])[: manifest["kept"]] if manifest["former"] else []
        return [*former, *(orjson.loads(self.pieces[one]) for one in manifest["messages"])]


def test_each_body_can_be_put_together_again_and_each_message_is_kept_once() -> None:
    client = Client(a_keeping_driver())
    client.user(text("go"))
    kept, brought = Kept(), []
    for number in range(4):
        call = read(f"c{number}", f"/repo/f{number}.py")
        observed = client.asks(call)
        sent = client.messages[:-1]
        kept.take(observed.contents)
        brought.append(len(orjson.loads(kept.pieces[kept.last])["messages"]))
        assert kept.messages(kept.last) == sent
        client.answers({"type": "tool_result", "tool_use_id": call["id"], "content": numbered(a_file(str(number)))})
    assert brought == [1, 2, 2, 2]


def test_a_shortened_history_is_told_relative_to_what_it_kept() -> None:
    client = Client(a_keeping_driver())
    client.user(text("go"))
    kept = Kept()
    kept.take(client.turn().contents)
    client.user(text("on"))
    kept.take(client.turn().contents)
    client.messages = [client.messages[0], {"role": "user", "content": "something else"}]
    kept.take(client.turn().contents)
    assert kept.messages(kept.last) == client.messages[:-1]


def test_the_rest_of_a_body_passes_the_redactor() -> None:
    client = Client(a_keeping_driver())
    client.user(text("go"))
    manifest = orjson.loads(client.turn().contents[-1][1])
    assert manifest["rest"] == {"model": "claude-sonnet-5-5", "max_tokens": 1000, "dialect": "anthropic_messages"}


def test_nothing_is_kept_unless_asked_for() -> None:
    client = Client(Driver())
    client.user(text("go"))
    assert client.turn().contents == ()


def test_system_and_tools_are_brought_once_and_again_after_a_turn_that_was_lost() -> None:
    client = Client(a_keeping_driver())
    client.user(text("go"))
    first = dict(client.turn().contents)
    client.user(text("on"))
    exchange = client.exchange([text("done")])
    session = client.driver.journey.session_of(exchange)
    assert session is not None
    manifest = orjson.loads(list(first.values())[-1])
    frame = {manifest["system"], manifest["tools"]}
    assert frame <= first.keys()
    kept = client.driver.journey.observe(exchange, client.driver.journey.load(session, client.driver.parts[session]))
    assert frame.isdisjoint(dict(kept.contents))
    lost = client.driver.journey.observe(exchange, client.driver.journey.load(session, {}))
    assert frame <= dict(lost.contents).keys()
