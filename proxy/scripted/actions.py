"""What a scripted model can do in one turn, in the words of each client's tools; what can go wrong with the answer."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple


@dataclass(frozen=True, slots=True)
class Say:
    """Text for the user."""

    text: str


@dataclass(frozen=True, slots=True)
class Think:
    """A signed thinking block."""

    text: str


@dataclass(frozen=True, slots=True)
class Read:
    """The content of a file, or of lines `first` to `last` (1-based, inclusive)."""

    path: str
    first: int | None = None
    last: int | None = None


@dataclass(frozen=True, slots=True)
class Search:
    """Where a text occurs below a folder."""

    text: str
    folder: str = "."


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace one text by another in a file."""

    path: str
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class Write:
    """A whole file."""

    path: str
    content: str


@dataclass(frozen=True, slots=True)
class Run:
    """A shell command, or a named check where the client has no shell."""

    command: str


@dataclass(frozen=True, slots=True)
class Delegate:
    """Start a sub-agent; its prompt names a script of its own."""

    prompt: str
    kind: str = "general-purpose"


@dataclass(frozen=True, slots=True)
class Tool:
    """Any tool, by name."""

    name: str
    arguments: Mapping[str, Any]


ToolAction = Read | Search | Edit | Write | Run | Delegate | Tool
Action = Say | Think | ToolAction


class FaultKind(StrEnum):
    """What goes wrong with an answer."""

    STATUS = "status"
    """An error status instead of an answer."""
    STREAM_ERROR = "stream_error"
    """An `overloaded_error` event after half of the frames (whole answers: status 529)."""
    CUT = "cut"
    """The connection ends after half of the pieces."""
    USAGE_MISSING = "usage_missing"
    SLOW = "slow"
    """`delay_s` before the first byte."""
    WRONG_ENCODING = "wrong_encoding"
    """Labelled gzip, sent plain."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """A fault of the first `times` tries of a step; later tries are answered well."""

    kind: FaultKind
    times: int = 1
    status: int = 529
    retry_after_s: int | None = None
    delay_s: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One decision of a policy, ready to be answered."""

    blocks: tuple[Mapping[str, Any], ...]
    """Content blocks as the wire has them."""
    stop_reason: str
    label: str
    """`script.step`, for the ledger; empty without a script."""
    fault: Fault | None = None


class ToolCall(NamedTuple):
    """A tool and its arguments."""

    name: str
    arguments: dict[str, Any]


def _without_none(**arguments: str | int | None) -> dict[str, Any]:
    return {name: value for name, value in arguments.items() if value is not None}


def _claude_read(action: Read) -> ToolCall:
    count = None if action.last is None else action.last - (action.first or 1) + 1
    return ToolCall("Read", _without_none(file_path=action.path, offset=action.first, limit=count))


def _claude_edit(action: Edit) -> ToolCall:
    return ToolCall("Edit", {"file_path": action.path, "old_string": action.old, "new_string": action.new})


def _claude_search(action: Search) -> ToolCall:
    command = f"grep -rn {shlex.quote(action.text)} {shlex.quote(action.folder)}"
    return ToolCall("Bash", {"command": command, "description": "Search"})


def _claude_delegate(action: Delegate) -> ToolCall:
    arguments = {"description": "Delegated work", "prompt": action.prompt, "subagent_type": action.kind}
    return ToolCall("Agent", arguments)


Words = Mapping[type, Callable[[Any], ToolCall]]

CLAUDE_CODE: Words = {
    Read: _claude_read,
    Search: _claude_search,
    Edit: _claude_edit,
    Write: lambda action: ToolCall("Write", {"file_path": action.path, "content": action.content}),
    Run: lambda action: ToolCall("Bash", {"command": action.command, "description": "Run"}),
    Delegate: _claude_delegate,
}

PLAIN: Words = {
    Read: lambda action: ToolCall(
        "read_file", _without_none(path=action.path, start_line=action.first, end_line=action.last)
    ),
    Search: lambda action: ToolCall("search_files", {"query": action.text}),
    Write: lambda action: ToolCall("write_file", {"path": action.path, "content": action.content}),
    Run: lambda action: ToolCall("run_check", {"name": action.command}),
}
"""The four tools of the re-read protocol (S0)."""


def in_words(action: ToolAction, offered: frozenset[str]) -> ToolCall | None:
    """The call a client with these tools understands; None when it offers nothing for the action."""
    if isinstance(action, Tool):
        return ToolCall(action.name, dict(action.arguments)) if action.name in offered else None
    for words in (CLAUDE_CODE, PLAIN):
        if type(action) in words:
            call = words[type(action)](action)
            if call.name in offered:
                return call
    return None
