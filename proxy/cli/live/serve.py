"""`serve`: relay and observer, and a listener for probes and scrapes."""

from __future__ import annotations

import asyncio
from pathlib import Path

import click

from proxy.cli import page, settings
from proxy.cli.invocation import Invocation
from proxy.supervisor.service import Serving
from proxy.supervisor.service import serve as run_service
from proxy.wiring.logs import start_logging
from proxy.wiring.version import product_version


@click.command(cls=page.Command, example="serve --config gate.toml")
@click.option("--record", is_flag=True, help="Keep contents too (capture.contents = full).")
@click.option("--listen", metavar="HOST:PORT", help="Where the relay listens (relay.listen).")
@click.option("--admin", metavar="HOST:PORT", help="Where /healthz /readyz /metrics listen (admin.listen).")
@click.option("--ready-file", type=click.Path(path_type=Path, dir_okay=False), help="Write addresses here when ready.")
@click.pass_obj
def serve(
    invocation: Invocation, *, record: bool, listen: str | None, admin: str | None, ready_file: Path | None
) -> None:
    """Run the relay and the observer until SIGTERM or Ctrl-C, then let streams end.

    Point an agent at the address that is printed, or use `wrap`. A second Ctrl-C cuts what still streams.
    """
    said = settings.read(
        invocation,
        relay__listen=("--listen", listen),
        admin__listen=("--admin", admin),
        capture__contents=("--record", "full" if record else None),
    ).settings
    start_logging(said.admin.log, "supervisor")
    asyncio.run(run_service(said, version=product_version(), announce=_announce, ready_file=ready_file))


def _announce(serving: Serving) -> None:
    for line in banner(serving):
        click.echo(line)


def banner(serving: Serving) -> list[str]:
    """Where it listens, and the next command."""
    return [
        f"relay   {serving.relay_url}     ANTHROPIC_BASE_URL for any client; `compaction-gate wrap -- claude` sets it",
        f"admin   {serving.admin_url}     /healthz /readyz /metrics",
        f"data    {serving.data}",
        "next    compaction-gate status",
    ]
