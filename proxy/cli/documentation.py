"""`docs/commands.md`, from the help pages themselves."""

from __future__ import annotations

from collections.abc import Iterator

import click

from proxy.cli import registry
from proxy.cli.page import PROGRAM
from proxy.cli.root import HELP_OPTIONS, root

HEAD = """\
# Commands

Every command takes `--data DIR` (the data folder) and `--config FILE`, before or after its name. Readers take
`--format text|json`. A session is named by its id, by a unique beginning of it, by what its client calls it
(`x-compaction-session`, the id of Claude Code), or by `last`; a span of time is `90s`, `30m`, `24h` or `7d`. Output is
plain text without colours, on a terminal or not.

| exit code | when |
|---|---|
| 0 | done; a reader of our output that stopped reading is no error |
| 64 | wrong use: unknown command, option or session |
| 65 | a file is not what it should be: no store, a newer version, a bad price or rules file, figures that contradict |
| 69 | an upstream cannot be reached |
| 70 | our own fault; a report without contents and keys is left in the data folder |
| 73 | a folder, file or port cannot be used |
| 78 | bad settings: key, value and origin are named |
| 130 | interrupted |
| others | of `wrap` alone: the command's own status, 128 + n when signal n ended it |
"""
WIDTH = 100


def commands_page() -> str:
    """`docs/commands.md`."""
    parent = click.Context(root, info_name=PROGRAM, terminal_width=WIDTH, help_option_names=HELP_OPTIONS)
    lines = [HEAD]
    for group in registry.GROUPS:
        lines.append(f"## {group}\n")
        for entry in registry.COMMANDS:
            if entry.group == group:
                lines += [f"### {entry.name}: {entry.line}\n", *_pages(parent, entry.name)]
    return "\n".join(lines)


def _pages(parent: click.Context, name: str) -> Iterator[str]:
    command = root.get_command(parent, name)
    assert command is not None
    context = click.Context(command, parent=parent, info_name=name, terminal_width=WIDTH)
    yield f"```\n{_help(context)}\n```\n"
    if isinstance(command, click.Group):
        for below in command.list_commands(context):
            yield from _below(context, command, below)


def _below(context: click.Context, group: click.Group, name: str) -> Iterator[str]:
    command = group.get_command(context, name)
    assert command is not None
    yield f"```\n{_help(click.Context(command, parent=context, info_name=name, terminal_width=WIDTH))}\n```\n"


def _help(context: click.Context) -> str:
    return "\n".join(line.rstrip() for line in context.get_help().splitlines())


if __name__ == "__main__":
    print(commands_page(), end="")  # python -m proxy.cli.documentation > docs/commands.md
