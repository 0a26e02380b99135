"""`metrics`: every series with its help."""

from __future__ import annotations

import click

from proxy.cli import page
from proxy.metrics.documentation import metric_lines


@click.command(cls=page.Command, example="metrics")
def metrics() -> None:
    """Every series that /metrics can show, with its help."""
    for line in metric_lines():
        click.echo(line)
