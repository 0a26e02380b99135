"""The table of docs/clients.md that a run writes: what each client sends by each door, and what was found right."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from proxy.scripted.faces.identity import SESSION_HEADERS
from proxy.scripted.provider import Served
from tests.clients import billed
from tests.clients.report import Outcome
from tests.clients.snippets import DOCS

BEGIN, END = "<!-- clients: begin -->", "<!-- clients: end -->"
HEAD = (
    "| client | door | dialect | says its session by | tools | asks for usage | right | other than by base URL |\n"
    "|---|---|---|---|---|---|---|---|"
)
SAME_CASE = "read-twice"
"""The case that both doors are compared by."""
NOISE = frozenset({"content-length", "connection", "host", "accept-encoding", "authorization", "x-api-key"})


def write(outcomes: Sequence[Outcome]) -> None:
    """Put the table of these outcomes into the docs."""
    before, _, rest = DOCS.read_text(encoding="utf-8").partition(BEGIN)
    DOCS.write_text(f"{before}{BEGIN}\n{table(outcomes)}\n{END}{rest.partition(END)[2]}", encoding="utf-8")


def table(outcomes: Sequence[Outcome]) -> str:
    """Markdown, a row per client and door."""
    groups: dict[tuple[str, str], list[Outcome]] = {}
    for outcome in outcomes:
        groups.setdefault((outcome.client, outcome.door), []).append(outcome)
    return "\n".join([HEAD, *(_row(client, door, groups) for client, door in sorted(groups))])


def _row(client: str, door: str, groups: dict[tuple[str, str], list[Outcome]]) -> str:
    own = groups[client, door]
    if own[0].not_run:
        return f"| {client} | | | | | | not run: {own[0].not_run} | |"
    turns = [entry for outcome in own for entry in outcome.served if entry.purpose == "turn"]
    right = sum(outcome.verdict == "ok" for outcome in own)
    cells = (
        client,
        door,
        _listed(entry.dialect for entry in turns),
        _listed(_session_signs(turns)) or "nothing",
        str(max((_tool_count(entry.request) for entry in turns), default=0)),
        "yes" if all(map(billed.tells_usage, turns)) else "no",
        f"{right} of {len(own)} cases",
        _differences(groups, client, door),
    )
    return f"| {' | '.join(cells)} |"


def _session_signs(turns: Iterable[Served]) -> Iterable[str]:
    for entry in turns:
        yield from (f"`{name}`" for name in SESSION_HEADERS if entry.headers.get(name))
        yield from (f"`{name}`" for name in ("prompt_cache_key", "client_metadata") if entry.request.get(name))


def _tool_count(request: dict[str, Any] | Any) -> int:
    tools = request.get("tools") or ()
    return sum(len(tool.get("functionDeclarations", (tool,))) for tool in tools)


def _differences(groups: dict[tuple[str, str], list[Outcome]], client: str, door: str) -> str:
    """What the same case's turns have through this door and not by a base URL, and the other way round."""
    here, there = (_sent(groups.get((client, each), ())) for each in (door, "base URL"))
    if door == "base URL" or not here or not there:
        return ""
    more = [f"more: {_listed(f'`{name}`' for name in here - there)}"] if here - there else []
    less = [f"not: {_listed(f'`{name}`' for name in there - here)}"] if there - here else []
    return "; ".join([*more, *less]) or "the same"


def _sent(outcomes: Iterable[Outcome]) -> frozenset[str]:
    """Names of headers, body fields, betas and tools."""
    names: set[str] = set()
    for entry in (entry for one in outcomes if one.scenario == SAME_CASE for entry in one.served):
        names |= set(entry.headers) - NOISE
        names |= set(entry.request)
        names |= {beta for beta in entry.headers.get("anthropic-beta", "").split(",") if beta}
        names |= {str(tool.get("name") or "") for tool in entry.request.get("tools") or ()} - {""}
    return frozenset(names)


def _listed(names: Iterable[str]) -> str:
    return ", ".join(sorted(set(names)))
