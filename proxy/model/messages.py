"""A model call in canonical form: what was asked and what came back, whatever the dialect.

Wire modules build these; sessions and the ledger read them. Unknown block types are kept as `OTHER`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from proxy.model.usage import Iteration


class BlockKind(StrEnum):
    """What a content block is for."""

    TEXT = "text"
    THINKING = "thinking"
    CALL = "call"
    """The model asks for a tool that the client runs."""
    RESULT = "result"
    """What the client answered to a call."""
    SERVER_CALL = "server_call"
    """A tool the provider runs itself; its result comes in the same reply."""
    SERVER_RESULT = "server_result"
    COMPACTION = "compaction"
    """A provider's summary block: everything before it has left the model's view."""
    MEDIA = "media"
    """Images, documents, uploads."""
    OTHER = "other"


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """One content block."""

    kind: BlockKind
    raw: Any
    """The block as parsed JSON (a plain string is the block `{"type": "text", "text": …}`); never mutated."""
    text: str = ""
    """Readable text: of a TEXT block, of a RESULT's text parts joined by newlines, of a COMPACTION's summary."""
    call_id: str = ""
    """CALL and RESULT: the id that joins them."""
    tool: str = ""
    """CALL: the tool's name."""
    arguments: Mapping[str, Any] | None = None
    """CALL: parsed arguments; None when they were not valid JSON (`raw_arguments` then holds the text)."""
    raw_arguments: str = ""
    is_error: bool = False
    opaque: bool = False
    """COMPACTION whose summary cannot be read (encrypted only)."""
    keeps_texts: bool = False
    """COMPACTION: texts of the user that stand before it stay in the model's view (Responses); else nothing does."""
    remembered: tuple[bytes, ...] | None = None
    """Packed line digests of a block that only the provider holds; None when the block is at hand."""
    remembered_digest: bytes = b""
    """Its matching digest; set together with `remembered`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One message of the history."""

    role: str
    blocks: tuple[Block, ...]
    raw: Any = field(default=None, compare=False, repr=False)
    """The message as parsed JSON; never mutated. Equal ones need not be read again."""

    @property
    def is_remembered(self) -> bool:
        """Only the provider holds it; the request did not bring it."""
        return any(block.remembered is not None for block in self.blocks)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """One tool definition as offered to the model."""

    name: str
    schema_sha256: str
    """SHA-256 of the definition as canonical JSON without `cache_control` (S0-51)."""
    kind: str = "client"
    """`client`, or `server` for tools the provider runs."""
    stays: bool = False
    """Offered by an item of the history: it stays on offer as long as the item stands there."""
    raw: Any = field(default=None, compare=False, repr=False)
    """The definition as parsed JSON; never mutated."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What the client asked for."""

    dialect: str
    model: str
    stream: bool
    system: tuple[Block, ...]
    messages: tuple[Message, ...]
    tools: tuple[Tool, ...]
    metadata: Mapping[str, Any]
    """The body's remaining top-level fields as parsed: `metadata`, `context_management`, `thinking`, …"""
    previous_id: str = ""
    """The reply whose server-held history this request continues (`previous_response_id`, `previous_message_id`)."""
    conversation_id: str = ""
    """The server-held conversation that this request adds to (`conversation`)."""
    cache_key: str = ""
    """`prompt_cache_key`: a weak sign of the session."""
    prewarm: bool = False
    """The request asks for no output (`generate: false`, `max_tokens: 0`): no turn."""
    on_demand_compaction: bool = False
    """The request asks the provider for nothing but a compaction."""
    faults: tuple[str, ...] = ()
    """Things that could not be read: `message 3: not an object`; the rest was read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextEdit:
    """A server-side edit of the context that the provider reports as applied (wire-formats 1.3)."""

    kind: str
    """`clear_tool_uses_20250919`, `clear_thinking_20251015`, …"""
    cleared_tool_uses: int = 0
    cleared_input_tokens: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What the provider answered, as far as it came."""

    id: str
    model: str
    """As answered; may differ from the request's."""
    blocks: tuple[Block, ...]
    stop_reason: str
    """Empty when none arrived; never invented (F15)."""
    terminal: bool
    """The provider's terminal event (or whole JSON body) arrived; without it there is an attempt, no turn."""
    iterations: tuple[Iteration, ...]
    """Every billed sampling, in order; empty when no usage arrived (`usage_missing`)."""
    edits: tuple[ContextEdit, ...] = ()
    transformations: tuple[str, ...] = ()
    """Kinds of changes the provider made to the request's input (`thinking_dropped`, V14), one per changed block."""
    usage_raw: Mapping[str, Any] | None = None
    """The provider's usage object after merging the stream's events, kept for re-pricing."""
    usage_disagrees: str = ""
    """Why the reported sums do not reconcile; empty when they do."""
    error: str = ""
    """Provider error type (`overloaded_error`, …) from the body or the stream."""
    faults: tuple[str, ...] = ()
    """Things that could not be read: `event 7: invalid JSON`; the rest was read."""
