"""The command `compaction-gate`: global options, help grouped by job, each command imported when it is called."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

from proxy.cli import page, registry

_USAGE, _LINE = 38, 30
HELP_OPTIONS = ["-h", "--help"]


class OutputClosed(Exception):  # noqa: N818  no error: `compaction-gate sessions | head` is done
    """Whoever read our output has stopped reading."""


class Root(page.Group):
    """Looks its commands up in the registry."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  click's own signature
        """Names in the order of the help."""
        return [entry.name for entry in registry.COMMANDS]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Import the command's file."""
        entry = registry.entry(cmd_name)
        if entry is None:
            return None
        module = importlib.import_module(f"proxy.cli.{entry.place}")
        command = getattr(module, entry.attribute)
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """One table by job, from the registry alone."""
        for group in registry.GROUPS:
            formatter.write(f"\n{group}\n")
            for entry in registry.COMMANDS:
                if entry.group == group:
                    example = f"{page.PROGRAM} {entry.example}"
                    formatter.write(f"  {entry.usage:<{_USAGE}}{entry.line:<{_LINE}}{example}\n")

    def make_context(self, *args: Any, **extra: Any) -> click.Context:  # noqa: ANN401  click's own signature
        """Read the command line; help pages are printed here."""
        with _telling_a_closed_pipe():
            return super().make_context(*args, **extra)

    def invoke(self, ctx: click.Context) -> object:
        """Run the command."""
        with _telling_a_closed_pipe():
            return super().invoke(ctx)


@contextmanager
def _telling_a_closed_pipe() -> Iterator[None]:
    """Apart from a fault, before click makes its own of it."""
    try:
        yield
    except BrokenPipeError as error:
        raise OutputClosed from error


@click.group(
    cls=Root,
    name=page.PROGRAM,
    example="wrap -- claude",
    context_settings={"help_option_names": HELP_OPTIONS, "max_content_width": 120},
)
def root() -> None:
    """See what an agent pays when its context is compacted.

    Nothing is sent anywhere but to your provider; nothing is edited; keys never reach a disk.
    """
