"""A scripted Anthropic client for journey tests: it keeps a history as clients do and gives exchanges."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import orjson

from config import tool_rules
from proxy.journey import Journey, Observed, Ports
from proxy.ledger.ledger import Instruments
from proxy.ledger.tools import ToolRules
from proxy.model.exchange import Exchange, Headers, Outcome
from proxy.model.facts import BoundaryFact, CallFact, Fact, SessionKeyFact, TurnFact
from proxy.model.ids import ExchangeId, SessionId
from proxy.model.usage import Iteration, Price
from proxy.sessions.signs import Find

Json = dict[str, Any]

START_US = 1_760_000_000_000_000
TOOLS = ("Read", "Edit", "Write", "Bash", "Agent", "Grep")
PICO_PER_TOKEN = {"uncached": 3_000_000, "read": 300_000, "write": 3_750_000, "output": 15_000_000}


def words(text: str) -> int:
    """A reference tokenizer that a reader can do in the head: white-space separated words."""
    return len(text.split())


def price(iteration: Iteration, at_us: int) -> Price:
    """Round prices, the same at all times."""
    del at_us
    usage = iteration.usage
    total = (
        usage.uncached * PICO_PER_TOKEN["uncached"]
        + usage.cache_read * PICO_PER_TOKEN["read"]
        + usage.cache_write * PICO_PER_TOKEN["write"]
        + usage.output * PICO_PER_TOKEN["output"]
    )
    return Price(pico_usd=total, table="test")


@cache
def shipped_rules() -> ToolRules:
    """The tool rules as they are shipped."""
    return ToolRules(tool_rules.load())


def a_journey(source: str = "live", find: Find = lambda signs: {}) -> Journey:
    """The real line with round prices and a countable tokenizer."""
    instruments = Instruments(tools=shipped_rules(), count=words, redact=lambda text: text)
    return Journey(Ports(instruments=instruments, price=price, source=source, find=find))


def usage(read: int = 0, write: int = 0, uncached: int = 0, output: int = 0) -> Json:
    """A provider's usage object."""
    return {
        "input_tokens": uncached,
        "output_tokens": output,
        "cache_read_input_tokens": read,
        "cache_creation_input_tokens": write,
    }


def call(call_id: str, tool: str, **arguments: object) -> Json:
    """A tool_use block."""
    return {"type": "tool_use", "id": call_id, "name": tool, "input": arguments}


def read(call_id: str, path: str, **span: int) -> Json:
    """A Read call."""
    return call(call_id, "Read", file_path=path, **span)


def bash(call_id: str, command: str) -> Json:
    """A Bash call."""
    return call(call_id, "Bash", command=command)


def result(call_id: str, content: object, *, is_error: bool = False) -> Json:
    """A tool_result block."""
    block = {"type": "tool_result", "tool_use_id": call_id, "content": content}
    return {**block, "is_error": True} if is_error else block


def text(words_: str) -> Json:
    """A text block."""
    return {"type": "text", "text": words_}


def numbered(lines: Sequence[str], start: int = 1) -> str:
    """Lines as Claude Code's Read shows them."""
    return "\n".join(f"{start + i}\t{line}" for i, line in enumerate(lines))


def a_file(name: str, count: int = 12) -> list[str]:
    """The lines of a file that no other file shares."""
    return [f"{name} holds the line number {i} of its own" for i in range(1, count + 1)]


@dataclass
class Run:
    """Everything a journey said, newest fact of each key."""

    facts: dict[tuple[str, tuple[object, ...]], Fact] = field(default_factory=dict)

    def take(self, facts: Sequence[Fact]) -> None:
        """Keep the facts; a later one replaces an earlier one of the same key."""
        for fact in facts:
            key = tuple(getattr(fact, name) for name in fact.KEY)
            self.facts[type(fact).__name__, key] = fact

    def of[F](self, kind: type[F]) -> list[F]:
        """All facts of a class in the order first said."""
        return [fact for fact in self.facts.values() if isinstance(fact, kind)]

    def labels(self) -> dict[str, str]:
        """Call id to class."""
        return {fact.call: fact.label.value for fact in self.of(CallFact)}

    def call(self, call_id: str) -> CallFact:
        """One call's fact."""
        return next(fact for fact in self.of(CallFact) if fact.call == call_id)

    def sessions_of(self, signs: Sequence[str]) -> dict[str, SessionId]:
        """What the store answers the journey."""
        found = (self.facts.get((SessionKeyFact.__name__, (sign,))) for sign in signs)
        return {fact.sign: fact.session for fact in found if isinstance(fact, SessionKeyFact)}

    @property
    def boundaries(self) -> list[BoundaryFact]:
        """All boundaries."""
        return self.of(BoundaryFact)

    @property
    def relations(self) -> list[str]:
        """How each turn's history went on."""
        return [fact.relation for fact in self.of(TurnFact)]


class Driver:
    """Runs exchanges through a journey as the observer does, with the state kept as bytes between any two."""

    def __init__(self, journey: Journey | None = None) -> None:
        self.run = Run()
        self.parts: dict[SessionId, dict[str, bytes]] = {}
        self.journey = journey or self._fresh()

    def restart(self) -> None:
        """Go on with a journey that remembers nothing."""
        self.journey = self._fresh()

    def _fresh(self) -> Journey:
        return a_journey(find=self.run.sessions_of)

    def observe(self, exchange: Exchange) -> Observed:
        """One exchange; the state is loaded from its bytes each time."""
        session = self.journey.session_of(exchange)
        stored = self.parts.setdefault(session, {}) if session else {}
        state = self.journey.load(session, stored) if session else None
        observed = self.journey.observe(exchange, state)
        stored.update(observed.parts)
        self.run.take(observed.facts)
        return observed


class Client:
    """An agent on the Messages API: sends its whole history, takes the scripted reply into it."""

    def __init__(self, driver: Driver, session: str = "s1", *, agent: str = "", writer: str = "w" * 32) -> None:
        self.driver = driver
        self.messages: list[Json] = []
        self.system: list[Json] = [text("You work in a folder.\nWorking directory: /repo")]
        self.tools = list(TOOLS)
        self.headers: dict[str, str] = {
            "user-agent": "claude-cli/2.1.332 (external, sdk-cli)",
            "x-claude-code-session-id": session,
        }
        if agent:
            self.headers["x-claude-code-agent-id"] = agent
        self.writer = writer
        self.clock_us = START_US

    def user(self, *blocks: Json) -> None:
        """Add a user message."""
        self.messages.append({"role": "user", "content": list(blocks)})

    def turn(self, *reply: Json, stop: str = "", keep: bool = True, **more: Any) -> Observed:
        """Send the history; the reply joins it (unless `keep` is off)."""
        blocks = list(reply) or [text("done")]
        stop = stop or ("tool_use" if any(block["type"] == "tool_use" for block in blocks) else "end_turn")
        observed = self.driver.observe(self.exchange(blocks, stop=stop, **more))
        if keep:
            self.messages.append({"role": "assistant", "content": blocks})
        return observed

    def asks(self, *calls: Json, **more: Any) -> Observed:
        """A turn whose reply asks for tools."""
        return self.turn(*calls, **more)

    def answers(self, *results: Json) -> None:
        """Add a user message with tool results."""
        self.user(*results)

    def does(self, asked: Json, content: object, *, is_error: bool = False) -> None:
        """One whole tool round: a turn that asks, and its answer in the history."""
        self.asks(asked)
        self.answers(result(asked["id"], content, is_error=is_error))

    def body(self, **more: Any) -> Json:
        """The request body as it would be sent now."""
        return {
            "model": "claude-sonnet-5-5",
            "max_tokens": 1000,
            "system": copy.deepcopy(self.system),
            "tools": [{"name": name, "input_schema": {"type": "object"}} for name in self.tools],
            "messages": copy.deepcopy(self.messages),
            **more,
        }

    def exchange(
        self,
        reply: Sequence[Json],
        *,
        stop: str = "end_turn",
        status: int = 200,
        headers: Mapping[str, str] | None = None,
        body: Mapping[str, Any] | None = None,
        answer: Mapping[str, Any] | None = None,
        used: Json | None = None,
    ) -> Exchange:
        """An exchange with the present history and the given reply."""
        self.clock_us += 2_000_000
        number = (self.clock_us - START_US) // 2_000_000
        document = {
            "id": f"msg_{number}",
            "type": "message",
            "role": "assistant",
            "model": "claude-sonnet-5-5",
            "content": list(reply),
            "stop_reason": stop,
            "usage": used or usage(uncached=100 * len(self.messages), output=10),
            **(answer or {}),
        }
        sent: Headers = tuple({**self.headers, **(headers or {})}.items())
        return Exchange(
            id=ExchangeId(self.writer, number),
            opened_us=self.clock_us,
            upstream="anthropic",
            door="base_url",
            tag="",
            method="POST",
            target="/v1/messages?beta=true",
            request_headers=sent,
            request_body=orjson.dumps(self.body(**(body or {}))),
            request_complete=True,
            request_lost=0,
            status=status,
            response_headers=(("content-type", "application/json"),),
            response_body=orjson.dumps(document),
            response_complete=True,
            response_lost=0,
            first_byte_us=10_000,
            duration_us=1_000_000,
            outcome=Outcome.COMPLETE,
        )
