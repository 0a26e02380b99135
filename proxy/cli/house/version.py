"""`version`: what is installed."""

from __future__ import annotations

import platform
from importlib import metadata

import click

from proxy.cli import page


def product_version() -> str:
    """The installed distribution's version."""
    try:
        return metadata.version(page.PROGRAM)
    except metadata.PackageNotFoundError:
        return "unknown (not installed as a distribution)"


@click.command(cls=page.Command, example="version")
def version() -> None:
    """What is installed: this product and the Python that runs it."""
    click.echo(f"{page.PROGRAM} {product_version()} · Python {platform.python_version()}")
