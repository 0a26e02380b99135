"""`version`: what is installed."""

from __future__ import annotations

import platform

import click

from proxy.build.version import product_version
from proxy.cli import page


@click.command(cls=page.Command, example="version")
def version() -> None:
    """What is installed: this product and the Python that runs it."""
    click.echo(f"{page.PROGRAM} {product_version()} · Python {platform.python_version()}")
