"""Commands whose help page ends with one example that works."""

from __future__ import annotations

from typing import Any

import click

PROGRAM = "compaction-gate"


class _WithExample(click.Command):
    """Writes `Example:` as the last line of its help."""

    def __init__(self, *args: Any, example: str, **extra: Any) -> None:  # noqa: ANN401  click's own signature
        super().__init__(*args, **extra)
        self.example = f"{PROGRAM} {example}"

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Put the example under everything else."""
        super().format_epilog(ctx, formatter)
        formatter.write(f"\nExample: {self.example}\n")


class Command(_WithExample):
    """A command."""


class Group(_WithExample, click.Group):
    """A command with commands of its own, such as `store`."""

    command_class = Command
