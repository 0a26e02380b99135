"""Aider, headless: no tools, no session; it shows whole files as text and takes edits as text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.clients.programs.client import Door, Entry, run_process
from tests.clients.programs.litellm import litellm_variables
from tests.clients.scenario import Kind, Scenario
from tests.clients.snippets import settings_file

FLAGS = (
    *("--model", "openai/gpt-4o", "--edit-format", "diff", "--no-git", "--yes-always", "--no-pretty", "--no-stream"),
    *("--no-show-model-warnings", "--no-check-update", "--no-show-release-notes", "--analytics-disable"),
    *("--no-suggest-shell-commands", "--no-gitignore"),
)


@dataclass(frozen=True, slots=True)
class Aider:
    """One installed version."""

    version: str
    program: Path
    kind: Kind = Kind.AIDER
    large_tokens_per_kib: int = 256
    hints: bool = False
    doors: frozenset[Door] = frozenset({Door.BASE_URL, Door.INTERCEPT})

    @property
    def name(self) -> str:
        """As tables print it."""
        return f"aider {self.version}"

    async def run(self, scenario: Scenario, folder: Path, entry: Entry) -> None:
        """Each talk is a process; its prompts are typed one after the other."""
        environment = entry.environment(folder) | litellm_variables(entry)
        if scenario.session:
            (folder / "models.yaml").write_text(settings_file(self.kind), encoding="utf-8")
        for talk in scenario.talks:
            await run_process(
                self.name, self.command(talk.prompts, scenario), folder / "work", environment, said=talk.prompts
            )

    def command(self, prompts: Sequence[str], scenario: Scenario) -> Sequence[str]:
        """All files are in the chat from the start."""
        named = ("--model-settings-file", "../models.yaml") if scenario.session else ()
        return (str(self.program), *FLAGS, *named, *scenario.files)
