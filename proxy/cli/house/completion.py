"""`completion SHELL`: what completes our commands in a shell."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from proxy.cli import page
from proxy.cli.root import root

SHELLS = ("bash", "zsh", "fish")
VARIABLE = "_COMPACTION_GATE_COMPLETE"
"""Set by the script when it asks us; click's own name for it."""
WHERE = {
    "bash": 'eval "$(compaction-gate completion bash)"     in ~/.bashrc',
    "zsh": 'eval "$(compaction-gate completion zsh)"     in ~/.zshrc, after compinit',
    "fish": "compaction-gate completion fish > ~/.config/fish/completions/compaction-gate.fish",
}


@click.command(cls=page.Command, example="completion bash >> ~/.bashrc")
@click.argument("shell", type=click.Choice(SHELLS))
def completion(shell: str) -> None:
    """Print the script that completes commands and options in bash, zsh or fish."""
    found = get_completion_class(shell)
    assert found is not None
    script = found(root, {}, page.PROGRAM, VARIABLE).source()
    click.echo(f"# {WHERE[shell]}")
    click.echo(script)
