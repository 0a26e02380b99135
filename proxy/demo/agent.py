"""A small agent: asks the model, runs its tools, and compacts its own context when it grows over a limit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

import aiohttp

from proxy.demo.tools import DEFINITIONS, Toolbox
from proxy.model.errors import UnreachableError

VERSION = "1"
ASK_FOR_SUMMARY = (
    "Your task is to create a detailed summary of the conversation so far, so that you can go on from it alone: "
    "the goal, what was found, what was decided, what comes next."
)
CARRY_ON = "This is a summary of the work so far; the conversation it stands for is gone.\n\n"
MOST_TURNS = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """When the agent compacts."""

    context_tokens: int
    """Compacts before the next request once an answer reported a context larger than this."""


@dataclass(slots=True)
class Agent:
    """One conversation. Used as an async context manager, which holds its connection."""

    base_url: str
    session: str
    model: str
    system: str
    tools: Toolbox
    limits: Limits
    messages: list[dict[str, Any]] = field(default_factory=list)
    compactions: int = 0
    turns: int = 0
    _context_tokens: int = 0
    _client: aiohttp.ClientSession | None = None

    async def __aenter__(self) -> Self:
        """Open the connection."""
        self._client = aiohttp.ClientSession(
            headers={
                "user-agent": f"compaction-gate-demo/{VERSION}",
                "x-api-key": "demo",
                "anthropic-version": "2023-06-01",
                "x-compaction-session": self.session,
            }
        )
        return self

    async def __aexit__(self, *_: object) -> None:
        """Close the connection."""
        assert self._client is not None
        await self._client.close()

    async def work(self, prompt: str) -> str:
        """Work until the model has nothing more to run; gives its last words.

        Raises:
            UnreachableError: the model does not answer, or answers with an error.
        """
        self._say("user", [{"type": "text", "text": prompt}])
        for _ in range(MOST_TURNS):
            content = await self._turn()
            calls = [block for block in content if block["type"] == "tool_use"]
            if not calls:
                return "".join(block["text"] for block in content if block["type"] == "text")
            self._say("user", [self._result(call) for call in calls])
            if self._context_tokens > self.limits.context_tokens:
                await self._compact()
        raise UnreachableError(f"{self.base_url}: the model did not end after {MOST_TURNS} turns")

    async def _turn(self) -> list[dict[str, Any]]:
        answer = await self._ask(self.messages)
        self.turns += 1
        usage = answer["usage"]
        self._context_tokens = sum(
            usage[name] for name in ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
        )
        content: list[dict[str, Any]] = answer["content"]
        self._say("assistant", content)
        return content

    async def _compact(self) -> None:
        """Replace the history by a summary of it; the newest call and its result stay as they are."""
        *_, asked, answered = self.messages
        request = {"role": "user", "content": [*answered["content"], {"type": "text", "text": ASK_FOR_SUMMARY}]}
        answer = await self._ask([*self.messages[:-1], request])
        self.turns += 1
        summary = "".join(block["text"] for block in answer["content"] if block["type"] == "text")
        self.messages = [{"role": "user", "content": [{"type": "text", "text": CARRY_ON + summary}]}, asked, answered]
        self.compactions += 1

    async def _ask(self, messages: list[dict[str, Any]]) -> dict[str, Any]:
        assert self._client is not None, "the agent is used as a context manager"
        body = {
            "model": self.model,
            "max_tokens": 4096,
            "system": [{"type": "text", "text": self.system, "cache_control": {"type": "ephemeral"}}],
            "tools": DEFINITIONS,
            "messages": messages,
            "cache_control": {"type": "ephemeral"},
        }
        try:
            async with self._client.post(f"{self.base_url}/v1/messages", json=body) as response:
                answer: dict[str, Any] = await response.json()
        except aiohttp.ClientError as failure:
            raise UnreachableError(f"{self.base_url}: {failure}") from None
        if response.status != 200:
            raise UnreachableError(f"{self.base_url}: status {response.status}: {answer.get('error')}")
        return answer

    def _say(self, role: str, content: list[dict[str, Any]]) -> None:
        self.messages.append({"role": role, "content": content})

    def _result(self, call: Mapping[str, Any]) -> dict[str, Any]:
        text, is_error = self.tools.run(call["name"], call["input"])
        result = {"type": "tool_result", "tool_use_id": call["id"], "content": text}
        return {**result, "is_error": True} if is_error else result
