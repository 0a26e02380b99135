"""The closed sets of words that facts use."""

from __future__ import annotations

from enum import StrEnum


class ExchangeKind(StrEnum):
    """What the journey made of an exchange. Every exchange, and every call on a WebSocket, has one row and one kind."""

    TURN = "turn"
    """A model call that ended with a terminal event."""
    ATTEMPT = "attempt"
    """A model call without one (error status, stream error, cut): no turn."""
    PREWARM = "prewarm"
    """A model call that asked for no output; what it billed counts, it is no turn."""
    SOCKET = "socket"
    """A WebSocket as a whole; each model call on it has a row of its own (`part` from 1)."""
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
