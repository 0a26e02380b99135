"""The agent's four tools (S0), with real effects in one folder."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

MOST_HITS = 12

DEFINITIONS: list[dict[str, Any]] = [
    {
        "name": "search_files",
        "description": "Lines that contain a text, as path:line:text.",
        "input_schema": {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]},
    },
    {
        "name": "read_file",
        "description": "A file, or its lines start_line to end_line.",
        "input_schema": {
            "type": "object",
            "properties": {
                "path": {"type": "string"},
                "start_line": {"type": "integer"},
                "end_line": {"type": "integer"},
            },
            "required": ["path"],
        },
    },
    {
        "name": "write_file",
        "description": "Write a whole file.",
        "input_schema": {
            "type": "object",
            "properties": {"path": {"type": "string"}, "content": {"type": "string"}},
            "required": ["path", "content"],
        },
    },
    {
        "name": "run_check",
        "description": "Run a named check of the project.",
        "input_schema": {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]},
    },
]
"""As offered to the model."""


class CheckFailedError(Exception):
    """A check of the project does not hold; the message says what was expected and found."""


@dataclass(frozen=True, slots=True)
class Toolbox:
    """Runs calls. A call that cannot be done is answered with the reason, as an error."""

    folder: Path
    checks: Mapping[str, Callable[[Path], str]]

    def run(self, name: str, arguments: Mapping[str, Any]) -> tuple[str, bool]:
        """The answer, and whether it is an error."""
        try:
            return self._tools()[name](**arguments), False
        except CheckFailedError as failure:
            return f"{name} {arguments['name']} failed: {failure}", True
        except (KeyError, TypeError, OSError, ValueError) as failure:
            return f"{type(failure).__name__}: {failure}", True

    def _tools(self) -> Mapping[str, Callable[..., str]]:
        return {
            "search_files": self._search_files,
            "read_file": self._read_file,
            "write_file": self._write_file,
            "run_check": lambda name: self.checks[name](self.folder),
        }

    def _search_files(self, query: str) -> str:
        hits = [
            f"{path.relative_to(self.folder)}:{number}:{line.strip()}"
            for path in sorted(self.folder.rglob("*"))
            if path.is_file()
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
            if query in line
        ]
        more = [f"… and {len(hits) - MOST_HITS} more"] if len(hits) > MOST_HITS else []
        return "\n".join([*hits[:MOST_HITS], *more]) or "no hits"

    def _read_file(self, path: str, start_line: int = 1, end_line: int | None = None) -> str:
        lines = self._inside(path).read_text(encoding="utf-8").splitlines(keepends=True)
        return "".join(lines[start_line - 1 : end_line])

    def _write_file(self, path: str, content: str) -> str:
        self._inside(path).write_text(content, encoding="utf-8")
        return f"wrote {len(content.encode())} bytes to {path}"

    def _inside(self, path: str) -> Path:
        found = (self.folder / path).resolve()
        if not found.is_relative_to(self.folder.resolve()):
            raise ValueError(f"{path} is outside the project")
        return found
