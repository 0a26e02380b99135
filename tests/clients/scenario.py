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
    CODEX = "codex"
    OPENCODE = "opencode"
    GEMINI_CLI = "gemini-cli"
    CLINE = "cline"
    AIDER = "aider"
    MINI_SWE_AGENT = "mini-swe-agent"
    OPENHANDS = "openhands"
    AGENTS_SDK = "agents-sdk"
    PYDANTIC_AI = "pydantic-ai"
    LANGCHAIN = "langchain"
    LITELLM = "litellm"


FRAMEWORKS = frozenset({Kind.AGENTS_SDK, Kind.PYDANTIC_AI, Kind.LANGCHAIN})
"""Agents with the tools that their user gives them: here those of the re-read protocol, without a shell."""
WITH_SHELL = frozenset({Kind.CODEX, Kind.OPENCODE, Kind.GEMINI_CLI, Kind.CLINE, Kind.MINI_SWE_AGENT, Kind.OPENHANDS})
"""Agents with a shell, and tools that edit files or a shell that does."""
AGENTS = FRAMEWORKS | WITH_SHELL


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
    without: tuple[str, ...] = ()
    """Parts of the names of clients that cannot do it although their kind can."""
    boundaries: tuple[tuple[str, str], ...] = ()
    """Kind and trigger, in order."""
    summaries_each: int = 1
    """Calls by which the client has one summary written."""
    threads: int = 1
    """Of the main session and its sub-agents, all told."""
    environment: Mapping[str, str] = field(default_factory=dict)
    """More variables for the client's process."""
    extra_body: Mapping[str, Any] = field(default_factory=dict)
    """More fields for every request of the SDK."""
    encoding: Encoding = Encoding.IDENTITY
    """Of the provider's answers."""
    compacts: bool = False
    """The client is told to compact early, in its own settings."""
    session: str = ""
    """Name of the session that the lines of docs/clients.md give all calls."""
    both_doors: bool = False
    """Run through the intercept door as well."""
    large_context: bool = False
    """The provider's tokenizer is scaled so that the client's own prompt alone is 60,000 to 80,000 tokens."""

    @property
    def summaries(self) -> int:
        """How many calls must ask for a summary."""
        return self.summaries_each * sum(kind == "client" for kind, _ in self.boundaries)

    def is_for(self, kind: Kind, name: str) -> bool:
        """Whether a client of that name can do it."""
        return kind in self.clients and not any(part in name for part in self.without)

    @property
    def conversations(self) -> int:
        """How many the user has: talks that do not take up a former one."""
        return sum(not (talk.continues or talk.rewind_to) for talk in self.talks)

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
