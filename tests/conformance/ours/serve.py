"""`python -m tests.conformance.ours.serve FOLDER`: the child that `relay` starts; FOLDER/spec.json says how."""

from __future__ import annotations

import asyncio
import json
import sys
import time
from pathlib import Path

import uvloop

from proxy.journal.limits import JournalLimits
from proxy.journal.writer import JournalWriter
from proxy.page.memory import Page
from proxy.relay.counters import vocabulary
from proxy.relay.server import Listening, run_relay
from proxy.relay.settings import Egress, RelaySettings, Upstream
from tests.conformance.ours.relay import NEVER, Spec


def main(folder: Path) -> None:
    """Serve until told to stop; the port is said on the first line of stdout."""
    spec = Spec(**json.loads((folder / "spec.json").read_text()))
    limits = JournalLimits() if spec.is_recorded else JournalLimits(free_floor_bytes=NEVER)
    journal = JournalWriter(folder / "journal", settings=limits, clock=time)
    page = Page(folder / "relay.page", vocabulary(spec.upstreams))
    try:
        relaying = run_relay(settings_of(spec, folder), journal, page, ready=say_port)
        asyncio.run(relaying, loop_factory=uvloop.new_event_loop)
    finally:
        journal.close()
        page.close()


def settings_of(spec: Spec, folder: Path) -> RelaySettings:
    """The relay's settings for what a probe wants."""
    tags = folder / "runs"
    tags.write_text("".join(f"{digest}\n" for digest in spec.run_digests))
    return RelaySettings(
        upstreams={
            name: Upstream.from_url(name, url, server_name=spec.server_names.get(name, ""))
            for name, url in spec.upstreams.items()
        },
        default_upstream=spec.default,
        listen_fd=spec.listen_fd,
        token_sha256=spec.token_sha256,
        run_tags=tags,
        connect_timeout_s=spec.connect_timeout_s,
        drain_s=spec.drain_s,
        egress=Egress.through(spec.egress, spec.egress_exceptions),
        ca_bundle=Path(spec.ca_bundle) if spec.ca_bundle else None,
    )


def say_port(listening: Listening) -> None:
    """Tell the parent."""
    print(listening.port, flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
