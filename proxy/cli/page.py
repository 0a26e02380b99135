"""Commands whose help page ends with one example that works, and that take the global options in any place."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from proxy.cli.invocation import Invocation

PROGRAM = "compaction-gate"


def _note(context: click.Context, option: click.Parameter, value: Path | None) -> None:
    if value is not None and isinstance(context.obj, Invocation):
        setattr(context.obj, str(option.name), value)


def global_options() -> list[click.Parameter]:
    """`--data` and `--config`; they mean the same before and after a command's name."""
    # Whether they can be read is found out when they are: that is no wrong use (64).
    data = click.Path(path_type=Path, file_okay=False, readable=False)
    config = click.Path(path_type=Path, readable=False)
    return [
        click.Option(["--data"], type=data, expose_value=False, callback=_note, help="Data folder (store.data)."),
        click.Option(["--config"], type=config, expose_value=False, callback=_note, help="Settings file."),
    ]


class _Page(click.Command):
    """Takes the global options, and writes `Example:` as the last line of its help."""

    def __init__(self, *args: Any, example: str, **extra: Any) -> None:  # noqa: ANN401  click's own signature
        super().__init__(*args, **extra)
        self.params += global_options()
        self.example = f"{PROGRAM} {example}"

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Put the example under everything else."""
        super().format_epilog(ctx, formatter)
        formatter.write(f"\nExample: {self.example}\n")


class Command(_Page):
    """A command."""


class Group(_Page, click.Group):
    """A command with commands of its own, such as `store`."""

    command_class = Command
