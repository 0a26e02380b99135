"""One scenario with one client: its own provider, its own folder, and what is compared afterwards."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from proxy.scripted.app import serving
from proxy.scripted.provider import Provider
from proxy.scripted.script import Script
from proxy.scripted.settings import ProviderSettings
from tests.clients.catalogue import SCENARIOS
from tests.clients.check import Facts, Finding, check_client, check_product
from tests.clients.claude_code import ClaudeCode, ClientError
from tests.clients.scenario import Scenario
from tests.clients.sdk import Sdk

Client = ClaudeCode | Sdk
USUAL_TOKENS_PER_KIB = 256


class Ran(NamedTuple):
    """How a client did."""

    findings: list[Finding]
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """What is run."""

    name: str
    """Names its folder."""
    client: Client
    scenario: Scenario
    folder: Path
    scripts: tuple[Script, ...]
    provider: Provider

    async def run(self, base_url: str) -> Ran:
        """Make the client do it, and see whether it followed the script."""
        started = time.monotonic()
        try:
            async with serving(self.provider):
                await self.client.run(self.scenario, self.folder, base_url)
        except ClientError as failure:
            findings = [Finding("the client", "follows the script", str(failure))]
        else:
            steps = [(script.name, len(script.steps)) for script in self.scripts]
            findings = check_client(self.scenario, self.provider.ledger(), steps)
        return Ran(findings, time.monotonic() - started)

    def compare(self, facts: Facts) -> list[Finding]:
        """What the product found, against the provider's ledger."""
        client, served = self.client, self.provider.ledger()
        hinted = client.hints and any("x-claude-code-compaction" in entry.headers for entry in served)
        return check_product(self.scenario, client.version, served, facts, hinted=hinted)


def cases_of(clients: Iterable[Client], parts: Sequence[str], scratch: Path, port: int) -> list[Case]:
    """Every scenario with every client it is meant for; all `parts` must stand in their names.

    They are run one after the other, so all providers have the same port.
    """
    return [
        _case(f"c{number}-{scenario.name}", client, scenario, scratch, port)
        for number, client in enumerate(clients)
        for scenario in SCENARIOS
        # Hint headers change what can be seen of a compaction, and nothing else.
        if client.kind in scenario.clients and (not client.hints or scenario.boundaries)
        if all(part in f"{client.name} {scenario.name}" for part in parts)
    ]


def _case(name: str, client: Client, scenario: Scenario, scratch: Path, port: int) -> Case:
    folder = scratch / name
    work = folder / "work"
    work.mkdir(parents=True)
    (folder / "home").mkdir()
    for file, content in scenario.files.items():
        (work / file).write_text(content, encoding="utf-8")
    scripts = scenario.scripts(work)
    scale = client.large_tokens_per_kib if scenario.large_context else USUAL_TOKENS_PER_KIB
    provider = Provider(ProviderSettings(scripts=scripts, tokens_per_kib=scale, port=port, encoding=scenario.encoding))
    return Case(name=name, client=client, scenario=scenario, folder=folder, scripts=scripts, provider=provider)
