"""OpenCode, headless, by the three of its routes that speak different dialects."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import NamedTuple

from tests.clients.programs.client import KEY, Door, Entry, converse
from tests.clients.scenario import Kind, Scenario

SMALL_WINDOW, USUAL_WINDOW, OUTPUT = 20_000, 400_000, 4_000


class _Route(NamedTuple):
    package: str
    provider: str
    host: str
    model: str


class Route(Enum):
    """Which of its provider packages speaks."""

    ANTHROPIC = _Route("@ai-sdk/anthropic", "anthropic", "anthropic", "claude-opus-4-8")
    OPENAI = _Route("@ai-sdk/openai", "openai", "openai", "gpt-5.4")
    COMPATIBLE = _Route("@ai-sdk/openai-compatible", "compatible", "openai", "scripted-1")


@dataclass(frozen=True, slots=True)
class OpenCode:
    """One installed version by one route."""

    version: str
    program: Path
    route: Route
    kind: Kind = Kind.OPENCODE
    large_tokens_per_kib: int = 256
    hints: bool = False
    doors: frozenset[Door] = frozenset({Door.BASE_URL, Door.INTERCEPT})

    @property
    def name(self) -> str:
        """As tables print it."""
        return f"opencode {self.version} {self.route.value.provider}"

    async def run(self, scenario: Scenario, folder: Path, entry: Entry) -> None:
        """Do all talks."""
        await converse(self, scenario, folder, entry)

    def environment(self, scenario: Scenario, folder: Path, entry: Entry) -> dict[str, str]:
        """Settings in a home of its own."""
        home = folder / "home" / ".config" / "opencode"
        home.mkdir(parents=True, exist_ok=True)
        (home / "opencode.json").write_text(json.dumps(self._settings(scenario, entry)), encoding="utf-8")
        quiet = ("OPENCODE_DISABLE_AUTOUPDATE", "OPENCODE_DISABLE_MODELS_FETCH", "OPENCODE_DISABLE_LSP_DOWNLOAD")
        return entry.environment(folder) | dict.fromkeys(quiet, "1")

    def _settings(self, scenario: Scenario, entry: Entry) -> dict[str, object]:
        package, provider, host, model = self.route.value
        window = SMALL_WINDOW if scenario.compacts else USUAL_WINDOW
        described = {"name": model, "limit": {"context": window, "input": window, "output": OUTPUT}}
        # The compatible route has no address of its own: the user always names one.
        own = provider == "compatible" or entry.url
        address = {"baseURL": entry.base_url(host, "/v1")} if own else {}
        return {
            "model": f"{provider}/{model}",
            "small_model": f"{provider}/{model}",
            "provider": {
                provider: {"npm": package, "options": {**address, "apiKey": KEY}, "models": {model: described}}
            },
            "permission": {"edit": "allow", "bash": "allow", "external_directory": "allow"},
            "autoupdate": False,
            "share": "disabled",
        }

    def command(self, prompt: str, *, continues: bool) -> Sequence[str]:
        """One prompt."""
        return (str(self.program), "run", *(("--continue",) if continues else ()), prompt)
