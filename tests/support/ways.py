"""Scripted clients that send one and the same conversation in different ways: chained, over a WebSocket, nameless."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import orjson

from proxy.model.exchange import Exchange, Headers
from proxy.model.ids import ExchangeId
from tests.support.journey import Client, Driver, Json, usage
from tests.support.oracle_story import Story
from tests.support.responses import a_response, a_usage


class _Held(NamedTuple):
    """A history that the provider holds."""

    reply: str
    messages: list[Json]


class Whole(Client):
    """Repeats its whole history; every reply has an id that no other client's reply has."""

    def __init__(self, driver: Driver, **identity: str) -> None:
        super().__init__(driver, **identity)
        self.replies = 0

    def exchange(self, reply: Sequence[Json], **more: Any) -> Exchange:
        """The exchange with the present history."""
        self.replies += 1
        named = {"id": f"msg_{self.writer[:3]}_{self.replies}", **(more.pop("answer", None) or {})}
        used = more.pop("used", None) or usage(uncached=100 * len(self.messages), output=10)
        return self._sent(reply, named, used, more)

    def _sent(self, reply: Sequence[Json], named: Json, used: Json, more: Json) -> Exchange:
        return super().exchange(reply, answer=named, used=used, **more)


class Nameless(Whole):
    """Says nothing of its session."""

    def __init__(self, driver: Driver, **identity: str) -> None:
        super().__init__(driver, **identity)
        self.headers = {"user-agent": self.headers["user-agent"]}


class Undated(Nameless):
    """Says nothing of its session, and tells the model another time at each turn."""

    def _sent(self, reply: Sequence[Json], named: Json, used: Json, more: Json) -> Exchange:
        self.system = [self.system[0], {"type": "text", "text": f"It is {self.replies} o'clock."}]
        return super()._sent(reply, named, used, more)


class Trimming(Nameless):
    """Says nothing of its session, and puts the replies into its history in a form of its own."""

    def _sent(self, reply: Sequence[Json], named: Json, used: Json, more: Json) -> Exchange:
        said = [block | {"text": f"\n{block['text']} \n"} if block["type"] == "text" else block for block in reply]
        thinking: Json = {"type": "thinking", "thinking": "hm", "signature": "s"}
        return super()._sent([thinking, *said, {"type": "text", "text": ""}], named, used, more)


class Chained(Whole):
    """Names the longest history that the provider holds, and sends what follows it (wire-formats 1.2)."""

    def __init__(self, driver: Driver, **identity: str) -> None:
        super().__init__(driver, **identity)
        self.held: list[_Held] = []

    def _sent(self, reply: Sequence[Json], named: Json, used: Json, more: Json) -> Exchange:
        whole, known = self.messages, self._known()
        thread = {"type": "continue", "previous_message_id": known.reply} if known.reply else {"type": "create"}
        self.messages = whole[len(known.messages) :]
        made = super()._sent(reply, named, used, more | {"body": {"thread": thread}})
        self.messages = whole
        self._keep(named["id"], reply, more)
        return made

    def _known(self) -> _Held:
        found = [held for held in self.held if self.messages[: len(held.messages)] == held.messages]
        return max(found, key=lambda held: len(held.messages), default=_Held("", []))

    def _keep(self, reply_id: str, reply: Sequence[Json], more: Json) -> None:
        if more.get("status", 200) == 200:
            message = {"role": "assistant", "content": list(reply)}
            self.held.append(_Held(reply_id, copy.deepcopy([*self.messages, message])))


class Responding(Chained):
    """The same on the Responses API."""

    chains = False
    socket = False
    warms = False

    def _sent(self, reply: Sequence[Json], named: Json, used: Json, more: Json) -> Exchange:
        known = self._known() if self.chains else _Held("", [])
        if self.warms and self.replies % 2:
            known = self._warmed(named["id"], known)
        answer = a_response(*_items("assistant", reply), id=named["id"], usage=_usage(used))
        made = self._posted(answer, known, more.get("status", 200), orjson.dumps(named) if "error" in named else b"")
        self._keep(named["id"], reply, more)
        return made

    def _warmed(self, reply_id: str, known: _Held) -> _Held:
        answer = a_response(id=f"warm_{reply_id}", usage=a_usage(900, 0))
        self.driver.observe(self._posted(answer, known, 200, b"", generate=False))
        return _Held(f"warm_{reply_id}", self.messages)

    def _posted(self, answer: Json, known: _Held, status: int, error: bytes, **more: object) -> Exchange:
        base = super(Chained, self)._sent([], {"id": "unused"}, usage(), {})
        chain = {"previous_response_id": known.reply} if known.reply else {}
        messages = self.messages[len(known.messages) :]
        body = {
            "type": "response.create",
            "model": answer["model"],
            "store": not self.socket,
            "instructions": self.system[0]["text"],
            "input": [item for message in messages for item in _items(message["role"], message["content"])],
            "tools": [{"type": "function", "name": name, "parameters": {}} for name in self.tools],
            **chain,
            **more,
        }
        streamed: Headers = (("content-type", "text/event-stream"),)
        done = b"data: %s\n\n" % orjson.dumps({"type": "response.completed", "response": answer})
        number = base.id.number
        return replace(
            base,
            id=ExchangeId(self.writer, 1, number) if self.socket else base.id,
            upstream="openai",
            method="WEBSOCKET" if self.socket else "POST",
            target="/v1/responses",
            request_body=orjson.dumps(body),
            status=status,
            response_headers=streamed if status == 200 else base.response_headers,
            response_body=done if status == 200 else error,
        )


class Linked(Responding):
    """Chains by `previous_response_id` over HTTP."""

    chains = True


class Socketed(Linked):
    """Chains on a WebSocket."""

    socket = True


class Warmed(Socketed):
    """Chains on a WebSocket and warms the cache before every other call, which then brings nothing itself."""

    warms = True


def _usage(used: Mapping[str, int]) -> Json:
    return a_usage(used["input_tokens"], used["output_tokens"])


def _items(role: str, content: Sequence[Json]) -> Iterator[Json]:
    """A message's blocks as items."""
    for block in content:
        match block["type"]:
            case "text":
                kind = "output_text" if role == "assistant" else "input_text"
                yield {"type": "message", "role": role, "content": [{"type": kind, "text": block["text"]}]}
            case "tool_use":
                arguments = orjson.dumps(block["input"]).decode()
                named = {"call_id": block["id"], "name": block["name"]}
                yield {"type": "function_call", "id": f"fc_{block['id']}", "arguments": arguments, **named}
            case "tool_result":
                yield {"type": "function_call_output", "call_id": block["tool_use_id"], "output": block["content"]}
            case "compaction":
                yield {"type": "compaction", "encrypted_content": block["content"]}


class Told(Story):
    """A story of nothing but what every way carries.

    Files are attached as plain user texts (a chain does not remember reminders and messages of role `system`), and
    something that only this conversation has stands in every history that is not the first.
    """

    way: type[Client] = Whole

    def __init__(self, driver: Driver, agent: str = "") -> None:
        super().__init__(driver, agent)
        self.client = self.way(driver, agent=agent, writer=self.client.writer)

    def retry(self) -> None:
        """A reply that came whole never reached the history."""
        if self._has_call(self.items):
            super().retry()

    def rewind(self, back: int) -> None:
        """The user goes back, but not to before the first call."""
        if self._has_call(self.items[: max(0, len(self.items) - back - 4)]):
            super().rewind(back)

    def slide(self) -> None:
        """The oldest exchange of tools leaves the history; another one stays."""
        if sum(item.asks for item in self.items) > 1:
            super().slide()

    def compact(self, kept: int, attached: Sequence[tuple[str, str]], how: str) -> None:
        """The client replaces the history by a summary that was seen to be written."""
        is_auto = how != "seen" and sum(item.asks for item in self.items) > 1
        super().compact(kept, attached, "auto" if is_auto else "seen")

    def _has_call(self, items: Sequence[Any]) -> bool:
        return any(item.asks for item in items)

    def _attach(self, name: str, form: str) -> None:
        self._text("Here it is once more:\n" + "\n".join(self.files[name]), tuple(self.files[name]))
