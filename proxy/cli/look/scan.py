"""`scan PATH…`: what past compactions cost, from transcripts that lie on the disk."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from config.settings import Settings
from proxy.cli import options, page, settings
from proxy.cli.objects import echo_object
from proxy.cli.reading import now_us
from proxy.cli.scanning.limits import limits
from proxy.cli.scanning.work import available_cores
from proxy.cli.scanning.work import scan as scan_paths
from proxy.cli.views.scan import Told, scan_lines
from proxy.cli.views.scan_json import scan_object
from proxy.model.errors import InputError
from proxy.transcripts.discovery import default_paths
from proxy.transcripts.lines import reason_of
from proxy.wiring.folder import write_private
from proxy.wiring.scan import scanning_journey
from proxy.wiring.settings import data_folder

KEPT = "last-scan.json"
"""In the data folder: the paths of the last scan that was kept, for `--last-scan` of other commands."""
KEPT_FORMAT = "compaction-gate last scan"


@click.command(cls=page.Command, example="scan ~/.claude/projects --since 30d")
@click.argument("paths", metavar="[PATH]...", nargs=-1, type=click.Path(path_type=Path, readable=False))
@options.since
@options.output_format
@click.option("--jobs", type=click.IntRange(min=1), metavar="N", help="Processes; one for each core if not given.")
@click.option("--suggest-limits", is_flag=True, help="Propose limits for a policy, from what was found.")
@click.option("--keep", is_flag=True, help="Keep the list of scanned paths in the data folder, and nothing else.")
@click.pass_context
def scan(context: click.Context, /, paths: Sequence[Path], **said: Any) -> None:  # noqa: ANN401  click's options
    """Read what Claude Code and Codex left on the disk: compactions, what was read again, what it cost.

    PATH is a file or a folder; without one, ~/.claude/projects and ~/.codex/sessions. Nothing is sent, and nothing is
    stored. Files that are no transcript are named and passed over. docs/scan.md tells what a transcript can show.
    """
    found = settings.read(context.obj).settings
    now = now_us()
    paths = list(paths) or default_paths(Path.home())
    scanned = scan_paths(
        paths,
        scanning_journey(found),
        jobs=said["jobs"] or available_cores(),
        since_us=now - said["since"] if said["since"] else 0,
    )
    proposed = limits(scanned.accounts) if said["suggest_limits"] else []
    if said["form"] == "json":
        told = scan_object(scanned, as_of_us=now, limits=proposed)
        echo_object(told)
    else:
        click.echo("\n".join(scan_lines(Told(scan=scanned, as_of_us=now, limits=proposed, kept=said["keep"]))))
    if said["keep"]:
        _keep(found, paths, now)
    for path in paths:
        if reason := _unreadable(path):
            raise InputError(str(path), "", reason, "a file or folder that can be read")


def _unreadable(path: Path) -> str:
    """Why a path that was named cannot be read at all; empty when it can."""
    try:
        mode = os.R_OK | os.X_OK if path.is_dir() else os.R_OK
        path.stat()
    except OSError as error:
        return reason_of(error)
    return "" if os.access(path, mode) else "permission denied"


def _keep(found: Settings, paths: Sequence[Path], now: int) -> None:
    folder = data_folder(found)
    folder.prepare()
    kept = {"format": KEPT_FORMAT, "version": 1, "at_us": now, "paths": [str(path.absolute()) for path in paths]}
    write_private(folder.path / KEPT, json.dumps(kept, indent=2))
