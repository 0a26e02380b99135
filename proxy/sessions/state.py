"""What is remembered of a session between two exchanges, and its form on disk.

A state is kept in parts so that a turn rewrites only what it changed: one for the session, one per thread and one
per page of observations. Any observer can load them.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, NamedTuple

import orjson

from proxy.model.facts import InSummary, ToolClass
from proxy.model.ids import CallId, ObservationId, SessionId, ThreadId

FORMAT = 1
PAGE = 64
"""Observations per part."""


@dataclass(slots=True, kw_only=True)
class Seen:
    """One observation."""

    id: ObservationId
    thread: ThreadId
    turn: int
    call: CallId
    tool_class: ToolClass
    key: str
    resources: list[str]
    """Normalised; the first is the one that is shown."""
    span: str
    content_sha256: str
    tokens_ref: int
    unit: bytes
    """Matching digest of the result block that showed it."""
    lines: bytes
    """Packed digests of its significant lines."""
    remaining: bytes = b""
    """While dropped: significant lines that no later call brought back."""
    dropped_by: int | None = None
    dropped_turn: int | None = None
    in_summary: InSummary | None = None
    rewound: bool = False
    """Left by a rewind, not by a compaction: in no branch that is still alive."""

    @property
    def resource(self) -> str:
        """The resource that is shown; empty when the tool has none."""
        return self.resources[0] if self.resources else ""

    def concerns(self, resources: list[str]) -> bool:
        """True when it shows one of these resources."""
        return any(name in resources for name in self.resources)


@dataclass(slots=True, kw_only=True)
class Asked:
    """A tool call whose answer has not come."""

    turn: int
    index: int
    call: CallId
    tool: str
    tool_class: ToolClass
    action: str
    resources: list[str]
    span: str
    key: str
    polling: bool
    form: str
    """How a shell command decorates its lines."""
    rule: str
    arguments_sha256: str
    arguments_tokens_ref: int
    suspected: bool
    asked_us: int = 0
    model_us: int | None = None
    texts: list[bytes] = field(default_factory=list)
    """Runs of lines of the same resource's dropped observations in the texts of the asking turn."""
    opaque: bool = False
    """Some of those texts could not be read."""

    @property
    def resource(self) -> str:
        """The resource that is shown; empty when the tool has none."""
        return self.resources[0] if self.resources else ""


@dataclass(slots=True, kw_only=True)
class Said:
    """What a thread's last reply said at length: it may turn up as the summary in a shortened history."""

    writer: str
    number: int
    part: int
    at_us: int
    lines: bytes
    """Packed significant lines of the text."""
    asked_for: bool
    """The call asked for a summary."""
    trigger: str
    """`manual` or `auto` when the client said so."""


class Signature(NamedTuple):
    """What tells one kind of caller from another inside a session, as digests."""

    tools: str
    system: str
    names: str
    """Of the tools' names alone."""


@dataclass(slots=True, kw_only=True)
class Thread:
    """One linear history."""

    id: ThreadId
    agent: str
    kind: str
    signature: Signature
    turns: int = 0
    attempts: int = 0
    """Tries of the turn that is not there yet."""
    boundaries: int = 0
    history: bytes = b""
    """Packed digests of the last turn's request, summarising calls aside."""
    reply: bytes = b""
    visible: set[ObservationId] = field(default_factory=set)
    """What the model saw as of the last turn, copies included."""
    cleared: int = 0
    """Tool results that the provider said it had cleared at the last turn."""
    compactions: set[str] = field(default_factory=set)
    """Digests of provider summary blocks already counted."""
    asked: list[Asked] = field(default_factory=list)
    demanded: set[str] = field(default_factory=set)
    """Resources that the harness said must be read again."""
    said: Said | None = None
    cwd: str = ""
    """The working directory that the client told the model."""
    shell_cwd: str | None = ""
    """Where its shell was left; None when a command did not say."""
    context_tokens: int | None = None
    cached_tokens: int | None = None
    """Prompt tokens that stood in the provider's cache after the last turn."""
    long_lived: bool = False
    """The last turn wrote with a lifetime of an hour or more."""
    last_us: int = 0
    sent: bytes = b""
    """Packed digests of the last turn's messages as sent; only when contents are kept."""
    frame: list[str] = field(default_factory=list)
    """Names of the last turn's system and tools; only when contents are kept."""
    manifest: str = ""
    """Name of the last turn's manifest; only when contents are kept."""
    last_boundary: dict[str, Any] | None = None
    """The last boundary's fact as plain values: a rolling one is extended turn by turn."""


@dataclass(slots=True)
class SessionState:
    """All threads and observations of one session."""

    session: SessionId
    threads: dict[ThreadId, Thread] = field(default_factory=dict)
    seen: dict[ObservationId, Seen] = field(default_factory=dict)
    first_us: int = 0
    door_effects: str = ""
    """What the client sent through its door, by its last main call."""
    changed: set[str] = field(default_factory=set)
    """Parts to be written."""

    def touch(self, thread: Thread) -> None:
        """Mark a thread for writing."""
        self.changed.add(f"thread/{thread.id}")

    def note(self, at_us: int, door_effects: str | None = None) -> None:
        """Take note of an exchange's time and, of a main call, what its client sent through the door."""
        known = (self.first_us, self.door_effects)
        self.first_us = self.first_us or at_us
        self.door_effects = self.door_effects if door_effects is None else door_effects
        if known != (self.first_us, self.door_effects):
            self.changed.add("session")

    def add(self, seen: Seen) -> None:
        """Take in a new observation."""
        self.seen[seen.id] = seen
        self.changed.add(self._page(len(self.seen) - 1))

    def touch_seen(self, ids: set[ObservationId]) -> None:
        """Mark the pages of some observations for writing."""
        if ids:
            self.changed.update(self._page(i) for i, key in enumerate(self.seen) if key in ids)

    def _page(self, index: int) -> str:
        return f"seen/{index // PAGE:06d}"

    def take_changes(self) -> dict[str, bytes]:
        """The changed parts as bytes; the marks are cleared."""
        parts = {name: self._part(name) for name in sorted(self.changed)}
        self.changed.clear()
        return parts

    def _part(self, name: str) -> bytes:
        kind, _, rest = name.partition("/")
        if kind == "session":
            body: object = {"first_us": self.first_us, "door_effects": self.door_effects}
        elif kind == "thread":
            body = self.threads[ThreadId(rest)]
        else:
            start = int(rest) * PAGE
            body = list(islice(self.seen.values(), start, start + PAGE))
        return orjson.dumps({"format": FORMAT, kind: body}, default=_plain)


def load(session: SessionId, parts: Mapping[str, bytes]) -> SessionState:
    """The state from its parts; an empty mapping is a new session."""
    state = SessionState(session)
    for name in sorted(parts):
        body = orjson.loads(parts[name])
        if "session" in body:
            state.first_us, state.door_effects = body["session"]["first_us"], body["session"]["door_effects"]
        elif "thread" in body:
            thread = _thread(body["thread"])
            state.threads[thread.id] = thread
        else:
            for row in body["seen"]:
                seen = _seen(row)
                state.seen[seen.id] = seen
    return state


def _plain(value: object) -> object:
    """What JSON does not know: bytes as text; sets sorted, so that equal states are equal bytes."""
    match value:
        case bytes():
            return b64encode(value).decode("ascii")
        case set():
            return sorted(value)
        case tuple():
            return list(value)
        case _:
            raise TypeError(f"a state holds no {type(value).__name__}")


def _seen(row: dict[str, Any]) -> Seen:
    for name in ("unit", "lines", "remaining"):
        row[name] = b64decode(row[name])
    row["tool_class"] = ToolClass(row["tool_class"])
    row["in_summary"] = InSummary(row["in_summary"]) if row["in_summary"] else None
    return Seen(**row)


def _thread(row: dict[str, Any]) -> Thread:
    for name in ("history", "reply", "sent"):
        row[name] = b64decode(row[name])
    for name in ("visible", "compactions", "demanded"):
        row[name] = set(row[name])
    row["signature"] = Signature(*row["signature"])
    row["asked"] = [_asked(entry) for entry in row["asked"]]
    if row["said"]:
        row["said"] = Said(**{**row["said"], "lines": b64decode(row["said"]["lines"])})
    return Thread(**row)


def _asked(row: dict[str, Any]) -> Asked:
    row["tool_class"] = ToolClass(row["tool_class"])
    row["texts"] = [b64decode(run) for run in row["texts"]]
    return Asked(**row)
