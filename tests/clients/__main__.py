"""Real clients against the scripted provider: `python -m tests.clients [--direct] [--only NAME] [--json FILE]`.

Each scenario's calls, usage, sessions, threads, boundaries and re-reads as the product found them are compared with
the provider's ledger. Exit status 0 when all hold, 1 when one does not, 69 when a client could not be had.
"""

from __future__ import annotations

import argparse
import asyncio
import socket
import sys
import tempfile
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack
from pathlib import Path

from tests.clients import product
from tests.clients.case import Case, Client, cases_of
from tests.clients.claude_code import ClaudeCode
from tests.clients.doors import compared
from tests.clients.install import CACHE, VERSIONS, NotAvailableError, install
from tests.clients.report import NOT_RUN, Outcome, exit_status, lines_of, write_json
from tests.clients.sdk import Sdk

LARGE_TOKENS_PER_KIB = {"2.1.197": 1024, "2.1.332": 1300}
"""Tokens of 1,024 bytes at which each version's own prompt is 60,000 to 80,000 tokens."""


async def main(arguments: Sequence[str]) -> int:
    """Run, print, and say how it went."""
    options = _options(arguments)
    outcomes: list[Outcome] = []
    async for outcome in _outcomes(options):
        outcomes.append(outcome)
        print("\n".join(lines_of(outcome)), flush=True)
    status = exit_status(outcomes)
    doors = "" if options.only or status == NOT_RUN else await compared()
    print(f"\nWhat each version sends through a base URL, and what it drops there:\n\n{doors}" if doors else "")
    if options.json:
        write_json(outcomes, doors, options.json)
    return status


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.clients", description=__doc__)
    parser.add_argument("--direct", action="store_true", help="without the product: does the client follow the script?")
    parser.add_argument("--only", action="append", default=[], metavar="NAME", help="part of a client or scenario name")
    parser.add_argument("--json", type=Path, metavar="FILE")
    return parser.parse_args(arguments)


async def _outcomes(options: argparse.Namespace) -> AsyncIterator[Outcome]:
    clients: list[Client] = []
    for version in VERSIONS:
        try:
            program = await install(version, CACHE)
        except NotAvailableError as reason:
            yield Outcome(f"claude-code {version}", "all", "", [], str(reason), 0.0)
            continue
        scale = LARGE_TOKENS_PER_KIB[version]
        clients += [ClaudeCode(version, program, scale), ClaudeCode(version, program, scale, hints=True)]
    clients += [Sdk(streamed=False), Sdk(streamed=True)]
    async with AsyncExitStack() as stack:
        scratch = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="clients-", ignore_cleanup_errors=True)))
        port = _free_port()
        upstream = base_url = f"http://127.0.0.1:{port}"
        running = None
        if not options.direct:
            running = await stack.enter_async_context(product.serving(upstream, scratch))
            base_url = running.relay_url
        for case in cases_of(clients, options.only, scratch, port):
            yield await _outcome(case, base_url, running)


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])


async def _outcome(case: Case, base_url: str, running: product.Product | None) -> Outcome:
    findings, seconds = await case.run(base_url)
    if running is not None:
        facts = await running.facts(calls=len(case.provider.ledger()))
        if all(finding.holds for finding in findings):
            findings += case.compare(facts)
    return Outcome(case.client.name, case.scenario.name, case.scenario.why, findings, "", seconds)


if __name__ == "__main__":
    sys.exit(asyncio.run(main(sys.argv[1:])))
