"""mini-swe-agent, headless, through litellm: one tool, `bash`, and no session of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.clients.programs.client import Door, Entry, converse
from tests.clients.programs.litellm import litellm_variables
from tests.clients.scenario import Kind, Scenario
from tests.clients.snippets import settings_file


@dataclass(frozen=True, slots=True)
class MiniSweAgent:
    """One installed version."""

    version: str
    program: Path
    kind: Kind = Kind.MINI_SWE_AGENT
    large_tokens_per_kib: int = 256
    hints: bool = False
    doors: frozenset[Door] = frozenset({Door.BASE_URL, Door.INTERCEPT})

    @property
    def name(self) -> str:
        """As tables print it."""
        return f"mini-swe-agent {self.version}"

    async def run(self, scenario: Scenario, folder: Path, entry: Entry) -> None:
        """Do all talks."""
        await converse(self, scenario, folder, entry)

    def environment(self, scenario: Scenario, folder: Path, entry: Entry) -> dict[str, str]:
        """It counts costs, which nobody knows of a scripted model."""
        (folder / "more.yaml").write_text(settings_file(self.kind) if scenario.session else "{}", encoding="utf-8")
        quiet = {"MSWEA_CONFIGURED": "true", "MSWEA_COST_TRACKING": "ignore_errors", "MSWEA_SILENT_STARTUP": "1"}
        return entry.environment(folder) | litellm_variables(entry) | quiet

    def command(self, prompt: str, *, continues: bool) -> Sequence[str]:
        """One task; it cannot take up another's."""
        del continues
        configured = ("-c", "mini.yaml", "-c", "../more.yaml")
        return (str(self.program), *configured, "-m", "openai/gpt-4o", "-t", prompt, "-y", "--exit-immediately")
