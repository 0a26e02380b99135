"""The variables that send one command's traffic through the intercept door. Pure.

The command keeps its own base URL and believes that it speaks to its provider: nothing about it changes but the way.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from proxy.supervisor.ways.base_url import LOOPBACK

PROXIES = ("HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy")
NODE = "NODE_EXTRA_CA_CERTS"
"""Adds to the client's store; the others replace it."""
BUNDLES = ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "CODEX_CA_CERTIFICATE")
NODE_PROXY = "NODE_USE_ENV_PROXY"
"""Node 24 and later honour proxy variables only when told."""


class Certificates(NamedTuple):
    """What a client must be told to trust."""

    authority: Path
    """Our certificate alone."""
    bundle: Path
    """It and whatever the environment trusts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProxyRoute:
    """How the child's requests go."""

    door_url: str
    tag: str
    """The run's secret, the password of the proxy."""
    upstreams: Mapping[str, str]
    certificates: Certificates

    def variables(self, environment: Mapping[str, str]) -> dict[str, str]:
        """What is set for the child beside its environment."""
        address = self.door_url.removeprefix("http://")
        given = dict.fromkeys(PROXIES, f"http://run:{self.tag}@{address}")
        given |= dict.fromkeys(BUNDLES, str(self.certificates.bundle)) | {NODE_PROXY: "1"}
        given[NODE] = str(self.certificates.bundle if environment.get(NODE) else self.certificates.authority)
        exceptions = self._exceptions(environment)
        return given | {"NO_PROXY": exceptions, "no_proxy": exceptions}

    def command(self, command: Sequence[str], environment: Mapping[str, str], home: Path) -> Sequence[str]:
        """The command as it is."""
        del environment, home
        return command

    def _exceptions(self, environment: Mapping[str, str]) -> str:
        """The user's own, and this machine's servers unless one of them is an upstream."""
        held = environment.get("no_proxy") or environment.get("NO_PROXY") or ""
        entries = [entry for part in held.split(",") if (entry := part.strip())]
        if not any(_is_loopback(url) for url in self.upstreams.values()):
            entries += [host for host in LOOPBACK if host not in entries]
        return ",".join(entries)

    def notes(self, environment: Mapping[str, str], command: str) -> Iterator[str]:  # noqa: ARG002  as of a base URL
        """What the user should know before the command starts."""
        hosts = ", ".join(sorted({urlsplit(url).netloc for url in self.upstreams.values()}))
        yield f"{self.door_url} is its HTTPS proxy · opened and recorded: {hosts} · everything else is tunnelled unread"
        yield f"set for this command only: {', '.join(sorted(self.variables(environment)))}"
        exceptions = self._exceptions(environment).split(",")
        shut_out = [host for host in hosts.split(", ") if host.partition(":")[0] in exceptions]
        if shut_out:
            yield f"your NO_PROXY names {', '.join(shut_out)}: what goes there is not seen"

    @property
    def when_unseen(self) -> str:
        """What to look at when no model call came by."""
        return "does the command honour HTTPS_PROXY, and trust NODE_EXTRA_CA_CERTS or SSL_CERT_FILE?"


def _is_loopback(url: str) -> bool:
    host = urlsplit(url).hostname or ""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
