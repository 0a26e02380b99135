"""Facts about what the model saw: calls, observations, boundaries, drops."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from proxy.model.facts.labels import BoundaryKind, InSummary, Label, Observability, ToolClass
from proxy.model.ids import CallId, ExchangeId, ObservationId, SessionId, ThreadId


@dataclass(frozen=True, slots=True, kw_only=True)
class CallFact:
    """One tool call of the model, its answer, and its class."""

    KEY: ClassVar[tuple[str, ...]] = ("session", "thread", "turn", "index")

    session: SessionId
    thread: ThreadId
    turn: int
    """The turn whose reply asked for it."""
    index: int
    """0-based among that reply's calls."""
    call: CallId
    tool: str
    tool_class: ToolClass
    action: str
    """`read`, `search`, `list`, `fetch`, `write`, `run`, …; empty for unknown tools."""
    resource: str
    """Normalised path, URL or query; empty when the tool has none."""
    span: str
    """Line range `1-80`, or the remaining arguments that narrow it; empty for the whole."""
    arguments_sha256: str
    arguments_tokens_ref: int
    asked_us: int
    """End of the asking turn's response."""
    answered_us: int | None
    """When the request that carried the answer arrived."""
    answered_turn: int | None
    """The turn whose request carried the answer."""
    result_sha256: str
    """Of the normalised result (client decoration removed); empty without one."""
    result_tokens_ref: int | None
    is_error: bool
    error_type: str
    label: Label
    suspected: bool
    """When asked, key and visibility alone already pointed at a re-read."""
    observation: ObservationId | None
    """The observation this call's result made; None without content."""
    repeats: ObservationId | None
    """The earlier observation it brings again, wholly or in part; None for acquisitions."""
    boundary: int | None
    """Number of the boundary that removed the last copy, for re-reads after one."""
    turns_later: int | None
    in_summary: InSummary | None
    reread_tokens_ref: int | None
    """Exact: arguments + payload (S0-75). Others: only lines dropped and not restored since (V4)."""
    model_us: int | None
    """Model time of the asking turn (V7); gaps over 60 s are marked in `because`."""
    because: str
    """JSON object with the hashes, ids and rules that gave the class: what `explain` prints."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ObservationFact:
    """Content the model saw as a tool result."""

    KEY: ClassVar[tuple[str, ...]] = ("session", "observation")

    session: SessionId
    observation: ObservationId
    thread: ThreadId
    turn: int
    """The turn whose request first showed it."""
    call: CallId
    tool_class: ToolClass
    key: str
    """Canonical key `action:resource:span@content` (S0-56)."""
    resource: str
    span: str
    content_sha256: str
    tokens_ref: int
    line_count: int
    """Significant lines: those that say enough to be compared."""
    dropped_by: int | None
    """Boundary that removed its last copy; None while visible."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BoundaryFact:
    """One compaction event on a thread."""

    KEY: ClassVar[tuple[str, ...]] = ("session", "thread", "boundary")

    session: SessionId
    thread: ThreadId
    boundary: int
    """1-based on its thread."""
    turn: int
    """First turn whose context lacked what was dropped."""
    at_us: int
    kind: BoundaryKind
    trigger: str
    """`manual`, `auto`, or empty when the traffic does not say."""
    level: Observability
    evidence: str
    """Strongest structure that showed it: `hint header`, `compaction block`, `applied edits`, `summary request`,
    `continuation text`, `history replaced`."""
    tokens_before: int | None
    """Billed context of the last turn before it; None when usage is missing."""
    tokens_after: int | None
    """Billed context of the first turn after it."""
    dropped_observations: int
    dropped_tokens_ref: int
    summary_writer: str | None
    summary_number: int | None
    summary_part: int | None
    """Exchange of the call that wrote the summary, when there was one."""
    reattached: int
    """Observations whose content the client put back by itself."""

    @property
    def summary(self) -> ExchangeId | None:
        """The call that wrote the summary; None when there was none, or it was not seen."""
        if self.summary_writer is None or self.summary_number is None:
            return None
        return ExchangeId(self.summary_writer, self.summary_number, self.summary_part or 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class DropFact:
    """One observation that a boundary removed from view (S0-57)."""

    KEY: ClassVar[tuple[str, ...]] = ("session", "thread", "boundary", "observation")

    session: SessionId
    thread: ThreadId
    boundary: int
    observation: ObservationId
    turn: int
    """First turn without it; differs inside one `rolling` boundary."""
    in_summary: InSummary
