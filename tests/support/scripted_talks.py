"""Plain clients of a scripted provider, one per dialect: they keep a history, run every tool, and read bills by hand.

They share nothing with the product: what a reply says is read here with subscripts and additions.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from proxy.scripted.faces.chat.face import Chat
from proxy.scripted.faces.face import Face
from proxy.scripted.faces.gemini.face import Gemini
from proxy.scripted.faces.responses.face import Responses
from proxy.scripted.provider import Provider

Json = dict[str, Any]
Run = Callable[[str, Mapping[str, Any]], str]
SCHEMA = {"type": "object"}
TOOL_NAMES = ("search_files", "read_file", "write_file", "run_check")
MODEL = "scripted-1"


class Bill(NamedTuple):
    """What one reply says it cost."""

    uncached: int
    read: int
    written: int
    output: int
    """Thinking included."""


class Call(NamedTuple):
    """A tool call as a client sees it."""

    id: str
    name: str
    arguments: Mapping[str, Any]


@dataclass
class Talk(ABC):
    """A client in the middle of a conversation."""

    provider: Provider
    run: Run
    system: str = "Be careful."
    fields: Json = field(default_factory=dict)
    history: list[Json] = field(default_factory=list)
    bills: list[Bill] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)

    def ask(self, prompt: str) -> str:
        """Converse until the model has nothing more to run; gives its last text."""
        self.say(prompt)
        for _ in range(50):
            text, calls = self.read(self.post())
            self.calls += calls
            if not calls:
                return text
            for call in calls:
                self.answer(call, self.run(call.name, call.arguments))
        raise AssertionError("the script does not end")

    def post(self) -> Json:
        """One model call; its bill is noted."""
        body = json.dumps({**self.request(), **self.fields}).encode()
        answer = self.provider.answer({"authorization": "Bearer key"}, body, self.face())
        assert answer.status == 200, answer.pieces
        document: Json = json.loads(b"".join(answer.pieces))
        self.bills.append(self.bill(document))
        return document

    @abstractmethod
    def face(self) -> Face | None: ...
    @abstractmethod
    def request(self) -> Json: ...
    @abstractmethod
    def bill(self, document: Json) -> Bill: ...
    @abstractmethod
    def say(self, prompt: str) -> None: ...
    @abstractmethod
    def answer(self, call: Call, text: str) -> None: ...
    @abstractmethod
    def read(self, document: Json) -> tuple[str, list[Call]]:
        """The last text and the calls; the reply joins the history."""


class MessagesTalk(Talk):
    """Anthropic Messages, with automatic caching: the other dialects know no other."""

    def face(self) -> None:
        return None

    def request(self) -> Json:
        tools = [{"name": name, "input_schema": SCHEMA} for name in TOOL_NAMES]
        cached = {"cache_control": {"type": "ephemeral"}, "max_tokens": 100}
        return {"model": MODEL, "system": self.system, "tools": tools, "messages": self.history, **cached}

    def bill(self, document: Json) -> Bill:
        usage = document["usage"]
        written = usage["cache_creation_input_tokens"]
        return Bill(usage["input_tokens"], usage["cache_read_input_tokens"], written, usage["output_tokens"])

    def say(self, prompt: str) -> None:
        self.history.append({"role": "user", "content": prompt})

    def answer(self, call: Call, text: str) -> None:
        block = {"type": "tool_result", "tool_use_id": call.id, "content": text}
        if self.history[-1]["role"] == "user":
            self.history[-1]["content"].append(block)
        else:
            self.history.append({"role": "user", "content": [block]})

    def read(self, document: Json) -> tuple[str, list[Call]]:
        blocks = document["content"]
        self.history.append({"role": "assistant", "content": blocks})
        texts = [block["text"] for block in blocks if block["type"] == "text"]
        calls = [Call(b["id"], b["name"], b["input"]) for b in blocks if b["type"] == "tool_use"]
        return "".join(texts[-1:]), calls


class ResponsesTalk(Talk):
    """OpenAI Responses, the whole history each time."""

    def face(self) -> Responses:
        return Responses(self.provider.memory)

    def request(self) -> Json:
        tools = [{"type": "function", "name": name, "parameters": SCHEMA} for name in TOOL_NAMES]
        include = ["reasoning.encrypted_content"]
        head = {"model": MODEL, "instructions": self.system, "tools": tools, "include": include}
        return {**head, "store": False, "input": self.history}

    def bill(self, document: Json) -> Bill:
        usage = document["usage"]
        details = usage["input_tokens_details"]
        read, written = details["cached_tokens"], details["cache_write_tokens"]
        assert written == sum(details["cache_write_tokens_details"].values())
        assert usage["total_tokens"] == usage["input_tokens"] + usage["output_tokens"]
        return Bill(usage["input_tokens"] - read - written, read, written, usage["output_tokens"])

    def say(self, prompt: str) -> None:
        self.history.append({"role": "user", "content": prompt})

    def answer(self, call: Call, text: str) -> None:
        self.history.append({"type": "function_call_output", "call_id": call.id, "output": text})

    def read(self, document: Json) -> tuple[str, list[Call]]:
        items = document["output"]
        self.history += items
        texts = [item["content"][0]["text"] for item in items if item["type"] == "message"]
        calls = [
            Call(item["call_id"], item["name"], json.loads(item["arguments"]))
            for item in items
            if item["type"] == "function_call"
        ]
        return "".join(texts[-1:]), calls


class ChainedTalk(ResponsesTalk):
    """OpenAI Responses, only what is new each time."""

    previous: str | None = None

    def request(self) -> Json:
        return {**super().request(), "store": True, "previous_response_id": self.previous}

    def read(self, document: Json) -> tuple[str, list[Call]]:
        found = super().read(document)
        self.history.clear()
        self.previous = document["id"]
        return found


class ChatTalk(Talk):
    """Chat Completions."""

    def face(self) -> Chat:
        return Chat(self.provider.settings.chat_server)

    def request(self) -> Json:
        tools = [{"type": "function", "function": {"name": name, "parameters": SCHEMA}} for name in TOOL_NAMES]
        system = {"role": "system", "content": self.system}
        return {"model": MODEL, "tools": tools, "messages": [system, *self.history]}

    def bill(self, document: Json) -> Bill:
        usage = document["usage"]
        details = usage["prompt_tokens_details"]
        read, written = details["cached_tokens"], details["cache_write_tokens"]
        return Bill(usage["prompt_tokens"] - read - written, read, written, usage["completion_tokens"])

    def say(self, prompt: str) -> None:
        self.history.append({"role": "user", "content": prompt})

    def answer(self, call: Call, text: str) -> None:
        self.history.append({"role": "tool", "tool_call_id": call.id, "content": text})

    def read(self, document: Json) -> tuple[str, list[Call]]:
        message = document["choices"][0]["message"]
        self.history.append({name: value for name, value in message.items() if value is not None})
        functions = [(call["id"], call["function"]) for call in message.get("tool_calls", ())]
        calls = [Call(call_id, each["name"], json.loads(each["arguments"])) for call_id, each in functions]
        return message["content"] or "", calls


class GeminiTalk(Talk):
    """Gemini, which tells of the cache only what was read."""

    def face(self) -> Gemini:
        return Gemini(MODEL)

    def request(self) -> Json:
        tools = [{"functionDeclarations": [{"name": n, "parametersJsonSchema": SCHEMA} for n in TOOL_NAMES]}]
        return {"systemInstruction": {"parts": [{"text": self.system}]}, "tools": tools, "contents": self.history}

    def bill(self, document: Json) -> Bill:
        usage = document["usageMetadata"]
        read = usage.get("cachedContentTokenCount", 0)
        output = usage["candidatesTokenCount"] + usage.get("thoughtsTokenCount", 0)
        assert usage["totalTokenCount"] == usage["promptTokenCount"] + output
        return Bill(usage["promptTokenCount"] - read, read, 0, output)

    def say(self, prompt: str) -> None:
        self.history.append({"role": "user", "parts": [{"text": prompt}]})

    def answer(self, call: Call, text: str) -> None:
        part = {"functionResponse": {"id": call.id, "name": call.name, "response": {"output": text}}}
        if self.history[-1]["role"] == "user":
            self.history[-1]["parts"].append(part)
        else:
            self.history.append({"role": "user", "parts": [part]})

    def read(self, document: Json) -> tuple[str, list[Call]]:
        content = document["candidates"][0]["content"]
        self.history.append(content)
        texts = [part["text"] for part in content["parts"] if "text" in part and not part.get("thought")]
        found = [part["functionCall"] for part in content["parts"] if "functionCall" in part]
        return "".join(texts[-1:]), [Call(each["id"], each["name"], each["args"]) for each in found]


TALKS: tuple[type[Talk], ...] = (MessagesTalk, ResponsesTalk, ChainedTalk, ChatTalk, GeminiTalk)
