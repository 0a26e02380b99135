"""The lines of docs/clients.md that name a session: what a reader copies is what was run."""

from __future__ import annotations

import re
from pathlib import Path

from tests.clients.scenario import Kind

DOCS = Path(__file__).parents[2] / "docs" / "clients.md"
_SNIPPET = re.compile(r"<!-- snippet: (?P<kind>[a-z-]+) -->\n```\w*\n(?P<text>.*?)```\n", re.DOTALL)


def snippets(docs: str) -> dict[str, str]:
    """The text of each snippet by the client it is for."""
    return {found["kind"]: found["text"] for found in _SNIPPET.finditer(docs)}


NAME = "review-42"
"""What a file of settings calls its session in the docs."""


def settings_file(kind: Kind) -> str:
    """The lines for a client that reads a file, with a name of its own in them."""
    return snippet(kind).replace(NAME, f"{NAME} of {kind}")


def snippet(kind: Kind) -> str:
    """The lines for one client."""
    return snippets(DOCS.read_text(encoding="utf-8"))[kind]
