"""Agents on the frameworks of Python: each a program of `tests.clients.agents`, run by the framework's own Python."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from tests.clients.programs.client import KEY, Door, Entry, run_process
from tests.clients.scenario import Kind, Scenario
from tests.clients.snippets import snippet

ROOT = Path(__file__).parents[3]
PROGRAMS = {
    Kind.AGENTS_SDK: "with_agents_sdk",
    Kind.PYDANTIC_AI: "with_pydantic_ai",
    Kind.LANGCHAIN: "with_langchain",
    Kind.OPENHANDS: "with_openhands",
    Kind.LITELLM: "with_litellm",
}


@dataclass(frozen=True, slots=True)
class Framework:
    """One framework by one of its routes."""

    kind: Kind
    version: str
    python: Path
    route: str
    """`responses`, `chat`, `messages`, `gemini`; with ` streamed` behind it where that is not the framework's habit."""
    large_tokens_per_kib: int = 256
    hints: bool = False
    doors: frozenset[Door] = frozenset({Door.BASE_URL, Door.INTERCEPT})

    @property
    def name(self) -> str:
        """As tables print it."""
        return f"{self.kind} {self.version} {self.route}"

    async def run(self, scenario: Scenario, folder: Path, entry: Entry) -> None:
        """All talks in one process; each is a conversation of its own, its prompts go on with it."""
        job = {
            "route": self.route,
            "talks": [talk.prompts for talk in scenario.talks],
            "compacts": scenario.compacts,
            "session": scenario.session and f"{scenario.session} of {self.name}",
            "snippet": snippet(self.kind) if scenario.session else "",
        }
        command = (str(self.python), "-m", f"tests.clients.agents.{PROGRAMS[self.kind]}", json.dumps(job))
        environment = entry.environment(folder) | _addresses(entry) | {"PYTHONPATH": str(ROOT)}
        await run_process(self.name, command, folder / "work", environment)


def _addresses(entry: Entry) -> dict[str, str]:
    """Keys, and where the frameworks look for a base URL."""
    keys = dict.fromkeys(("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GOOGLE_API_KEY"), KEY)
    quiet = {"LITELLM_LOCAL_MODEL_COST_MAP": "True", "OPENAI_AGENTS_DISABLE_TRACING": "1"}
    if not entry.url:
        return keys | quiet
    addresses = {
        "OPENAI_BASE_URL": f"{entry.url}/v1",
        "ANTHROPIC_BASE_URL": entry.url,
        "GOOGLE_GEMINI_BASE_URL": entry.url,
        "GOOGLE_BASE_URL": entry.url,
    }
    return keys | quiet | addresses
