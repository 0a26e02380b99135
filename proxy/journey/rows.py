"""The facts that say what an exchange, a session and a thread was."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import orjson

from proxy.journey import sizes
from proxy.journey.account import context_usage
from proxy.journey.call import Call
from proxy.journey.turn import Turn
from proxy.model.exchange import Exchange
from proxy.model.facts import ExchangeFact, ExchangeKind, SessionFact, SessionKeyFact, ThreadFact, TurnFact
from proxy.model.ids import ThreadId
from proxy.model.messages import Request
from proxy.sessions import signs
from proxy.sessions.identity import Identity
from proxy.sessions.normalise import Unit
from proxy.sessions.placement import Placement
from proxy.sessions.state import SessionState
from proxy.sessions.thread import InView

LONG_WINDOW_BETA = "context-1m"
"""A client behind a foreign base URL may not ask for the long window (ux 2.1)."""


def exchange_fact(
    exchange: Exchange,
    kind: ExchangeKind,
    reason: str = "",
    faults: tuple[str, ...] = (),
    **place: Any,  # noqa: ANN401 - fields of the fact
) -> ExchangeFact:
    """What became of an exchange; session, thread and turn where they are known."""
    return ExchangeFact(
        **exchange.id._asdict(),
        kind=kind,
        reason=reason,
        outcome=exchange.outcome,
        upstream=exchange.upstream,
        door=exchange.door,
        method=exchange.method,
        path=exchange.target.partition("?")[0],
        status=exchange.status,
        opened_us=exchange.opened_us,
        first_byte_us=exchange.first_byte_us,
        duration_us=exchange.duration_us,
        request_bytes=len(exchange.request_body) + exchange.request_lost,
        response_bytes=len(exchange.response_body) + exchange.response_lost,
        faults="; ".join(faults),
        **place,
    )


def session_fact(exchange: Exchange, identity: Identity, state: SessionState, source: str) -> SessionFact:
    """The session as of this exchange."""
    return SessionFact(
        session=identity.session,
        key_kind=identity.key_kind,
        client=identity.client.name,
        client_version=identity.client.version,
        door=exchange.door,
        source=source,
        first_us=state.first_us,
        last_us=exchange.opened_us,
        door_effects=state.door_effects,
        labels=orjson.dumps(state.labels, option=orjson.OPT_SORT_KEYS).decode() if state.labels else "",
        run=identity.run,
    )


def thread_fact(exchange: Exchange, identity: Identity, placement: Placement) -> ThreadFact:
    """A thread that this exchange opened."""
    thread = placement.thread
    parent = None
    if identity.agent:
        parent = ThreadId(f"agent:{identity.hints.parent_agent}") if identity.hints.parent_agent else ThreadId("main")
    return ThreadFact(
        session=identity.session,
        thread=thread.id,
        kind=thread.kind,
        parent=parent,
        agent_type=identity.hints.agent_type,
        first_us=exchange.opened_us,
        why=placement.why,
    )


def door_effects(exchange: Exchange, request: Request) -> str:
    """What the client sent through its door, as JSON: the door used is part of every session (design §1)."""
    betas = sorted(
        {
            beta.strip()
            for name, value in exchange.request_headers
            if name.lower() == "anthropic-beta"
            for beta in value.encode("utf-8", "replace").decode().split(",")
            if beta.strip()
        }
    )
    effects = {
        "betas": betas,
        "long_window": any(beta.startswith(LONG_WINDOW_BETA) for beta in betas),
        "tools": len(request.tools),
        "tool_search": any(tool.name == "ToolSearch" for tool in request.tools),
    }
    return orjson.dumps(effects, option=orjson.OPT_SORT_KEYS).decode()


def call_fact(call: Call, why_no_turn: str) -> ExchangeFact:
    """The exchange of a model call: a turn, a try of one, or a prewarm, which belongs to no turn."""
    thread, prewarm = call.placement.thread, call.request.prewarm
    kind = ExchangeKind.ATTEMPT if why_no_turn else ExchangeKind.PREWARM if prewarm else ExchangeKind.TURN
    return exchange_fact(
        call.exchange,
        kind,
        why_no_turn,
        (*call.request.faults, *call.reply.faults),
        session=call.identity.session,
        thread=thread.id,
        turn=None if prewarm else thread.turns + 1,
        attempt=None if prewarm else thread.attempts,
    )


def session_keys(call: Call, reply: list[Unit], *, is_turn: bool, is_held: bool) -> Iterator[SessionKeyFact]:
    """Signs by which the next call of a session that names itself nowhere will be known."""
    identity, request = call.identity, call.request
    if not identity.is_by_sign:
        return
    signs_of = signs.of_turn(identity.client.name, request, call.units, reply) if is_turn else None
    found = [*(signs_of or signs.of_attempt(identity.client.name, request, call.units))]
    if is_held:
        found.append(signs.of_reply(call.reply.id))
    if call.summary_trigger is not None:
        found += signs.of_summary(reply)
    for sign in dict.fromkeys(found):
        yield SessionKeyFact(sign=sign, session=identity.session, noted_us=call.exchange.opened_us)


def turn_fact(call: Call, turn: Turn, cache_miss: str, view: InView, count: sizes.Count) -> TurnFact:
    """The turn itself."""
    request, reply = call.request, call.reply
    usage = context_usage(reply)
    return TurnFact(
        session=call.identity.session,
        thread=call.placement.thread.id,
        turn=turn.number,
        **call.exchange.id._asdict(),
        purpose="main" if call.summary_trigger is None else "summary",
        model_asked=request.model,
        model_answered=reply.model,
        message_id=reply.id,
        stop_reason=reply.stop_reason,
        started_us=call.exchange.opened_us,
        duration_us=call.exchange.duration_us,
        messages=len(request.messages),
        tools_sha256=call.placement.signature.tools,
        tool_count=len(request.tools),
        system_sha256=call.placement.signature.system,
        context_tokens=usage.input if usage else None,
        usage_missing=not reply.iterations,
        usage_disagrees=reply.usage_disagrees,
        fresh_tokens_ref=sum(sizes.of_unit(count, unit) for unit in turn.fresh),
        reply_tokens_ref=sum(sizes.of_block(count, block) for block in reply.blocks),
        system_tokens_ref=view.system,
        tools_tokens_ref=view.tools,
        said_tokens_ref=view.said,
        summary_tokens_ref=view.summary,
        relation=turn.relation,
        cache_miss=cache_miss,
    )
