"""Which door a wrapped command wants, and the way through it."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from config.settings import Settings
from proxy.model.errors import UsageError
from proxy.supervisor.running import Running
from proxy.supervisor.ways.base_url import BASE_URL, Route
from proxy.supervisor.ways.proxied import Certificates, ProxyRoute
from proxy.wiring.folder import DataFolder
from proxy.wiring.relay import read_token
from proxy.wiring.settings import relay_spec
from proxy.wiring.spec import RelaySpec

DRAIN_S = 5.0
"""The child is gone: what still streams has no reader."""
_A = {"relay": "a relay", "intercept": "an intercept door"}


class Way(Protocol):
    """How the child's requests go: by a base URL, or through a proxy."""

    @property
    def tag(self) -> str:
        """The run's secret."""

    @property
    def when_unseen(self) -> str:
        """What to look at when no model call came by."""

    def variables(self, environment: Mapping[str, str]) -> dict[str, str]:
        """What is set for the child beside its environment."""

    def command(self, command: Sequence[str], environment: Mapping[str, str], home: Path) -> Sequence[str]:
        """The command as it is run."""

    def notes(self, environment: Mapping[str, str], command: str) -> Iterator[str]:
        """What the user should know before the command starts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """Which door is wanted."""

    settings: Settings
    folder: DataFolder
    environment: Mapping[str, str]
    certificates: Certificates | None
    """What the child is told to trust; None: it comes by base URL."""

    @property
    def door(self) -> str:
        """Name of the door's process."""
        return "relay" if self.certificates is None else "intercept"

    def spec(self) -> RelaySpec:
        """A door of its own."""
        mode = "" if self.certificates is None else "regular"
        spec = relay_spec(self.settings)
        return replace(spec, host="127.0.0.1", port=0, token_file="", drain_s=DRAIN_S, log="text", intercept=mode)

    def require(self, running: Running) -> None:
        """The door that runs must be the one that is wanted. Raises UsageError."""
        if running.door != self.door:
            raise UsageError(
                f"data folder {self.folder.path}: its live door is {_A[running.door]}, not {_A[self.door]}; "
                f"{'leave out' if self.certificates else 'add'} --intercept, or give this wrap another --data"
            )

    def way(self, spec: RelaySpec, door_url: str) -> Way:
        """Through that door."""
        if self.certificates is None:
            return base_url_route(spec, door_url, self.environment)
        tag = secrets.token_urlsafe(24)
        return ProxyRoute(door_url=door_url, tag=tag, upstreams=spec.upstreams, certificates=self.certificates)


def base_url_route(spec: RelaySpec, relay_url: str, environment: Mapping[str, str]) -> Route:
    """Through that relay to the upstream that the user's key belongs to."""
    tag = secrets.token_urlsafe(24)
    token = read_token(Path(spec.token_file)) if spec.token_file else ""
    url = environment.get(BASE_URL, "").rstrip("/")
    if url == relay_url.rstrip("/"):
        url = ""  # it points at us already, which names no upstream
    names = _in_order(spec)
    name = next((known for known in names if spec.upstreams[known] == url), None) if url else next(iter(names), None)
    if name is None:
        raise UsageError(
            f"{BASE_URL} is {_without_userinfo(url)}, which is no upstream of the relay that runs; "
            "add it to [upstreams] of its settings, or give this wrap another --data"
            if url
            else "the relay that runs has no upstream"
        )
    segment = "" if name == spec.default_upstream else name
    return Route(
        relay_url=relay_url,
        tag=tag,
        upstream=segment,
        upstream_url=spec.upstreams[name],
        token=token,
        upstreams=spec.upstreams,
    )


def _in_order(spec: RelaySpec) -> list[str]:
    """The default upstream first."""
    return sorted(spec.upstreams, key=lambda name: (name != spec.default_upstream, name))


def _without_userinfo(url: str) -> str:
    return url.rpartition("@")[2] if "@" in url else url
