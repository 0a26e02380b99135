from __future__ import annotations

import click

from proxy.cli.page import Command, Group
from tests.support.typed import type_command


def test_the_example_is_the_last_line_of_a_page() -> None:
    @click.group(cls=Group, example="store size")
    def store() -> None:
        """About."""

    @store.command(example="store size --all")
    def size() -> None:
        """Size."""

    assert isinstance(size, Command)
    assert type_command("--help", command=store).lines[-1] == "Example: compaction-gate store size"
    assert type_command("size", "--help", command=store).lines[-1] == "Example: compaction-gate store size --all"
