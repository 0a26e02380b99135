"""Cline's command line, headless, by its OpenAI-compatible provider: the only one that takes a base URL here."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.clients.programs.client import KEY, Door, Entry, converse, run_process
from tests.clients.scenario import Kind, Scenario

HUB_STARTS_S = 5.0
PROVIDER, MODEL = "openai-compatible", "scripted-1"


@dataclass(frozen=True, slots=True)
class Cline:
    """One installed version."""

    version: str
    program: Path
    kind: Kind = Kind.CLINE
    large_tokens_per_kib: int = 256
    hints: bool = False
    doors: frozenset[Door] = frozenset({Door.BASE_URL, Door.INTERCEPT})

    @property
    def name(self) -> str:
        """As tables print it."""
        return f"cline {self.version}"

    async def run(self, scenario: Scenario, folder: Path, entry: Entry) -> None:
        """Tell it its provider, then do all talks."""
        auth = ("auth", PROVIDER, "--apikey", KEY, "--modelid", MODEL, "--baseurl", entry.base_url("openai", "/v1"))
        environment = self.environment(scenario, folder, entry)
        await run_process(self.name, (str(self.program), *auth), folder / "work", environment)
        try:
            await converse(self, scenario, folder, entry)
        finally:
            await _end_hub(folder / "home" / ".cline" / "data" / "locks" / "hub" / "production.json")

    def environment(self, scenario: Scenario, folder: Path, entry: Entry) -> dict[str, str]:
        """It has a hub of its own, which must not be another run's."""
        del scenario
        return entry.environment(folder) | {"CLINE_TELEMETRY_DISABLED": "1", "CLINE_NO_AUTO_UPDATE": "1"}

    def command(self, prompt: str, *, continues: bool) -> Sequence[str]:
        """One prompt."""
        del continues
        return (str(self.program), "--json", "--auto-approve", "true", "-P", PROVIDER, "-m", MODEL, prompt)


async def _end_hub(lock: Path) -> None:
    """It leaves a process behind, in a group of its own, that comes up in the background and listens for ever."""
    ends = time.monotonic() + HUB_STARTS_S
    while not (hub := _hub(lock)) and time.monotonic() < ends:  # noqa: ASYNC110  another program writes the file
        await asyncio.sleep(0.1)
    if hub:
        with contextlib.suppress(ProcessLookupError):
            os.kill(hub, signal.SIGTERM)


def _hub(lock: Path) -> int:
    """Its process; 0 before it has said so."""
    try:
        return int(json.loads(lock.read_text(encoding="utf-8"))["pid"])
    except (OSError, ValueError, KeyError):
        return 0
