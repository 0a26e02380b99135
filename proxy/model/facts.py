"""The closed set of facts the journey emits. One fact class is one table of the store; `KEY` names its primary key.

A fact may be emitted again with more known (a call is asked at one turn and answered at the next): the later one
replaces the earlier one of the same key. Units: `_us` microseconds, `_tokens_ref` reference tokens (o200k_base),
`_tokens` without suffix billed tokens, `_pico_usd` 10^-12 USD. None = not measured, never zero.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar

from proxy.model.ids import CallId, ObservationId, SessionId, ThreadId


class ExchangeKind(StrEnum):
    """What the journey made of an exchange. Every exchange has exactly one row and one kind."""

    TURN = "turn"
    """A model call that ended with a terminal event."""
    ATTEMPT = "attempt"
    """A model call without one (error status, stream error, cut): no turn."""
    OUT_OF_SCOPE = "out_of_scope"
    """Batches, token counting: passed, counted, not a model call of an agent."""
    OTHER = "other"
    """Not an inference endpoint (HEAD /, GET /v1/models)."""
    UNPARSED = "unparsed"
    """A model call that could not be read; `reason` says why."""
    UNOBSERVABLE = "unobservable"
    """Readable, but not attributable (`no session`, `server-held history`): excluded, counted."""


class Observability(StrEnum):
    """How a boundary's dropped content is known (design §1)."""

    EXACT = "exact"
    INFERRED = "inferred"
    BEHAVIOUR_ONLY = "behaviour-only"


class BoundaryKind(StrEnum):
    """Who made content leave the model's view."""

    CLIENT = "client"
    PROVIDER_COMPACTION = "provider-compaction"
    PROVIDER_CLEAR = "provider-clear"
    ARM = "arm"
    ROLLING = "rolling"


class ToolClass(StrEnum):
    """What a tool call is for (S0-04, S0-17)."""

    RETRIEVAL = "retrieval"
    EXECUTION = "execution"
    UNKNOWN = "unknown"


class Label(StrEnum):
    """The class of one call, first that fits (design §7). One call has one class (V4)."""

    PENDING = "pending"
    """Asked, not yet answered."""
    NO_RESULT = "no_result"
    """The history went on without an answer."""
    FAILED = "failed"
    """The tool answered with an error that is neither a stub nor a demand."""
    NOT_RETRIEVAL = "not_retrieval"
    """Execution or unknown tool: never a re-read."""
    ATTEMPTED = "attempted"
    FORCED = "forced"
    ACQUISITION = "acquisition"
    REFRESH = "refresh"
    REPEAT_VISIBLE = "repeat_visible"
    REACQUISITION = "reacquisition"
    SUBSET = "subset"
    SUPERSET = "superset"
    OVERLAP = "overlap"
    VARIANT = "variant"


class InSummary(StrEnum):
    """How much of a dropped observation stands in the context that replaced it, by lines (V5)."""

    NONE = "none"
    PARTLY = "partly"
    VERBATIM = "verbatim"
    UNKNOWN = "unknown"
    """The summary cannot be read (opaque)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionFact:
    """One agent conversation."""

    KEY: ClassVar[tuple[str, ...]] = ("session",)

    session: SessionId
    key_kind: str
    """Which signal named it: `tag`, `header`, `client`, …; the strongest seen."""
    client: str
    """`claude-code`, `anthropic-sdk`, …; empty when unknown."""
    client_version: str
    door: str
    source: str
    """V25: `live`, `recorded`, `simulated`, `synthetic`."""
    first_us: int
    last_us: int
    door_effects: str = ""
    """JSON object: what the client sent through this door (betas, tool count, tool search): see docs/clients.md."""
    run: str | None = None
    pair: str | None = None
    arm_order: int | None = None
    checkpoint_sha256: str | None = None
    condition: str | None = None
    seed: int | None = None
    repeat: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadFact:
    """One linear history inside a session."""

    KEY: ClassVar[tuple[str, ...]] = ("session", "thread")

    session: SessionId
    thread: ThreadId
    kind: str
    """`main`, `agent`, `side`."""
    parent: ThreadId | None
    agent_type: str
    first_us: int
    why: str
    """What opened it: `first`, `agent id`, `cleared`, `other tools and system`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExchangeFact:
    """What became of one exchange; the exactly-once key of everything else."""

    KEY: ClassVar[tuple[str, ...]] = ("writer", "number")

    writer: str
    number: int
    kind: ExchangeKind
    reason: str
    """Why it is no turn: `dialect`, `no session`, `overloaded_error`, `cut`; empty for turns."""
    outcome: str
    upstream: str
    door: str
    method: str
    path: str
    """Without query."""
    status: int | None
    opened_us: int
    first_byte_us: int | None
    duration_us: int | None
    request_bytes: int
    response_bytes: int
    session: SessionId | None = None
    thread: ThreadId | None = None
    turn: int | None = None
    """The turn it became, or (attempt) the turn it was a try of."""
    attempt: int | None = None
    """1-based try inside that turn."""
    faults: str = ""
    """What could not be read, `; `-joined; the rest was read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnFact:
    """One model call on a thread that ended with a terminal event."""

    KEY: ClassVar[tuple[str, ...]] = ("session", "thread", "turn")

    session: SessionId
    thread: ThreadId
    turn: int
    """1-based on its thread."""
    writer: str
    number: int
    purpose: str
    """`main`, or `summary` for the call that writes a client's summary."""
    model_asked: str
    model_answered: str
    message_id: str
    stop_reason: str
    started_us: int
    duration_us: int | None
    messages: int
    """Messages in the request."""
    tools_sha256: str
    """Digest of the tool inventory offered (names and schemas, S0-51)."""
    tool_count: int
    system_sha256: str
    context_tokens: int | None
    """Billed prompt of the last `message` or `fallback_message` iteration; None when usage is missing."""
    usage_missing: bool
    usage_disagrees: str
    fresh_tokens_ref: int
    """Reference tokens of what this request added to its thread beside the former reply: results, user text."""
    reply_tokens_ref: int
    """Reference tokens of the reply's text and call arguments; thinking is not counted."""
    relation: str
    """How its history follows the thread's former one: `first`, `extends`, `retried`, `rewind`,
    `compacted`, `edited` (changed, but nothing that was seen left the view)."""
    cache_miss: str
    """Why the prompt cache was not read although the thread had written it: `cold`, `ttl`, `prefix changed` (tools
    or system), `history changed`, `compaction`; empty when it was read, or not measured."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IterationFact:
    """One billed sampling; also of attempts that billed something."""

    KEY: ClassVar[tuple[str, ...]] = ("writer", "number", "iteration")

    writer: str
    number: int
    iteration: int
    """0-based inside its exchange."""
    session: SessionId
    thread: ThreadId
    kind: str
    model: str
    uncached: int
    cache_read: int
    cache_write_5m: int
    cache_write_1h: int
    cache_write_30m: int
    cache_write_12h: int
    output: int
    reasoning: int
    server_tool_calls: int
    pico_usd: int | None
    """None = unpriced; `unpriced` says why."""
    fresh_pico_usd: int | None
    """The part of it for input that was not read from the cache (uncached and written)."""
    output_pico_usd: int | None
    """The part of it for output."""
    warm_pico_usd: int | None
    """What the same sampling would have cost with its whole input read from the cache."""
    unpriced: str
    price_table: str
    usage_raw: str
    """The provider's usage object as JSON, on iteration 0; empty on the others."""


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
    """Exchange of the call that wrote the summary, when there was one."""
    reattached: int
    """Observations whose content the client put back by itself."""


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


Fact = (
    SessionFact
    | ThreadFact
    | ExchangeFact
    | TurnFact
    | IterationFact
    | CallFact
    | ObservationFact
    | BoundaryFact
    | DropFact
)

FACTS: tuple[type[Fact], ...] = (
    SessionFact,
    ThreadFact,
    ExchangeFact,
    TurnFact,
    IterationFact,
    CallFact,
    ObservationFact,
    BoundaryFact,
    DropFact,
)
"""In an order in which rows can be written (parents first)."""
