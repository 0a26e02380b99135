"""The closed set of facts the journey emits. One fact class is one table of the store; `KEY` names its primary key.

A fact may be emitted again with more known (a call is asked at one turn and answered at the next): the later one
replaces the earlier one of the same key. Units: `_us` microseconds, `_tokens_ref` reference tokens (o200k_base),
`_tokens` without suffix billed tokens, `_pico_usd` 10^-12 USD. None = not measured, never zero.
"""

from proxy.model.facts.labels import BoundaryKind, ExchangeKind, InSummary, Label, Observability, ToolClass
from proxy.model.facts.traffic import ExchangeFact, IterationFact, SessionFact, SessionKeyFact, ThreadFact, TurnFact
from proxy.model.facts.views import BoundaryFact, CallFact, DropFact, ObservationFact

Fact = (
    SessionFact
    | SessionKeyFact
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
    SessionKeyFact,
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

__all__ = [
    "FACTS",
    "BoundaryFact",
    "BoundaryKind",
    "CallFact",
    "DropFact",
    "ExchangeFact",
    "ExchangeKind",
    "Fact",
    "InSummary",
    "IterationFact",
    "Label",
    "Observability",
    "ObservationFact",
    "SessionFact",
    "SessionKeyFact",
    "ThreadFact",
    "ToolClass",
    "TurnFact",
]
