"""One linear history as it is remembered: what was seen, asked and said on it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from proxy.model.facts import InSummary, ToolClass
from proxy.model.ids import CallId, ObservationId, ThreadId


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


class InView(NamedTuple):
    """What a request's context held by kind, in reference tokens; None where the traffic does not tell."""

    system: int | None
    tools: int | None
    said: int
    """Texts and calls; results aside."""
    summary: int | None
    """Of what was said: the summaries. None when one cannot be read."""


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
    window: str = ""
    """The client's own number of the context window that its last request stood in."""
    held: str = ""
    """The reply id of the thread's newest history that its provider may hold."""
    sent: bytes = b""
    """Packed digests of the last turn's messages as sent; only when contents are kept."""
    frame: list[str] = field(default_factory=list)
    """Names of the last turn's system and tools; only when contents are kept."""
    manifest: str = ""
    """Name of the last turn's manifest; only when contents are kept."""
    in_view: InView | None = None
    """Of the last turn's request, summarising calls aside."""
    replied: int = 0
    """Reference tokens of the last turn's reply."""
    last_boundary: dict[str, Any] | None = None
    """The last boundary's fact as plain values: a rolling one is extended turn by turn."""
