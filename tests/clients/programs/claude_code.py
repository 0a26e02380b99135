"""Runs Claude Code headless: one process per talk, prompts typed one after the other, in a home of its own."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.clients.programs.client import ClientError, Door, Entry
from tests.clients.scenario import Kind, Scenario, Talk

PROMPT_TIMEOUT_S = 90.0
LINE_LIMIT = 64 * 1024 * 1024
FLAGS = (
    *("-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose"),
    "--dangerously-skip-permissions",
)


@dataclass(frozen=True, slots=True)
class ClaudeCode:
    """One installed version."""

    version: str
    program: Path
    large_tokens_per_kib: int
    """Of the provider, so that this version's own prompt is 60,000 to 80,000 tokens."""
    hints: bool = False
    """Asks for the hint headers, which only some versions send."""
    more: Mapping[str, str] = field(default_factory=dict)
    """More variables."""
    kind: Kind = Kind.CLAUDE_CODE
    doors: frozenset[Door] = frozenset({Door.BASE_URL, Door.INTERCEPT})

    @property
    def name(self) -> str:
        """As tables print it."""
        return f"claude-code {self.version}{' +hints' if self.hints else ''}"

    async def run(self, scenario: Scenario, folder: Path, entry: Entry) -> None:
        """Do all talks in `folder`/work.

        Raises:
            ClientError: a process failed, or a prompt was not answered in time.
        """
        environment = self._environment(folder, entry) | dict(scenario.environment)
        session = ""
        for talk in scenario.talks:
            session = await self._talk(talk, folder, environment, session)

    def _environment(self, folder: Path, entry: Entry) -> dict[str, str]:
        hints = {"CLAUDE_CODE_GATEWAY_HINT_HEADERS": "1"} if self.hints else {}
        told = {"ANTHROPIC_BASE_URL": entry.url} if entry.url else {}
        return {
            **entry.environment(folder),
            **told,
            "IS_SANDBOX": "1",
            "ANTHROPIC_API_KEY": "sk-ant-scripted",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            **hints,
            **self.more,
        }

    async def _talk(self, talk: Talk, folder: Path, environment: Mapping[str, str], session: str) -> str:
        process = await asyncio.create_subprocess_exec(
            str(self.program),
            *FLAGS,
            *_taking_up(talk, folder, session),
            cwd=folder / "work",
            env=environment,
            limit=LINE_LIMIT,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        try:
            async with asyncio.timeout(PROMPT_TIMEOUT_S * len(talk.prompts)):
                for prompt in talk.prompts:
                    session = await _type(process, prompt)
                code = await _leave(process)
        except TimeoutError:
            raise ClientError(f"{self.name}: no answer to {talk.prompts} in time") from None
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
        if code != 0:
            raise ClientError(f"{self.name}: exit status {code}")
        return session


async def _leave(process: asyncio.subprocess.Process) -> int:
    assert process.stdin is not None
    process.stdin.close()
    return await process.wait()


def _taking_up(talk: Talk, folder: Path, session: str) -> tuple[str, ...]:
    if talk.rewind_to is not None:
        return ("--resume", session, "--resume-session-at", _answer_id(folder, session, talk.rewind_to))
    return ("--continue",) if talk.continues else ()


def _answer_id(folder: Path, session: str, count: int) -> str:
    """Id of the model's `count`-th answer in the client's own transcript."""
    (transcript,) = (folder / "home" / ".claude" / "projects").glob(f"*/{session}.jsonl")
    entries = [json.loads(line) for line in transcript.read_text(encoding="utf-8").splitlines()]
    answers = [entry["uuid"] for entry in entries if entry.get("type") == "assistant"]
    return str(answers[count - 1])


async def _type(process: asyncio.subprocess.Process, prompt: str) -> str:
    """One prompt to its result; gives the session id."""
    assert process.stdin is not None
    assert process.stdout is not None
    message = {"type": "user", "message": {"role": "user", "content": prompt}}
    process.stdin.write(json.dumps(message).encode() + b"\n")
    await process.stdin.drain()
    last = ""
    while line := (await process.stdout.readline()).decode(errors="replace"):
        event = _event(line)
        if event.get("type") == "result":
            if event.get("is_error"):
                raise ClientError(f"{prompt!r} ended as {str(event.get('result'))[:200]!r}")
            return str(event["session_id"])
        last = line if event == {} else last
    raise ClientError(f"the client left before it answered {prompt!r}: {last.strip()[:200]}")


def _event(line: str) -> dict[str, Any]:
    try:
        event = json.loads(line)
    except ValueError:
        return {}
    return event if isinstance(event, dict) else {}
