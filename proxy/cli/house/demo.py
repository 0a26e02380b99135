"""`demo`: one session with one compaction, end to end, without key and network."""

from __future__ import annotations

import shutil
import sys
import time
from pathlib import Path

import click

from proxy.cli import page
from proxy.cli.views.bill import bill_lines
from proxy.demo import show, stage


@click.command(cls=page.Command, example="demo")
@click.option(
    "--folder", type=click.Path(path_type=Path, file_okay=False), default="build/demo", show_default=True,
    help="Where project and data go; an earlier demo there is replaced.",
)  # fmt: skip
def demo(folder: Path) -> None:
    """Play one session with one compaction: a scripted model; agent, relay, observer and store are real.

    Shows arithmetic and wiring, not how a model behaves. Needs no key and no network.
    """
    began = time.monotonic()
    settings = stage.play(folder.absolute())
    with stage.opened(settings) as reader:
        played = show.found(reader)
    for line in show.lines(played, bill_lines=bill_lines):
        click.echo(line)
    data = folder / "data"
    click.echo(f"\n  sessions  {data}   ·   {time.monotonic() - began:.0f} s in all\n")
    for line in show.closing(str(data), folder="" if shutil.which(page.PROGRAM) else str(Path(sys.prefix) / "bin")):
        click.echo(line)
