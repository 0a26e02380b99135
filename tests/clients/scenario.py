"""What a scenario is: files, a script for the provider, what the user types, and what must be found afterwards."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from proxy.scripted.script import Script
from proxy.scripted.settings import Encoding


class Kind(StrEnum):
    """Clients that differ in what they can be made to do."""

    CLAUDE_CODE = "claude-code"
    SDK = "anthropic-sdk"


@dataclass(frozen=True, slots=True, kw_only=True)
class Talk:
    """One process of the client and what is typed into it."""

    prompts: tuple[str, ...]
    continues: bool = False
    """Takes up the former process's session."""
    rewind_to: int | None = None
    """Takes it up as it was after this many answers of the model."""


Label = str | Mapping[str, str]
"""A class of design §7; by client where clients differ."""

REPEAT: Label = {"2.1.197": "attempted", "": "repeat_visible"}
"""The same file again while it stands in view: 2.1.197 answers with a stub of its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """One case."""

    name: str
    why: str
    """What it shows, in a sentence."""
    files: Mapping[str, str]
    scripts: Callable[[Path], tuple[Script, ...]]
    """From the folder the client works in."""
    talks: tuple[Talk, ...]
    labels: Mapping[str, Label]
    """Call, as `script.step.place`, to its class; calls that are no re-reads may be left out."""
    needed: int = 0
    """Least number of reads that the policy must find needed, because the content is out of its sight. Which files a
    client puts back after a compaction is its own affair; each of these reads must be a `reacquisition`."""
    clients: frozenset[Kind] = frozenset({Kind.CLAUDE_CODE})
    boundaries: tuple[tuple[str, str], ...] = ()
    """Kind and trigger, in order."""
    threads: int = 1
    """Of the main session and its sub-agents, all told."""
    environment: Mapping[str, str] = field(default_factory=dict)
    """More variables for the client's process."""
    extra_body: Mapping[str, Any] = field(default_factory=dict)
    """More fields for every request of the SDK."""
    encoding: Encoding = Encoding.IDENTITY
    """Of the provider's answers."""
    large_context: bool = False
    """The provider's tokenizer is scaled so that the client's own prompt alone is 60,000 to 80,000 tokens."""

    def label(self, call: str, version: str) -> str | None:
        """The class this call must get with this client; None when the scenario does not say."""
        wanted = self.labels.get(call)
        if wanted is None or isinstance(wanted, str):
            return wanted
        return wanted.get(version, wanted[""])


CALL_PLACE = re.compile(r"toolu_(?P<script>[a-z0-9-]+)_(?P<step>\d+)_(?P<place>[anh]\d+)_")


def place_of(call_id: str) -> str:
    """The place in a script that a call id names; the id itself for foreign ones."""
    found = CALL_PLACE.match(call_id)
    return f"{found['script']}.{found['step']}.{found['place']}" if found else call_id


def is_needed(place: str) -> bool:
    """Whether the policy made this call because it did not see what it needed."""
    return place.rpartition(".")[2].startswith("n")


def lines(name: str, count: int) -> str:
    """A file of distinct lines."""
    return "".join(f"{name} line {number}\n" for number in range(1, count + 1))
