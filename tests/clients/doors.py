"""What each version sends through a base URL of another host, and what it sends to its provider but not there.

`python -m tests.clients.doors` prints the table; with `--write` it replaces the one in docs/clients.md.
"""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from proxy.scripted.app import serving
from proxy.scripted.provider import Provider, Served
from proxy.scripted.settings import ProviderSettings
from tests.clients.catalogue import SCENARIOS
from tests.clients.programs.claude_code import ClaudeCode
from tests.clients.programs.client import Door, Entry
from tests.clients.programs.install import install
from tests.clients.programs.packages import Npm
from tests.clients.tunnel import tunnelling
from tests.support.scripted import Tls, make_tls

PROVIDER_HOST = "api.anthropic.com"
DOCS = Path(__file__).parents[2] / "docs" / "clients.md"
BEGIN, END = "<!-- doors: begin -->", "<!-- doors: end -->"
HINTS = ("x-claude-code-", "x-claude-1p-")
NO_HINTS = frozenset({"x-claude-code-session-id", "x-claude-code-agent-id"})


VERSIONS = (Npm.CLAUDE_CODE_197, Npm.CLAUDE_CODE_332)


class Sent(NamedTuple):
    """What can be told of one request without its texts."""

    tools: frozenset[str]
    betas: frozenset[str]
    headers: frozenset[str]
    fields: frozenset[str]
    body_bytes: int

    @property
    def hints(self) -> frozenset[str]:
        """Headers that say what a request is for."""
        return frozenset(h for h in self.headers - NO_HINTS if h.startswith(HINTS))


@dataclass(frozen=True, slots=True, kw_only=True)
class Doors:
    """The same first request of one version, by how it reached the provider."""

    version: str
    straight: Sent
    """The client believes it speaks to its provider: an HTTPS proxy, no base URL."""
    base_url: Sent
    hinted: Sent
    """Base URL with `CLAUDE_CODE_GATEWAY_HINT_HEADERS=1`."""
    assumed: Sent
    """Base URL with `_CLAUDE_CODE_ASSUME_FIRST_PARTY_BASE_URL=1`."""
    searching: Sent
    """Base URL with `ENABLE_TOOL_SEARCH=true`."""


async def look(version: str, program: Path) -> Doors:
    """Run one prompt through each door."""
    plain = ClaudeCode(version, program, 256)
    asked = {
        "hinted": ClaudeCode(version, program, 256, hints=True),
        "assumed": ClaudeCode(version, program, 256, more={"_CLAUDE_CODE_ASSUME_FIRST_PARTY_BASE_URL": "1"}),
        "searching": ClaudeCode(version, program, 256, more={"ENABLE_TOOL_SEARCH": "true"}),
    }
    sent = {name: await _by_base_url(client) for name, client in asked.items()}
    return Doors(version=version, straight=await _straight(plain), base_url=await _by_base_url(plain), **sent)


async def _by_base_url(client: ClaudeCode) -> Sent:
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch:
        provider, folder = _set_up(Path(scratch))
        async with serving(provider) as url:
            await client.run(SCENARIOS[0], folder, Entry(url=url))
    return _sent(provider.ledger()[0])


async def _straight(client: ClaudeCode) -> Sent:
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch:
        provider, folder = _set_up(Path(scratch))
        tls: Tls = make_tls(folder, PROVIDER_HOST)
        async with serving(provider, tls=tls.server) as url, tunnelling(int(url.rsplit(":", 1)[1])) as proxy:
            through = {"HTTPS_PROXY": proxy, "NODE_EXTRA_CA_CERTS": str(tls.bundle)}
            straight = ClaudeCode(client.version, client.program, 256, more=through)
            await straight.run(SCENARIOS[0], folder, Entry(door=Door.STRAIGHT, url=f"https://{PROVIDER_HOST}"))
    return _sent(provider.ledger()[0])


def _set_up(folder: Path) -> tuple[Provider, Path]:
    work = folder / "work"
    for made in (work, folder / "home"):
        made.mkdir()
    for name, content in SCENARIOS[0].files.items():
        (work / name).write_text(content, encoding="utf-8")
    return Provider(ProviderSettings(scripts=SCENARIOS[0].scripts(work))), folder


def _sent(served: Served) -> Sent:
    return Sent(
        tools=frozenset(tool["name"] for tool in served.request["tools"]),
        betas=frozenset(served.headers["anthropic-beta"].split(",")),
        headers=frozenset(served.headers),
        fields=frozenset(served.request),
        body_bytes=len(json.dumps(served.request)),
    )


def table(doors: Sequence[Doors]) -> str:
    """Markdown, one column per version."""
    rows = {
        "tools, straight": [f"{len(d.straight.tools)} ({_kb(d.straight)})" for d in doors],
        "tools, base URL": [f"{len(d.base_url.tools)} ({_kb(d.base_url)})" for d in doors],
        "tools, base URL, `ENABLE_TOOL_SEARCH=true`": [f"{len(d.searching.tools)} ({_kb(d.searching)})" for d in doors],
        "tool search kept behind a base URL": [_yes("ToolSearch" in d.base_url.tools) for d in doors],
        "`context-1m` sent, straight": [_yes(_asks_for_1m(d.straight)) for d in doors],
        "`context-1m` sent, base URL": [_yes(_asks_for_1m(d.base_url)) for d in doors],
        "betas dropped behind a base URL": [_names(d.straight.betas - d.base_url.betas) for d in doors],
        "headers dropped": [_names(d.straight.headers - d.base_url.headers) for d in doors],
        "body fields dropped": [_names(d.straight.fields - d.base_url.fields) for d in doors],
        "sent only behind a base URL": [_added(d) for d in doors],
        "hint headers, `CLAUDE_CODE_GATEWAY_HINT_HEADERS=1`": [_names(d.hinted.hints) for d in doors],
        "still dropped with `_CLAUDE_CODE_ASSUME_FIRST_PARTY_BASE_URL=1`": [
            _names((d.straight.betas | d.straight.headers) - d.assumed.betas - d.assumed.headers) for d in doors
        ],
    }
    head = f"| Claude Code | {' | '.join(d.version for d in doors)} |\n|---|{'---|' * len(doors)}"
    return "\n".join([head, *(f"| {name} | {' | '.join(cells)} |" for name, cells in rows.items())])


def _kb(sent: Sent) -> str:
    return f"body {round(sent.body_bytes / 1000)} kB"


def _yes(holds: bool) -> str:
    return "yes" if holds else "no"


def _asks_for_1m(sent: Sent) -> bool:
    return any(beta.startswith("context-1m") for beta in sent.betas)


def _names(names: frozenset[str]) -> str:
    return ", ".join(f"`{name}`" for name in sorted(names)) or "none"


def _added(doors: Doors) -> str:
    straight, base_url = doors.straight, doors.base_url
    added = (base_url.betas - straight.betas) | (base_url.headers - straight.headers)
    return _names(added | (base_url.fields - straight.fields))


async def compared() -> str:
    """The table of both versions.

    Raises:
        NotAvailableError: a version cannot be had.
    """
    return table([await look(each.value.version, await install(each)) for each in VERSIONS])


async def main(arguments: Sequence[str]) -> None:
    """Print the table, or put it into the docs."""
    rows = await compared()
    if "--write" not in arguments:
        print(rows)
        return
    before, rest = DOCS.read_text(encoding="utf-8").split(BEGIN)
    after = rest.split(END)[1]
    DOCS.write_text(f"{before}{BEGIN}\n{rows}\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1:]))
