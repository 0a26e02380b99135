"""Real clients against the scripted provider: `python -m tests.clients [--direct] [--only NAME] [--json FILE]`.

Each scenario's calls, usage, sessions, threads, boundaries and re-reads as the product found them are compared with
the provider's ledger. Exit status 0 when all hold, 1 when one does not, 69 when a client could not be had.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

from proxy.scripted.app import serving
from proxy.scripted.provider import Provider
from proxy.scripted.settings import ProviderSettings
from tests.clients.catalogue import SCENARIOS
from tests.clients.check import Finding, check_client
from tests.clients.claude_code import ClaudeCode, ClientError
from tests.clients.install import VERSIONS, NotAvailableError, install
from tests.clients.report import Outcome, exit_status, lines_of, write_json
from tests.clients.scenario import Scenario
from tests.clients.sdk import Sdk

Client = ClaudeCode | Sdk
CACHE = Path(__file__).parents[2] / "build" / "clients"
LARGE_TOKENS_PER_KIB = {"2.1.197": 1024, "2.1.332": 1300}
"""Tokens of 1,024 bytes at which each version's own prompt is 60,000 to 80,000 tokens."""


async def main(arguments: Sequence[str]) -> int:
    """Run, print, and say how it went."""
    options = _options(arguments)
    outcomes: list[Outcome] = []
    async for outcome in _outcomes(options):
        outcomes.append(outcome)
        print("\n".join(lines_of(outcome)), flush=True)
    if options.json:
        write_json(outcomes, options.json)
    return exit_status(outcomes)


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.clients", description=__doc__)
    parser.add_argument("--direct", action="store_true", help="without the product: does the client follow the script?")
    parser.add_argument("--only", action="append", default=[], metavar="NAME", help="part of a client or scenario name")
    parser.add_argument("--json", type=Path, metavar="FILE")
    return parser.parse_args(arguments)


async def _outcomes(options: argparse.Namespace) -> AsyncIterator[Outcome]:
    for version in VERSIONS:
        try:
            program = await install(version, CACHE)
        except NotAvailableError as reason:
            yield Outcome(f"claude-code {version}", "all", "", [], str(reason), 0.0)
            continue
        scale = LARGE_TOKENS_PER_KIB[version]
        for client in (ClaudeCode(version, program, scale), ClaudeCode(version, program, scale, hints=True)):
            async for outcome in _runs(client, options):
                yield outcome
    for streamed in (False, True):
        async for outcome in _runs(Sdk(streamed), options):
            yield outcome


async def _runs(client: Client, options: argparse.Namespace) -> AsyncIterator[Outcome]:
    for scenario in SCENARIOS:
        # Hint headers change what can be seen of a compaction, and nothing else.
        wanted = client.kind in scenario.clients and (not client.hints or scenario.boundaries)
        named = all(part in f"{client.name} {scenario.name}" for part in options.only)
        if wanted and named:
            yield await _run(client, scenario, direct=options.direct)


async def _run(client: Client, scenario: Scenario, *, direct: bool) -> Outcome:
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="clients-", ignore_cleanup_errors=True) as scratch:
        folder = Path(scratch)
        try:
            findings = await _compared(client, scenario, folder, direct=direct)
        except ClientError as failure:
            findings = [Finding("the client", "follows the script", str(failure))]
    return Outcome(client.name, scenario.name, scenario.why, findings, "", time.monotonic() - started)


async def _compared(client: Client, scenario: Scenario, folder: Path, *, direct: bool) -> list[Finding]:
    work = folder / "work"
    work.mkdir()
    (folder / "home").mkdir()
    for name, content in scenario.files.items():
        (work / name).write_text(content, encoding="utf-8")
    scripts = scenario.scripts(work)
    scale = client.large_tokens_per_kib if scenario.large_context else 256
    provider = Provider(ProviderSettings(scripts=scripts, tokens_per_kib=scale))
    async with serving(provider) as url:
        await client.run(scenario, folder, url)
    return check_client(scenario, provider.ledger(), [(script.name, len(script.steps)) for script in scripts])


if __name__ == "__main__":
    sys.exit(asyncio.run(main(sys.argv[1:])))
