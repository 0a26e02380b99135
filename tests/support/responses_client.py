"""A scripted client of the Responses API for journey tests: whole histories or chains, HTTP or calls on a WebSocket."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

import orjson

from proxy.journey import Observed
from proxy.model.exchange import Exchange, Headers, Outcome
from proxy.model.ids import ExchangeId
from tests.support.journey import START_US, Driver
from tests.support.responses import a_call, a_response, a_result, said

Json = dict[str, Any]

TOOLS = ("exec_command", "apply_patch")


def asked(words: str) -> Json:
    """A user message."""
    return {"type": "message", "role": "user", "content": [{"type": "input_text", "text": words}]}


def shell(call: str, command: str) -> Json:
    """A command as Codex asks for it."""
    return a_call("exec_command", call, cmd=command)


def shown(call: str, output: str, *, chunk: str = "400fac") -> Json:
    """A command's output as Codex decorates it: two equal runs differ in the first lines."""
    head = f"Chunk ID: {chunk}\nWall time: 0.0{len(chunk)}00 seconds\nProcess exited with code 0\nOutput:\n"
    return a_result(head + output, call)


class ResponsesClient:
    """Keeps a history of items; `chained` sends what is new and names the reply before."""

    def __init__(self, driver: Driver, session: str = "s1", *, chained: bool = False, socket: bool = False) -> None:
        self.driver = driver
        self.chained = chained
        self.socket = socket
        self.items: list[Json] = [{"type": "message", "role": "developer", "content": "You work in /repo."}]
        self.sent = 0
        self.last = ""
        self.window = 0
        self.headers = {"user-agent": "codex_exec/0.171.0", "session-id": session, "thread-id": session}
        self.clock_us = START_US
        self.number = 0

    def does(self, call: Json, output: str) -> None:
        """One whole tool round."""
        self.turn(call)
        self.items.append(shown(call["call_id"], output, chunk=f"c{self.number}"))

    def turn(self, *output: Json, keep: bool = True, body: Mapping[str, Any] | None = None, **answer: Any) -> Observed:
        """Send the history, or what is new of it; the reply joins it (unless `keep` is off)."""
        self.number += 1
        replied = list(output) or [said("done")]
        document = a_response(*replied, **{"id": f"resp_{self.number}", **answer})
        observed = self.driver.observe(self.exchange(document, body or {}))
        if keep:
            self.items += copy.deepcopy(replied)
            self.sent, self.last = len(self.items), document["id"]
        return observed

    def compact(self) -> None:
        """Codex' remote compaction: a trigger item, an opaque answer, a new window that holds it (wire-formats 5.2)."""
        self.items.append({"type": "compaction_trigger"})
        opaque = {"type": "compaction", "id": "cmp_1", "encrypted_content": f"opaque{self.number}"}
        self.turn(opaque, keep=False)
        texts = [item for item in self.items if item.get("role") in ("developer", "user")]
        self.begin_window([*texts, opaque])

    def begin_window(self, items: list[Json]) -> None:
        """A new context window."""
        self.items, self.sent, self.last, self.window = items, 0, "", self.window + 1

    def exchange(self, document: Json, body: Mapping[str, Any]) -> Exchange:
        """The exchange with the present history."""
        self.clock_us += 2_000_000
        chain = {"previous_response_id": self.last} if self.chained and self.last else {}
        request = {
            "model": document["model"],
            "store": self.chained and not self.socket,
            "input": self.items[self.sent :] if chain else self.items,
            "tools": [{"type": "function", "name": name, "parameters": {}} for name in TOOLS],
            **chain,
            **body,
        }
        headers: Headers = (*self.headers.items(), ("x-codex-window-id", f"w:{self.window}"))
        answer = b"data: %s\n\n" % orjson.dumps({"type": f"response.{document['status']}", "response": document})
        return Exchange(
            id=ExchangeId("w" * 32, 1, self.number) if self.socket else ExchangeId("w" * 32, self.number),
            opened_us=self.clock_us,
            upstream="openai",
            door="base_url",
            tag="",
            method="WEBSOCKET" if self.socket else "POST",
            target="/v1/responses",
            request_headers=headers,
            request_body=orjson.dumps({"type": "response.create", **request} if self.socket else request),
            request_complete=True,
            request_lost=0,
            status=200,
            response_headers=(("content-type", "text/event-stream"),),
            response_body=answer,
            response_complete=True,
            response_lost=0,
            first_byte_us=10_000,
            duration_us=1_000_000,
            outcome=Outcome.COMPLETE,
        )
