"""Facts to spans. The same facts give the same ids, so that a span that is sent twice can be told from two.

Names follow the OTel GenAI conventions (peers 9): input tokens hold cache reads and writes, a count that the provider
did not send is left out, `server.address` is the host behind the proxy. What has no name there begins `compaction.`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from proxy.ledger.classify import REREADS
from proxy.model.facts import BoundaryFact, CallFact, ExchangeFact, IterationFact, Label, SessionFact, TurnFact
from proxy.model.ids import SessionId
from proxy.wire.endpoint import dialect_for

Attribute = str | int | float | bool | Sequence[str]
PROVIDERS = {
    "anthropic_messages": "anthropic",
    "openai_responses": "openai",
    "openai_chat": "openai",
    "gemini": "gcp.gemini",
}
"""Dialect to `gen_ai.provider.name`; another one is called by its upstream."""
EXPORTED = REREADS | {Label.ATTEMPTED, Label.FORCED}
"""Classes of calls that become a span: what is charged to a boundary."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """One span, ready to be sent."""

    name: str
    trace_id: int
    span_id: int
    parent_id: int | None
    start_us: int
    end_us: int
    is_client: bool = False
    """A call to the provider; everything else is internal."""
    attributes: Mapping[str, Attribute] = field(default_factory=dict)


class Told(NamedTuple):
    """What of a turn is needed for its spans."""

    turn: TurnFact
    exchange: ExchangeFact
    iterations: Sequence[IterationFact]


@dataclass(frozen=True, slots=True, kw_only=True)
class Naming:
    """What facts do not say."""

    hosts: Mapping[str, str]
    """Upstream to the host behind it."""
    contents: bool = False
    """Whether spans may say what was read: paths, addresses, queries. Texts are never exported."""


def trace_id(session: SessionId) -> int:
    """A session is a trace; 128 bits of it."""
    return int.from_bytes(_digest("trace", session)[:16], "big") or 1


def span_id(kind: str, session: SessionId, *key: str | int) -> int:
    """64 bits of what names the span for ever."""
    return int.from_bytes(_digest(kind, session, *key)[:8], "big") or 1


def _digest(*parts: str | int) -> bytes:
    return hashlib.sha256(json.dumps(parts).encode()).digest()


def session_span(fact: SessionFact) -> Span:
    """A session from its first to its last exchange so far."""
    labels = json.loads(fact.labels) if fact.labels else {}
    return Span(
        name=_named("invoke_agent", fact.client),
        trace_id=trace_id(fact.session),
        span_id=span_id("session", fact.session),
        parent_id=None,
        start_us=fact.first_us,
        end_us=max(fact.last_us, fact.first_us),
        attributes=_said(
            {
                "gen_ai.operation.name": "invoke_agent",
                "gen_ai.conversation.id": fact.session,
                "gen_ai.agent.name": fact.client,
                "gen_ai.agent.version": fact.client_version,
                "compaction.door": fact.door,
                "compaction.source": fact.source,
                **{f"compaction.label.{name}": value for name, value in sorted(labels.items())},
            }
        ),
    )


def turn_span(told: Told, naming: Naming) -> Span:
    """A model call, from its request to the end of the answer."""
    turn, exchange = told.turn, told.exchange
    model = turn.model_answered or turn.model_asked
    provider = PROVIDERS.get(dialect_for("POST", exchange.path).name, exchange.upstream)
    return Span(
        name=_named("chat", model),
        trace_id=trace_id(turn.session),
        span_id=span_id("turn", turn.session, turn.thread, turn.turn),
        parent_id=span_id("session", turn.session),
        start_us=turn.started_us,
        end_us=turn.started_us + (turn.duration_us or 0),
        is_client=True,
        attributes=_said(
            {
                "gen_ai.operation.name": "chat",
                "gen_ai.provider.name": provider,
                "gen_ai.conversation.id": turn.session,
                "gen_ai.request.model": turn.model_asked,
                "gen_ai.response.model": turn.model_answered,
                "gen_ai.response.id": turn.message_id,
                "gen_ai.response.finish_reasons": (turn.stop_reason,) if turn.stop_reason else None,
                "server.address": naming.hosts.get(exchange.upstream),
                "compaction.thread": turn.thread,
                "compaction.turn": turn.turn,
                "compaction.purpose": turn.purpose,
                "compaction.relation": turn.relation,
                "compaction.cache_miss": turn.cache_miss,
                "compaction.context_tokens": turn.context_tokens,
                **_usage(told.iterations),
            }
        ),
    )


def _usage(iterations: Sequence[IterationFact]) -> dict[str, Attribute | None]:
    if not iterations:
        return {}
    read = sum(one.cache_read for one in iterations)
    written = sum(
        one.cache_write_5m + one.cache_write_1h + one.cache_write_30m + one.cache_write_12h for one in iterations
    )
    prices = [one.pico_usd for one in iterations if one.pico_usd is not None]
    return {
        "gen_ai.usage.input_tokens": sum(one.uncached for one in iterations) + read + written,
        "gen_ai.usage.cache_read.input_tokens": read,
        "gen_ai.usage.cache_creation.input_tokens": written,
        "gen_ai.usage.output_tokens": sum(one.output for one in iterations),
        "compaction.cost_pico_usd": sum(prices) if len(prices) == len(iterations) else None,
    }


def boundary_span(fact: BoundaryFact, summary: ExchangeFact | None) -> Span:
    """A compaction: from the request for its summary, where that was seen, to the first request without the content."""
    return Span(
        name=f"compaction {fact.kind.value}",
        trace_id=trace_id(fact.session),
        span_id=span_id("boundary", fact.session, fact.thread, fact.boundary),
        parent_id=span_id("session", fact.session),
        start_us=min(summary.opened_us, fact.at_us) if summary else fact.at_us,
        end_us=fact.at_us,
        attributes=_said(
            {
                "gen_ai.conversation.id": fact.session,
                "compaction.thread": fact.thread,
                "compaction.boundary": fact.boundary,
                "compaction.turn": fact.turn,
                "compaction.kind": fact.kind.value,
                "compaction.trigger": fact.trigger,
                "compaction.level": fact.level.value,
                "compaction.evidence": fact.evidence,
                "compaction.tokens_before": fact.tokens_before,
                "compaction.tokens_after": fact.tokens_after,
                "compaction.dropped_observations": fact.dropped_observations,
                "compaction.dropped_reference_tokens": fact.dropped_tokens_ref,
            }
        ),
    )


def reread_span(fact: CallFact, naming: Naming) -> Span:
    """A call that brought dropped content back, from the end of the asking turn to the request with its answer."""
    where: dict[str, Attribute | None] = {"compaction.resource": fact.resource, "compaction.span": fact.span}
    return Span(
        name=_named("execute_tool", fact.tool),
        trace_id=trace_id(fact.session),
        span_id=span_id("call", fact.session, fact.thread, fact.turn, fact.index),
        parent_id=span_id("turn", fact.session, fact.thread, fact.turn),
        start_us=fact.asked_us,
        end_us=max(fact.answered_us or fact.asked_us, fact.asked_us),
        attributes=_said(
            {
                "gen_ai.operation.name": "execute_tool",
                "gen_ai.conversation.id": fact.session,
                "gen_ai.tool.name": fact.tool,
                "gen_ai.tool.call.id": fact.call,
                "compaction.thread": fact.thread,
                "compaction.turn": fact.turn,
                "compaction.class": fact.label.value,
                "compaction.boundary": fact.boundary,
                "compaction.turns_later": fact.turns_later,
                "compaction.in_summary": fact.in_summary.value if fact.in_summary else None,
                "compaction.reread_reference_tokens": fact.reread_tokens_ref,
                **(where if naming.contents else {}),
            }
        ),
    )


def rereads(calls: Iterable[CallFact]) -> list[CallFact]:
    """Those that become spans."""
    return [call for call in calls if call.label in EXPORTED]


def _named(operation: str, of: str) -> str:
    return f"{operation} {of}" if of else operation


def _said(attributes: Mapping[str, Attribute | None]) -> dict[str, Attribute]:
    """Without what is unknown or empty: it was not measured, or is not so."""
    return {name: value for name, value in attributes.items() if value is not None and value != ""}
