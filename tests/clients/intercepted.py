"""The intercept door for a real client: it keeps its own base URL and reaches the scripted provider in its host's name.

client ─HTTPS_PROXY─▶ intercept door ─egress proxy─▶ `tunnelling` ─▶ scripted provider with TLS
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from proxy.supervisor.ways.proxied import Certificates, ProxyRoute

ROOT = Path(__file__).parents[2]
READY_S = 60.0
PROVIDERS = {
    "anthropic": "https://api.anthropic.com",
    "openai": "https://api.openai.com",
    "chatgpt": "https://chatgpt.com/backend-api/codex",
    "gemini": "https://generativelanguage.googleapis.com",
}
"""The hosts that clients speak to when nobody tells them another base URL."""


@dataclass(frozen=True, slots=True)
class Intercepted:
    """A running door."""

    url: str
    admin: str
    data: Path

    def variables(self, environment: Mapping[str, str]) -> dict[str, str]:
        """What a client is told beside its environment: proxy and certificates, no base URL."""
        folder = self.data / "intercept"
        certificates = Certificates(folder / "ca.pem", folder / "bundle.pem")
        route = ProxyRoute(door_url=self.url, tag="", upstreams=PROVIDERS, certificates=certificates)
        return route.variables(environment)


@asynccontextmanager
async def intercepting(data: Path, *, egress: str, ca_bundle: Path) -> AsyncIterator[Intercepted]:
    """Run `compaction-gate intercept` inside the block and let it drain at its end.

    Args:
        data: Its data folder.
        egress: Address of the forward proxy that leads every tunnel to the provider (`tunnel.tunnelling`).
        ca_bundle: Certificate by which the provider's TLS is believed.
    """
    ready = data.with_name(f"{data.name}.ready")
    settings = {f"COMPACTION_GATE_UPSTREAMS_{name.upper()}_URL": url for name, url in PROVIDERS.items()}
    own = {
        "PYTHONPATH": str(ROOT),
        "XDG_CONFIG_HOME": str(data),
        "COMPACTION_GATE_EGRESS_PROXY": egress,
        "COMPACTION_GATE_EGRESS_CA_BUNDLE": str(ca_bundle),
        "COMPACTION_GATE_CAPTURE_FREE_DISK_FLOOR_GIB": "0",
    }
    command = [sys.executable, "-m", "gate", "--data", str(data), "intercept", "--port", "0", "--admin", "127.0.0.1:0"]
    process = await asyncio.create_subprocess_exec(
        *command,
        *("--ready-file", str(ready)),
        env=os.environ | settings | own,
        cwd=ROOT,
        stdout=asyncio.subprocess.DEVNULL,
    )
    try:
        async with asyncio.timeout(READY_S):
            while not ready.exists():
                assert process.returncode is None, "the door did not start: its reason stands above"
                await asyncio.sleep(0.05)
        told = json.loads(ready.read_text())
        yield Intercepted(told["relay"], told["admin"], data)
    finally:
        if process.returncode is None:
            process.send_signal(signal.SIGTERM)
            await process.wait()
