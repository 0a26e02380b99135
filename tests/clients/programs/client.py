"""What every client's program is to the harness, and how one process of it is run."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Protocol

from tests.clients.scenario import Kind, Scenario

PROCESS_TIMEOUT_S = 90.0
TOLD_LINES = 4
KEY = "sk-scripted"
PROVIDERS = {
    "anthropic": "api.anthropic.com",
    "openai": "api.openai.com",
    "gemini": "generativelanguage.googleapis.com",
}
"""Where clients go when nobody tells them another base URL."""


class ClientError(Exception):
    """The client did not do what it was made to do; the message holds its last words."""


class Door(StrEnum):
    """How a client's requests reach its provider."""

    BASE_URL = "base URL"
    INTERCEPT = "intercept"
    STRAIGHT = "straight"
    """An HTTPS proxy that is not ours: the client believes it speaks to its provider, and so it does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """What a client is told of its way."""

    door: Door = Door.BASE_URL
    url: str = ""
    """The base URL without a path; empty: the client knows where its provider is."""
    variables: Mapping[str, str] = field(default_factory=dict)
    """Proxy and certificates."""

    def environment(self, folder: Path) -> dict[str, str]:
        """A clean one with a home of its own."""
        return {"PATH": os.environ["PATH"], "HOME": str(folder / "home"), "TERM": "dumb", **self.variables}

    def base_url(self, provider: str, path: str = "") -> str:
        """The provider's address behind this door, in full."""
        return f"{self.url or f'https://{PROVIDERS[provider]}'}{path}"


class Client(Protocol):
    """One installed client and the dialect that it is made to speak."""

    @property
    def kind(self) -> Kind:
        """What it can be made to do."""

    @property
    def version(self) -> str:
        """As it says itself."""

    @property
    def name(self) -> str:
        """As tables print it."""

    @property
    def doors(self) -> frozenset[Door]:
        """Those that it can be led through."""

    @property
    def hints(self) -> bool:
        """Asks for hint headers."""

    @property
    def large_tokens_per_kib(self) -> int:
        """Of the provider, so that the client's own prompt is large."""

    async def run(self, scenario: Scenario, folder: Path, entry: Entry) -> None:
        """Do all talks in `folder`/work. Raises ClientError."""


class CommandLine(Protocol):
    """A client that takes one prompt per process."""

    @property
    def name(self) -> str:
        """As tables print it."""

    def environment(self, scenario: Scenario, folder: Path, entry: Entry) -> dict[str, str]:
        """Variables of its processes; writes its settings files."""

    def command(self, prompt: str, *, continues: bool) -> Sequence[str]:
        """One prompt; `continues` the former process's session."""


async def converse(client: CommandLine, scenario: Scenario, folder: Path, entry: Entry) -> None:
    """All talks, one process per prompt."""
    environment = client.environment(scenario, folder, entry) | dict(scenario.environment)
    for talk in scenario.talks:
        for at, prompt in enumerate(talk.prompts):
            command = client.command(prompt, continues=talk.continues or at > 0)
            await run_process(client.name, command, folder / "work", environment)


async def run_process(
    name: str, command: Sequence[str], folder: Path, environment: Mapping[str, str], *, said: Sequence[str] = ()
) -> str:
    """One process to its end, with what is typed into it line by line; gives what it printed.

    Raises:
        ClientError: it failed, or did not end in time.
    """
    process = await asyncio.create_subprocess_exec(
        *command,
        cwd=folder,
        env=environment,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        start_new_session=True,
    )
    try:
        async with asyncio.timeout(PROCESS_TIMEOUT_S):
            printed, _ = await process.communicate("".join(f"{line}\n" for line in said).encode())
    except TimeoutError:
        raise ClientError(f"{name}: no end within {PROCESS_TIMEOUT_S:.0f} s") from None
    finally:
        # Whatever it started and left behind belongs to its group.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        await process.wait()
    text = printed.decode(errors="replace")
    if process.returncode != 0:
        last = " / ".join(text.strip().splitlines()[-TOLD_LINES:])
        raise ClientError(f"{name}: exit status {process.returncode}: {last[-400:]}")
    return text
