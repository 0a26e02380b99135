"""`observe`: the observer alone."""

from __future__ import annotations

import click

from proxy.cli import page, settings
from proxy.cli.invocation import Invocation
from proxy.wiring.logs import start_logging
from proxy.wiring.observer import observe_until_idle, serve_observer


@click.command(cls=page.Command, example="observe --until-idle")
@click.option("--until-idle", is_flag=True, help="End when everything in the journal has been read.")
@click.pass_obj
def observe(invocation: Invocation, *, until_idle: bool) -> None:
    """Read the journal of a data folder into its store. One observer at a time reads a journal."""
    said = settings.read(invocation).settings
    start_logging(said.admin.log, "observer")
    if until_idle:
        observe_until_idle(said)
    else:
        serve_observer(said)
