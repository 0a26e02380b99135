"""One running door with a place for providers behind it: cases go through it one after the other."""

from __future__ import annotations

import socket
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from proxy.cli.live.certificates import certificates
from proxy.supervisor.ways.proxied import ProxyRoute
from proxy.wiring.folder import DataFolder
from tests.clients import product
from tests.clients.programs.client import PROVIDERS, Door, Entry
from tests.clients.tunnel import tunnelling
from tests.support.scripted import make_tls

COMMON: product.Settings = {
    "admin": {"listen": "127.0.0.1:0"},
    "capture": {"free_disk_floor_gib": 0},
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Lane:
    """Where a case's provider listens, and what its client is told."""

    port: int
    entry: Entry
    running: product.Product | None = None
    """None: the client speaks to the provider without us."""
    tls: ssl.SSLContext | None = None
    """Of the provider, where clients look for it under its own name."""


@asynccontextmanager
async def relay_lane(folder: Path) -> AsyncIterator[Lane]:
    """A relay, and clients that are told a base URL."""
    _make(folder)
    port = free_port()
    here = f"http://127.0.0.1:{port}"
    settings: product.Settings = {
        **COMMON,
        "relay": {"listen": "127.0.0.1:0", "default_upstream": "scripted", "drain_s": 5},
        "upstreams.scripted": {"url": here},
        "upstreams.chatgpt": {"url": f"{here}/backend-api/codex"},
    }
    async with product.serving(("serve",), settings, folder) as running:
        yield Lane(port=port, entry=Entry(url=running.door_url), running=running)


@asynccontextmanager
async def intercept_lane(folder: Path) -> AsyncIterator[Lane]:
    """An intercept door, and clients that are told a proxy; the providers' names lead to the scripted one."""
    _make(folder)
    port = free_port()
    tls = make_tls(folder, *PROVIDERS.values())
    async with tunnelling(port) as way_out:
        settings: product.Settings = {
            **COMMON,
            "relay": {"drain_s": 5},
            "egress": {"proxy": way_out, "ca_bundle": str(tls.bundle)},
            **{f"upstreams.{name}": {"url": f"https://{host}"} for name, host in PROVIDERS.items()},
        }
        async with product.serving(("intercept", "--port", "0"), settings, folder) as running:
            route = ProxyRoute(
                door_url=running.door_url,
                tag="clients",
                upstreams={name: f"https://{host}" for name, host in PROVIDERS.items()},
                certificates=certificates(DataFolder(folder / "data"), tls.bundle),
            )
            entry = Entry(door=Door.INTERCEPT, variables=route.variables({}))
            yield Lane(port=port, entry=entry, running=running, tls=tls.server)


@asynccontextmanager
async def straight_lane(folder: Path) -> AsyncIterator[Lane]:
    """Nothing of ours: does the client follow the script at all?"""
    _make(folder)
    port = free_port()
    yield Lane(port=port, entry=Entry(url=f"http://127.0.0.1:{port}"))


LANES = {Door.BASE_URL: relay_lane, Door.INTERCEPT: intercept_lane}


def _make(folder: Path) -> None:
    folder.mkdir(parents=True)


def free_port() -> int:
    """A port of loopback that nobody listens on."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])
