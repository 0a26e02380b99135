"""`version`: what is installed."""

from __future__ import annotations

import platform

import click

from proxy.cli import page
from proxy.wiring.version import product_version


@click.command(cls=page.Command, example="version")
def version() -> None:
    """What is installed: this product and the Python that runs it."""
    click.echo(f"{page.PROGRAM} {product_version()} · Python {platform.python_version()}")
