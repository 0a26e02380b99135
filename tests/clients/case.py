"""One scenario with one client through one door: its own provider, its own folder, and what is compared afterwards."""

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
from tests.clients.check import Finding, check_client, check_product
from tests.clients.lane import Lane
from tests.clients.product import ProductError
from tests.clients.programs.client import Client, ClientError, Door
from tests.clients.report import Outcome
from tests.clients.scenario import Scenario
from tests.clients.transcripts import WRITERS, differences

USUAL_TOKENS_PER_KIB = 256


class Compared(NamedTuple):
    """What came of a comparison."""

    findings: list[Finding]
    transcript: list[str]
    """Where the client's own transcript shows something else."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """What is run."""

    client: Client
    scenario: Scenario
    door: Door
    folder: Path

    @property
    def name(self) -> str:
        """As it can be asked for."""
        return f"{self.client.name} {self.scenario.name} {self.door}"

    async def run(self, lane: Lane) -> Outcome:
        """Make the client do it, see whether it followed the script, and compare what the product found."""
        started = time.monotonic()
        scripts = self._set_up()
        provider = self._provider(scripts, lane.port)
        try:
            async with serving(provider, tls=lane.tls):
                await self.client.run(self.scenario, self.folder, lane.entry)
        except ClientError as failure:
            findings = [Finding("the client", "follows the script", str(failure))]
        else:
            steps = [(script.name, len(script.steps)) for script in scripts]
            findings = check_client(self.scenario, provider.ledger(), steps)
        follows = all(finding.holds for finding in findings)
        compared = await self._compared(provider, lane, follows=follows)
        findings += compared.findings
        return Outcome(
            client=self.client.name,
            scenario=self.scenario.name,
            door=self.door,
            why=self.scenario.why,
            findings=findings,
            seconds=time.monotonic() - started,
            served=provider.ledger(),
            transcript=compared.transcript,
        )

    async def _compared(self, provider: Provider, lane: Lane, *, follows: bool) -> Compared:
        """What the product found against the provider's ledger; it is read in any case, for the next one's sake."""
        served = provider.ledger()
        if lane.running is None:
            return Compared([], [])
        try:
            facts = await lane.running.facts(calls=len(served))
        except ProductError as failure:
            return Compared([Finding("the product", "observes every call", str(failure))], [])
        hinted = self.client.hints and any("x-claude-code-compaction" in entry.headers for entry in served)
        if not follows:
            return Compared([], [])
        found = check_product(self.scenario, self.client, served, facts, hinted=hinted)
        writes = self.client.kind in WRITERS
        return Compared(found, await differences(self.folder / "home", facts) if writes else [])

    def _set_up(self) -> tuple[Script, ...]:
        work = self.folder / "work"
        for made in (work, self.folder / "home"):
            made.mkdir(parents=True)
        for file, content in self.scenario.files.items():
            (work / file).write_text(content, encoding="utf-8")
        return self.scenario.scripts(work)

    def _provider(self, scripts: tuple[Script, ...], port: int) -> Provider:
        scale = self.client.large_tokens_per_kib if self.scenario.large_context else USUAL_TOKENS_PER_KIB
        return Provider(
            ProviderSettings(scripts=scripts, tokens_per_kib=scale, port=port, encoding=self.scenario.encoding)
        )


def cases_of(clients: Iterable[Client], parts: Sequence[str], scratch: Path) -> list[Case]:
    """Every scenario with every client it is meant for, by each door; all `parts` must stand in their names."""
    cases = [
        Case(client=client, scenario=scenario, door=door, folder=scratch / f"c{number}-{scenario.name}-{door.name}")
        for number, client in enumerate(clients)
        for scenario in SCENARIOS
        # Hint headers change what can be seen of a compaction, and nothing else.
        if scenario.is_for(client.kind, client.name) and (not client.hints or scenario.boundaries)
        for door in (Door.BASE_URL, Door.INTERCEPT)
        if door in client.doors and (door is Door.BASE_URL or (scenario.both_doors and not client.hints))
    ]
    return [case for case in cases if all(part in case.name for part in parts)]
