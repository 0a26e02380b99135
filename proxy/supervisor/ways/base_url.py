"""The variables that send one command's traffic through a relay, and what the command loses by it. Pure.

Nothing is set for anybody but the child, no file is edited, and what the user has set stays as it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from urllib.parse import urlsplit

from proxy.supervisor.ways import providers

BASE_URL = "ANTHROPIC_BASE_URL"
HEADERS = "ANTHROPIC_CUSTOM_HEADERS"
HINTS = "CLAUDE_CODE_GATEWAY_HINT_HEADERS"
FIRST_PARTY = "_CLAUDE_CODE_ASSUME_FIRST_PARTY_BASE_URL"
TOOL_SEARCH = "ENABLE_TOOL_SEARCH"
FIRST_PARTY_HOST = "api.anthropic.com"
TOKEN_HEADER = "x-compaction-token"  # noqa: S105  a name
LOOPBACK = ("127.0.0.1", "localhost", "::1")
ELSEWHERE = (
    "the upstream is not api.anthropic.com: 2.1.197 sends all tool definitions up front (2.1.332 does not), so it",
    f"compacts earlier: {TOOL_SEARCH}=true if your gateway allows it; a window of 200k tokens has been reported",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """How the child's requests go."""

    relay_url: str
    tag: str
    """The run's secret, a part of the address."""
    upstream: str
    """Name of the upstream; empty for the relay's default one."""
    upstream_url: str
    token: str = ""
    """What the relay asks for; empty when it asks for none."""
    upstreams: Mapping[str, str] = field(default_factory=dict)
    """Addresses of all upstreams by name, for clients of other providers."""

    @property
    def run_url(self) -> str:
        """The relay's address for this run."""
        return f"{self.relay_url}/run/{self.tag}"

    @property
    def base_url(self) -> str:
        """What a client of Anthropic's is told."""
        return "/".join(filter(None, (self.run_url, self.upstream)))

    @property
    def is_first_party(self) -> bool:
        """The upstream really is the provider's own host: only then may a client be told so."""
        parts = urlsplit(self.upstream_url)
        return (parts.scheme, parts.hostname, parts.port or 443, parts.path) == ("https", FIRST_PARTY_HOST, 443, "")

    def variables(self, environment: Mapping[str, str]) -> dict[str, str]:
        """What is set for the child beside its environment."""
        given = {BASE_URL: self.base_url, HINTS: "1"}
        if self.is_first_party:
            given |= {FIRST_PARTY: "1", TOOL_SEARCH: "true"}
        kept = {name: value for name, value in given.items() if name == BASE_URL or name not in environment}
        if self.token:
            lines = (environment.get(HEADERS, ""), f"{TOKEN_HEADER}: {self.token}")
            kept[HEADERS] = "\n".join(filter(None, lines))
        others = dict(providers.base_urls(self.upstreams, self.run_url, environment))
        return kept | others | _without_a_proxy_to_ourselves(environment)

    def command(self, command: Sequence[str], environment: Mapping[str, str], home: Path) -> Sequence[str]:
        """The command as it is run."""
        upstream = providers.codex_upstream(environment, home)
        if not providers.is_codex(command) or upstream not in self.upstreams:
            return command
        return providers.codex_command(command, self.run_url, upstream)

    def notes(self, environment: Mapping[str, str], command: str) -> Iterator[str]:
        """What the user should know before the command starts."""
        given = self.variables(environment)
        yield f"{self.relay_url} → {', '.join(self._addresses(command))} · nothing is edited, keys never reach a disk"
        yield f"set for this command only: {', '.join(sorted(given))}"
        if providers.is_codex([command]):
            yield f"and the option -c {providers.CODEX_OPTION}, which Codex reads instead of a variable"
        if not PurePath(command).name.startswith("claude"):
            return
        yield "behind a base URL Claude Code switches Remote Control off (reported since 2.1.196)"
        if self.is_first_party and given.get(FIRST_PARTY) == "1":
            yield "1M window and tool search are kept: the upstream is api.anthropic.com, and the client is told so"
            return
        if self.is_first_party:
            yield f"{FIRST_PARTY} is left as you set it"
            return
        yield from ELSEWHERE

    def _addresses(self, command: str) -> Sequence[str]:
        """Where the command's requests can go, as far as its name tells."""
        if PurePath(command).name.startswith("claude"):
            return (self.upstream_url,)
        if providers.is_codex([command]):
            names = [name for name in (providers.OPENAI, providers.CHATGPT) if name in self.upstreams]
            return [self.upstreams[name] for name in names] or (self.upstream_url,)
        return list(dict.fromkeys([self.upstream_url, *self.upstreams.values()]))

    @property
    def when_unseen(self) -> str:
        """What to look at when no model call came by."""
        return "does the command use the base URL it was given? (its own settings files may override it)"


def _without_a_proxy_to_ourselves(environment: Mapping[str, str]) -> dict[str, str]:
    """A client that honours HTTP_PROXY would ask the proxy for our loopback address."""
    names = ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy", "HTTPS_PROXY", "https_proxy")
    if not any(environment.get(name) for name in names):
        return {}
    held = environment.get("no_proxy") or environment.get("NO_PROXY") or ""
    entries = [entry.strip() for entry in held.split(",") if entry.strip()]
    value = ",".join([*entries, *(host for host in LOOPBACK if host not in entries)])
    return {"NO_PROXY": value, "no_proxy": value}
