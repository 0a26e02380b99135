"""Typing a command: the whole command line in this process, with its output and exit code."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import click

from proxy.cli.failures import run
from proxy.cli.root import root


class Typed(NamedTuple):
    """What a command printed and returned."""

    code: int
    out: str
    err: str

    @property
    def lines(self) -> list[str]:
        """Standard output by line."""
        return self.out.splitlines()


def type_command(*arguments: str | Path, command: click.Command = root) -> Typed:
    """Run `compaction-gate ARGUMENTS`."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = run(command, [str(argument) for argument in arguments])
    return Typed(code, out.getvalue(), err.getvalue())


def pages() -> Iterator[tuple[str, click.Command]]:
    """Every command with the words that name it, the subcommands of groups too."""
    context = click.Context(root)
    yield "", root
    for name in root.list_commands(context):
        command = root.get_command(context, name)
        assert command is not None
        yield name, command
        if isinstance(command, click.Group):
            for below in command.list_commands(context):
                inner = command.get_command(context, below)
                assert inner is not None
                yield f"{name} {below}", inner
