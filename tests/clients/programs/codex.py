"""Codex, headless: a provider of its own over HTTP, or the built-in one, which opens a WebSocket."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from tests.clients.programs.client import KEY, Door, Entry, converse
from tests.clients.scenario import Kind, Scenario

COMPACT_AT_TOKENS = 16_000
SETTINGS = """model = "gpt-5.4"
approval_policy = "never"
sandbox_mode = "danger-full-access"
check_for_update_on_startup = false
"""
OWN_PROVIDER = """model_provider = "scripted"
[model_providers.scripted]
name = "scripted"
base_url = "{url}"
wire_api = "responses"
env_key = "CODEX_API_KEY"
"""


class Transport(StrEnum):
    """How it reaches its provider."""

    HTTP = "HTTP"
    """A provider of the user's own: no WebSocket, and compactions by a summary in plain text."""
    WEBSOCKET = "WebSocket"
    """The built-in provider: chains on an open socket, compactions by the provider."""


@dataclass(frozen=True, slots=True)
class Codex:
    """One installed version by one transport."""

    version: str
    program: Path
    transport: Transport
    kind: Kind = Kind.CODEX
    large_tokens_per_kib: int = 256
    hints: bool = False

    @property
    def name(self) -> str:
        """As tables print it."""
        return f"codex {self.version} {self.transport}"

    @property
    def doors(self) -> frozenset[Door]:
        """A provider of the user's own is a base URL by definition."""
        return frozenset({Door.BASE_URL, *([Door.INTERCEPT] if self.transport is Transport.WEBSOCKET else [])})

    async def run(self, scenario: Scenario, folder: Path, entry: Entry) -> None:
        """Do all talks."""
        await converse(self, scenario, folder, entry)

    def environment(self, scenario: Scenario, folder: Path, entry: Entry) -> dict[str, str]:
        """Settings in a home of its own."""
        home = folder / "home" / ".codex"
        home.mkdir(parents=True, exist_ok=True)
        (home / "config.toml").write_text(self._settings(scenario, entry), encoding="utf-8")
        return entry.environment(folder) | {"CODEX_HOME": str(home), "CODEX_API_KEY": KEY}

    def _settings(self, scenario: Scenario, entry: Entry) -> str:
        lines = SETTINGS
        if scenario.compacts:
            lines += f"model_auto_compact_token_limit = {COMPACT_AT_TOKENS}\n"
        if self.transport is Transport.HTTP:
            return lines + OWN_PROVIDER.format(url=entry.base_url("openai", "/v1"))
        return f'openai_base_url = "{entry.url}/v1"\n{lines}' if entry.url else lines

    def command(self, prompt: str, *, continues: bool) -> Sequence[str]:
        """One prompt."""
        start = (str(self.program), "exec", "--skip-git-repo-check")
        return (*start, "resume", "--last", prompt) if continues else (*start, prompt)
