"""Gemini CLI, headless, with an API key."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.clients.programs.client import KEY, Door, Entry, converse
from tests.clients.scenario import Kind, Scenario
from tests.clients.snippets import settings_file

MODEL = "gemini-2.5-pro"
"""Named outright: without, a small model is asked first which one to take."""
COMPACT_AT_SHARE = 0.015
"""Of the model's window of 1,048,576 tokens."""


@dataclass(frozen=True, slots=True)
class GeminiCli:
    """One installed version."""

    version: str
    program: Path
    kind: Kind = Kind.GEMINI_CLI
    large_tokens_per_kib: int = 256
    hints: bool = False
    doors: frozenset[Door] = frozenset({Door.BASE_URL, Door.INTERCEPT})

    @property
    def name(self) -> str:
        """As tables print it."""
        return f"gemini-cli {self.version}"

    async def run(self, scenario: Scenario, folder: Path, entry: Entry) -> None:
        """Do all talks."""
        await converse(self, scenario, folder, entry)

    def environment(self, scenario: Scenario, folder: Path, entry: Entry) -> dict[str, str]:
        """Settings in a home of its own."""
        home = folder / "home" / ".gemini"
        home.mkdir(parents=True, exist_ok=True)
        settings: dict[str, object] = {
            "security": {"auth": {"selectedType": "gemini-api-key"}},
            "privacy": {"usageStatisticsEnabled": False},
            "general": {"disableAutoUpdate": True},
        }
        if scenario.compacts:
            settings["model"] = {"compressionThreshold": COMPACT_AT_SHARE}
        (home / "settings.json").write_text(json.dumps(settings), encoding="utf-8")
        told = {"GOOGLE_GEMINI_BASE_URL": entry.url} if entry.url else {}
        if scenario.session:
            name, _, value = settings_file(self.kind).strip().partition("=")
            told[name] = value.strip("'")
        return entry.environment(folder) | {"GEMINI_API_KEY": KEY, "GEMINI_CLI_TRUST_WORKSPACE": "true", **told}

    def command(self, prompt: str, *, continues: bool) -> Sequence[str]:
        """One prompt."""
        going_on = ("--resume", "latest") if continues else ()
        return (str(self.program), "-m", MODEL, "-y", *going_on, "-p", prompt)
