"""`_intercept`: the entry of an intercept door's process."""

from __future__ import annotations

import json
import os
from pathlib import Path

import click

from proxy.cli import page
from proxy.relay.server import Listening
from proxy.wiring.logs import start_logging
from proxy.wiring.spec import read_relay_spec

KEY_LOGS = ("SSLKEYLOGFILE", "MITMPROXY_SSLKEYLOGFILE")
"""Where mitmproxy would write the keys of every connection; it looks when it is imported."""


@click.command("_intercept", cls=page.Command, hidden=True, example="_intercept --spec intercept.spec.json")
@click.option("--spec", type=click.Path(path_type=Path), required=True, help="What the door is told.")
@click.option("--ready-fd", type=int, help="Where it says that it listens.")
def intercept(spec: Path, ready_fd: int | None) -> None:
    """Run an intercept door alone: what `intercept` and `wrap --intercept` start."""
    for name in KEY_LOGS:
        os.environ.pop(name, None)
    from proxy.wiring.intercept import serve_intercept  # noqa: PLC0415  needs the extra, and takes its time

    told = read_relay_spec(spec)
    start_logging(told.log, "intercept")

    def ready(listening: Listening) -> None:
        if ready_fd is not None:
            with os.fdopen(ready_fd, "w", encoding="utf-8") as out:
                out.write(json.dumps({"host": listening.host, "port": listening.port}) + "\n")

    serve_intercept(told, ready)
