"""Facts about traffic: sessions, threads, exchanges, turns, samplings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from proxy.model.facts.labels import ExchangeKind
from proxy.model.ids import ExchangeId, SessionId, ThreadId


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
    labels: str = ""
    """JSON object: the user's own labels (`[labels]`), at most three, by name."""
    run: str | None = None
    pair: str | None = None
    arm_order: int | None = None
    checkpoint_sha256: str | None = None
    condition: str | None = None
    seed: int | None = None
    repeat: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionKeyFact:
    """A sign by which later calls of a session are recognised when they carry no id of their own."""

    KEY: ClassVar[tuple[str, ...]] = ("sign",)

    sign: str
    """32 hex digits: a digest; of a reply's id, of a history so far, of a summary's line (`sessions.signs`)."""
    session: SessionId
    noted_us: int
    """Opening time of the exchange that showed it; the newest holder of a sign has it."""


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

    KEY: ClassVar[tuple[str, ...]] = ("writer", "number", "part")

    writer: str
    number: int
    part: int
    """0 for the whole exchange; from 1 the model calls on a WebSocket."""
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

    @property
    def exchange(self) -> ExchangeId:
        """The exchange, or the call inside it, that showed this."""
        return ExchangeId(self.writer, self.number, self.part)


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
    part: int
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
    system_tokens_ref: int | None
    """Of the system text; None when the traffic does not tell (a transcript)."""
    tools_tokens_ref: int | None
    """Of the tool definitions offered, as canonical JSON."""
    said_tokens_ref: int
    """Of the texts and calls that stand in the context, summaries among them; tool results are observations."""
    summary_tokens_ref: int | None
    """The part of `said_tokens_ref` that is a summary of what was compacted; None when one cannot be read."""
    relation: str
    """How its history follows the thread's former one: `first`, `extends`, `retried`, `rewind`,
    `compacted`, `edited` (changed, but nothing that was seen left the view)."""
    cache_miss: str
    """Why the prompt cache was not read although the thread had written it: `cold`, `ttl`, `prefix changed` (tools
    or system), `history changed`, `compaction`; empty when it was read, or not measured."""

    @property
    def exchange(self) -> ExchangeId:
        """The exchange, or the call inside it, that showed this."""
        return ExchangeId(self.writer, self.number, self.part)


@dataclass(frozen=True, slots=True, kw_only=True)
class IterationFact:
    """One billed sampling; also of attempts that billed something."""

    KEY: ClassVar[tuple[str, ...]] = ("writer", "number", "part", "iteration")

    writer: str
    number: int
    part: int
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
    written_pico_usd: int | None
    """The part of `fresh_pico_usd` for input written to the cache."""
    output_pico_usd: int | None
    """The part of it for output."""
    warm_pico_usd: int | None
    """What the same sampling would have cost with its whole input read from the cache."""
    unpriced: str
    price_table: str
    usage_raw: str
    """The provider's usage object as JSON, on iteration 0; empty on the others."""

    @property
    def exchange(self) -> ExchangeId:
        """The exchange, or the call inside it, that showed this."""
        return ExchangeId(self.writer, self.number, self.part)
