"""What a scripted model can do in one turn, and what can go wrong with the answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any


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
    """Any tool, by name. A free-text tool (`apply_patch`) takes its text as the argument `input`."""

    name: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Finish:
    """The work is done: said by a call where a client waits for one, else as text."""

    text: str


@dataclass(frozen=True, slots=True)
class Either:
    """The first of several actions that the client has a tool for."""

    choices: tuple[ToolAction, ...]


ToolAction = Read | Search | Edit | Write | Run | Delegate | Tool | Finish | Either
Action = Say | Think | ToolAction


class FaultKind(StrEnum):
    """What goes wrong with an answer."""

    STATUS = "status"
    """An error status instead of an answer."""
    STREAM_ERROR = "stream_error"
    """The dialect's overload error after half of the frames (whole answers: its status)."""
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
    """529, Anthropic's word for overloaded, is said as 503 by the others."""
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
