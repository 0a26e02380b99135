"""One story of reads and a compaction, told in Chat Completions and in Gemini, with ids for calls and without."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import orjson
import pytest

from proxy.model.exchange import Exchange, Outcome
from proxy.model.facts import CallFact, TurnFact
from proxy.model.ids import ExchangeId
from tests.support import chat, gemini
from tests.support.journey import START_US, Driver, a_file

CONTENT = "\n".join(a_file("a.py"))
SUMMARY = "\n".join(f"step {number} of the work was done and is not needed again" for number in range(5))
PATH = "/repo/a.py"


class Dialect(NamedTuple):
    """How one client writes what the story says."""

    target: str
    body: Callable[[list[Any]], dict[str, Any]]
    user: Callable[[str], dict[str, Any]]
    said: Callable[[str], dict[str, Any]]
    asks: Callable[[str], dict[str, Any]]
    answers: Callable[[str, str], dict[str, Any]]
    reply: Callable[[dict[str, Any]], dict[str, Any]]


def chat_dialect(*, has_ids: bool) -> Dialect:
    def asks(call: str) -> dict[str, Any]:
        asked = chat.a_call("Read", call, file_path=PATH)
        return chat.asks(asked if has_ids else asked | {"id": None})

    def answers(call: str, content: str) -> dict[str, Any]:
        return chat.result(content, call if has_ids else "", name="Read")

    return Dialect(
        target="/v1/chat/completions",
        body=lambda messages: chat.a_request(*messages, tools=[{"type": "function", "function": {"name": "Read"}}]),
        user=chat.user,
        said=lambda text: {"role": "assistant", "content": text},
        asks=asks,
        answers=answers,
        reply=chat.a_completion,
    )


def gemini_dialect(*, has_ids: bool) -> Dialect:
    return Dialect(
        target=f"/v1beta/models/{gemini.MODEL}:generateContent",
        body=lambda contents: {"contents": contents, "tools": [{"functionDeclarations": [{"name": "Read"}]}]},
        user=gemini.user,
        said=gemini.model,
        asks=lambda call: gemini.model(gemini.a_call("Read", call if has_ids else "", file_path=PATH)),
        answers=lambda call, content: gemini.user(gemini.a_result(content, "Read", call if has_ids else f"my-{call}")),
        reply=lambda content: gemini.a_response(*content["parts"]),
    )


DIALECTS = {
    "chat": chat_dialect(has_ids=True),
    "chat without ids": chat_dialect(has_ids=False),
    "gemini": gemini_dialect(has_ids=True),
    "gemini without ids": gemini_dialect(has_ids=False),
}


class Client:
    """Sends its whole history each time and takes the reply into it."""

    def __init__(self, dialect: Dialect) -> None:
        self.dialect = dialect
        self.driver = Driver()
        self.history: list[Any] = []
        self.number = 0

    def turn(self, reply: dict[str, Any]) -> None:
        self.number += 1
        exchange = Exchange(
            id=ExchangeId("w" * 32, self.number),
            opened_us=START_US + self.number * 2_000_000,
            upstream="any",
            door="base_url",
            tag="",
            method="POST",
            target=self.dialect.target,
            request_headers=(("x-session-id", "s1"), ("user-agent", "test/1")),
            request_body=orjson.dumps(self.dialect.body(self.history)),
            request_complete=True,
            request_lost=0,
            status=200,
            response_headers=(("content-type", "application/json"),),
            response_body=orjson.dumps(self.dialect.reply(reply)),
            response_complete=True,
            response_lost=0,
            first_byte_us=10_000,
            duration_us=1_000_000,
            outcome=Outcome.COMPLETE,
        )
        self.driver.observe(exchange)
        self.history.append(reply)

    def reads(self, call: str) -> None:
        self.turn(self.dialect.asks(call))
        self.history.append(self.dialect.answers(call, CONTENT))


@pytest.mark.parametrize("name", list(DIALECTS))
def test_what_is_read_again_after_a_compaction_is_found_in_every_dialect(name: str) -> None:
    dialect = DIALECTS[name]
    client = Client(dialect)
    client.history.append(dialect.user("fix the test"))
    client.reads("c1")
    client.reads("c2")
    client.turn(dialect.said("it is fixed"))
    client.history.append(dialect.user("CRITICAL: Respond with TEXT ONLY. Summarize"))
    client.turn(dialect.said(SUMMARY))
    client.history = [dialect.user(f"This session is being continued from a previous conversation.\n{SUMMARY}")]
    client.reads("c3")
    client.turn(dialect.said("done"))
    run = client.driver.run
    assert [fact.label.value for fact in run.of(CallFact)] == ["acquisition", "repeat_visible", "reacquisition"]
    assert len({fact.call for fact in run.of(CallFact)}) == 3
    [boundary] = run.boundaries
    assert (boundary.level, boundary.dropped_observations) == ("exact", 2)
    assert {turn.thread for turn in run.of(TurnFact)} == {"main"}
    assert run.relations[:4] == ["first", "extends", "extends", "extends"]


@pytest.mark.parametrize("name", list(DIALECTS))
def test_the_model_that_was_asked_is_known(name: str) -> None:
    client = Client(DIALECTS[name])
    client.history.append(client.dialect.user("go"))
    client.turn(client.dialect.said("done"))
    [turn] = client.driver.run.of(TurnFact)
    assert turn.model_asked == (gemini.MODEL if "gemini" in name else chat.MODEL)
