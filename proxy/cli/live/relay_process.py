"""`_relay`: the entry of a relay's process."""

from __future__ import annotations

import json
import os
from pathlib import Path

import click

from proxy.cli import page
from proxy.relay.server import Listening
from proxy.wiring.logs import start_logging
from proxy.wiring.relay import serve_relay
from proxy.wiring.spec import read_relay_spec


@click.command("_relay", cls=page.Command, hidden=True, example="_relay --spec relay.spec.json")
@click.option("--spec", type=click.Path(path_type=Path), required=True, help="What the relay is told.")
@click.option("--ready-fd", type=int, help="Where it says that it listens.")
def relay(spec: Path, ready_fd: int | None) -> None:
    """Run a relay alone: what `serve` and `wrap` start."""
    told = read_relay_spec(spec)
    start_logging(told.log, "relay")

    def ready(listening: Listening) -> None:
        if ready_fd is not None:
            with os.fdopen(ready_fd, "w", encoding="utf-8") as out:
                out.write(json.dumps({"host": listening.host, "port": listening.port}) + "\n")

    serve_relay(told, ready)
