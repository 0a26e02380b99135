"""What an agent program is told, and its tools; nothing but the standard library, for each program runs elsewhere."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, NamedTuple

SYSTEM = "You are a careful engineer."
MODELS = {
    "responses": "gpt-5.4",
    "chat": "gpt-5.4",
    "messages": "claude-opus-4-8",
    "gemini": "gemini-2.5-pro",
}


class Job(NamedTuple):
    """One case."""

    route: str
    talks: list[list[str]]
    """Conversations, each a list of prompts."""
    compacts: bool
    session: str
    """Name of all of its calls' session; empty: nothing names it."""
    snippet: str
    """Lines that make the agent or the model with that name."""

    @property
    def dialect(self) -> str:
        """The route's first word."""
        return self.route.split()[0]

    @property
    def model(self) -> str:
        """A model of the dialect's provider."""
        return MODELS[self.dialect]

    def run(self) -> dict[str, Any]:
        """Run the snippet; gives its names."""
        scope: dict[str, Any] = {"session": self.session}
        exec(self.snippet, scope)  # the very text that the docs print
        return scope

    def made(self, name: str) -> Any:
        """What the snippet makes."""
        return self.run()[name]


def the_job() -> Job:
    """From the command line."""
    return Job(**json.loads(sys.argv[1]))


def read_file(path: str, start_line: int = 1, end_line: int = -1) -> str:
    """Read a text file, or some of its lines."""
    rows = Path(path).read_text(encoding="utf-8").splitlines(keepends=True)
    return "".join(rows[start_line - 1 : None if end_line < 0 else end_line])


def write_file(path: str, content: str) -> str:
    """Write a text file."""
    Path(path).write_text(content, encoding="utf-8")
    return "written"


def run_check(name: str) -> str:
    """Run a named check."""
    return f"{name}: ok"


TOOLS = (read_file, write_file, run_check)
