from __future__ import annotations

from proxy.cli import registry
from proxy.cli.page import Group
from tests.support.typed import pages


def test_the_usage_in_the_overview_names_the_subcommands_that_exist() -> None:
    for name, command in pages():
        entry = registry.entry(name)
        if entry is not None and isinstance(command, Group):
            assert sorted(entry.usage.split()[1].strip("[]").split("|")) == sorted(command.commands)


def test_names_are_unique_and_groups_follow_the_work() -> None:
    names = [entry.name for entry in registry.COMMANDS]
    assert len(names) == len(set(names))
    assert registry.GROUPS == ("LOOK", "LIVE", "KEEP", "HOUSE")
    assert registry.entry("nothing") is None
