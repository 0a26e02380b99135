from __future__ import annotations

from pathlib import Path

from proxy.cli.documentation import commands_page
from tests.support.typed import pages

DOCS = Path(__file__).parents[3] / "docs"


def test_the_document_is_what_the_help_says() -> None:
    """After a change: python -m proxy.cli.documentation > docs/commands.md."""
    assert (DOCS / "commands.md").read_text() == commands_page()


def test_every_command_is_in_it_and_none_of_our_own_processes() -> None:
    page = commands_page()
    for name, _ in pages():
        if name:
            assert (f"Usage: compaction-gate {name} " in page) is not name.startswith("_"), name
