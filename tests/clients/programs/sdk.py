"""An agent of ten lines on the official `anthropic` SDK, with the four tools of the re-read protocol."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anthropic

from tests.clients.programs.client import Door, Entry
from tests.clients.scenario import Kind, Scenario
from tests.support.scripted import S0_TOOLS


@dataclass(frozen=True, slots=True)
class Sdk:
    """The SDK, streamed or not."""

    streamed: bool
    version: str = anthropic.__version__
    kind: Kind = Kind.SDK
    large_tokens_per_kib: int = 256
    hints: bool = False
    doors: frozenset[Door] = frozenset({Door.BASE_URL})

    @property
    def name(self) -> str:
        """As tables print it."""
        return f"anthropic-sdk {self.version} {'streamed' if self.streamed else 'whole'}"

    async def run(self, scenario: Scenario, folder: Path, entry: Entry) -> None:
        """Do all talks; each is a session of its own name."""
        for number, talk in enumerate(scenario.talks):
            # The SDK has no session of its own; the header is ours and never reaches the provider.
            headers = {"x-compaction-session": f"{self.name} {scenario.name} {number}"}
            async with anthropic.AsyncAnthropic(
                base_url=entry.url, api_key="sk-ant-scripted", max_retries=4, default_headers=headers
            ) as client:
                history: list[Any] = []
                for prompt in talk.prompts:
                    history.append({"role": "user", "content": prompt})
                    await self._converse(client, history, folder / "work", scenario.extra_body)

    async def _converse(
        self, client: anthropic.AsyncAnthropic, history: list[Any], folder: Path, extra_body: Mapping[str, Any]
    ) -> None:
        while True:
            content = await self._turn(client, history, extra_body)
            history.append({"role": "assistant", "content": content})
            calls = [block for block in content if block["type"] == "tool_use"]
            if not calls:
                return
            results = [{"type": "tool_result", "tool_use_id": c["id"], "content": _run(c, folder)} for c in calls]
            history.append({"role": "user", "content": results})

    async def _turn(
        self, client: anthropic.AsyncAnthropic, history: list[Any], extra_body: Mapping[str, Any]
    ) -> list[dict[str, Any]]:
        asked: dict[str, Any] = {
            "model": "claude-opus-4-8",
            "max_tokens": 1000,
            "tools": S0_TOOLS,
            "messages": history,
            "cache_control": {"type": "ephemeral"},
            "extra_body": dict(extra_body),
        }
        if not self.streamed:
            message = await client.beta.messages.create(**asked)
        else:
            async with client.beta.messages.stream(**asked) as stream:
                message = await stream.get_final_message()
        return [block.model_dump(exclude_none=True) for block in message.content]


def _run(call: Mapping[str, Any], folder: Path) -> str:
    arguments = call["input"]
    match call["name"]:
        case "read_file":
            rows = (folder / arguments["path"]).read_text(encoding="utf-8").splitlines(keepends=True)
            return "".join(rows[arguments.get("start_line", 1) - 1 : arguments.get("end_line", len(rows))])
        case "write_file":
            (folder / arguments["path"]).write_text(arguments["content"], encoding="utf-8")
            return "written"
        case _:
            return "ok"
