"""One finished exchange in, facts out.

    read      bytes to request and reply                     `reading`
    identify  whose session is it                            `sessions.identity`
    place     which thread, and how its history goes on      `sessions.placement`
    judge     answers, boundaries, questions                 `turn`
    account   what it billed                                 `account`

The journey keeps nothing between two exchanges: what a session must remember is in the state it is given.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

from proxy.journey import account, rows
from proxy.journey.contents import Contents, Piece, RedactBody
from proxy.journey.reading import NotACall, Reading, read
from proxy.journey.recall import Recall
from proxy.journey.turn import Call, Turn
from proxy.ledger.ledger import Instruments
from proxy.model.exchange import Exchange
from proxy.model.facts import ExchangeKind, Fact
from proxy.model.ids import SessionId
from proxy.sessions import state as session_state
from proxy.sessions.identity import Identity, identify
from proxy.sessions.placement import place, summary_trigger
from proxy.sessions.state import SessionState


@dataclass(frozen=True, slots=True, kw_only=True)
class Ports:
    """What the journey asks of the outside, as plain functions."""

    instruments: Instruments
    price: account.Pricing
    source: str
    """V25: `live`, `recorded`, `simulated`, `synthetic`."""
    redact_body: RedactBody | None = None
    """Given when contents are kept: removes body secrets from a parsed body."""


class Observed(NamedTuple):
    """What one exchange showed."""

    facts: tuple[Fact, ...]
    parts: Mapping[str, bytes]
    """Parts of the session's state that changed."""
    contents: tuple[Piece, ...] = ()
    """What was said, in pieces by SHA-256; empty unless contents are kept."""


class Journey:
    """The straight line; one object serves any number of sessions."""

    def __init__(self, ports: Ports) -> None:
        self._ports = ports
        self._recall = Recall()
        self._contents = Contents(ports.redact_body) if ports.redact_body else None
        self._last: tuple[Exchange, Reading | NotACall] | None = None

    def load(self, session: SessionId, parts: Mapping[str, bytes]) -> SessionState:
        """A session's state from its stored parts."""
        return session_state.load(session, parts)

    def session_of(self, exchange: Exchange) -> SessionId | None:
        """The session whose state `observe` needs; None when it needs none."""
        reading = self._read(exchange)
        identity = None if isinstance(reading, NotACall) else _identity(exchange, reading)
        return identity.session if isinstance(identity, Identity) else None

    def observe(self, exchange: Exchange, state: SessionState | None) -> Observed:
        """All facts of one exchange; changes the state it is given.

        A caller that cannot keep the facts must throw the state away and load it again.
        """
        reading = self._read(exchange)
        self._last = None
        if isinstance(reading, NotACall):
            return Observed((rows.exchange_fact(exchange, reading.kind, reading.reason),), {})
        identity = _identity(exchange, reading)
        if isinstance(identity, str):
            faults = (*reading.request.faults, *reading.reply.faults)
            fact = rows.exchange_fact(exchange, ExchangeKind.UNOBSERVABLE, identity, faults)
            return Observed((fact,), {})
        assert state is not None, "observe needs the state of the session that session_of named"
        call = self._place(exchange, reading, identity, state)
        facts = self._call(call, reading, state)
        pieces = self._contents.of(call) if reading.is_turn and self._contents else ()
        return Observed(tuple(facts), state.take_changes(), pieces)

    def _read(self, exchange: Exchange) -> Reading | NotACall:
        if self._last is None or self._last[0] is not exchange:
            self._last = (exchange, read(exchange, self._recall.request(exchange)))
        return self._last[1]

    def _place(self, exchange: Exchange, reading: Reading, identity: Identity, state: SessionState) -> Call:
        own = self._recall.units(exchange, reading.request)
        placement = place(reading.request, own, identity, state)
        trigger = summary_trigger(reading.request, identity)
        placement.thread.attempts += 1
        state.touch(placement.thread)
        is_main = placement.thread.kind == "main"
        state.note(exchange.opened_us, rows.door_effects(exchange, reading.request) if is_main else None)
        return Call(exchange, reading.request, reading.reply, identity, placement, own, trigger)

    def _call(self, call: Call, reading: Reading, state: SessionState) -> list[Fact]:
        exchange, placement = call.exchange, call.placement
        facts: list[Fact] = [rows.session_fact(exchange, call.identity, state, self._ports.source)]
        if placement.is_new:
            facts.append(rows.thread_fact(exchange, call.identity, placement))
        facts.append(rows.call_fact(call, _why_no_turn(exchange, reading)))
        facts += account.iterations(exchange, state.session, placement.thread, call.reply, self._ports.price)
        if reading.is_turn:
            facts += self._turn(call, state)
        return facts

    def _turn(self, call: Call, state: SessionState) -> list[Fact]:
        former = replace(call.placement.thread)
        turn = Turn(call, state, self._ports.instruments)
        turn.run()
        same_head = former.signature == call.placement.signature
        usage = account.context_usage(call.reply)
        miss = account.cache_miss(former, usage, call.exchange.opened_us, crossed=turn.crossed, same_head=same_head)
        return [rows.turn_fact(call, turn, miss, self._ports.instruments.count), *turn.facts]


def _identity(exchange: Exchange, reading: Reading) -> Identity | str:
    """Whose call it is, or why that cannot be told."""
    if reading.request.previous_id:
        return "server-held history"
    return identify(exchange, reading.request) or "no session"


def _why_no_turn(exchange: Exchange, reading: Reading) -> str:
    if reading.is_turn:
        return ""
    if reading.reply.error:
        return reading.reply.error
    if exchange.status is not None and exchange.status >= 400:
        return f"status {exchange.status}"
    return exchange.outcome if exchange.outcome != "complete" else "no terminal event"
