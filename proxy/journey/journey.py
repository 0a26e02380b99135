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
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

from proxy.journey import account, rows, sizes
from proxy.journey.call import Call
from proxy.journey.contents import Contents, Piece, RedactBody
from proxy.journey.reading import NotACall, Reading, read
from proxy.journey.recall import Recall
from proxy.journey.turn import Turn
from proxy.ledger.ledger import Instruments
from proxy.model.exchange import Exchange
from proxy.model.facts import ExchangeFact, ExchangeKind, Fact
from proxy.model.ids import SessionId
from proxy.model.messages import Reply
from proxy.sessions import state as session_state
from proxy.sessions.held import Whole, may_be_continued
from proxy.sessions.identity import Identity, identify
from proxy.sessions.labels import labels_of
from proxy.sessions.normalise import Unit, reply_units
from proxy.sessions.placement import place, summary_trigger
from proxy.sessions.signs import Find
from proxy.sessions.state import SessionState


@dataclass(frozen=True, slots=True, kw_only=True)
class Ports:
    """What the journey asks of the outside, as plain functions."""

    instruments: Instruments
    price: account.Pricing
    source: str
    """V25: `live`, `recorded`, `simulated`, `synthetic`."""
    find: Find = lambda signs: {}  # noqa: ARG005 - a field
    """The sessions that signs (`sessions.signs`) were last seen in; the default knows none."""
    labels: Mapping[str, str] = field(default_factory=dict)
    """The user's own labels and where their values come from (`sessions.labels`)."""
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
        self._last: _Seen | None = None

    def load(self, session: SessionId, parts: Mapping[str, bytes]) -> SessionState:
        """A session's state from its stored parts."""
        return session_state.load(session, parts)

    def session_of(self, exchange: Exchange, reading: Reading | None = None) -> SessionId | None:
        """The session whose state `observe` needs; None when it needs none."""
        identity = self._see(exchange, reading).identity
        return identity.session if identity else None

    def observe(self, exchange: Exchange, state: SessionState | None, reading: Reading | None = None) -> Observed:
        """All facts of one exchange; changes the state it is given.

        A caller that cannot keep the facts must throw the state away and load it again. A `reading` that was made
        elsewhere (of a transcript) stands in for the exchange's bytes.
        """
        seen = self._see(exchange, reading)
        self._last = None
        if isinstance(seen.reading, NotACall):
            return Observed((rows.exchange_fact(exchange, *seen.reading),), {})
        if seen.identity is None:
            return Observed((_unobservable(exchange, seen.reading),), {})
        assert state is not None, "observe needs the state of the session that session_of named"
        whole = state.histories.complete(seen.reading.request, seen.units)
        if whole is None:
            return Observed((_unobservable(exchange, seen.reading),), {})
        state.label(labels_of(exchange, self._ports.labels))
        call = _place(exchange, whole, seen.reading.reply, seen.identity, state)
        facts = self._call(call, seen.reading, state)
        pieces = self._contents.of(call) if seen.reading.is_turn and self._contents else ()
        return Observed(tuple(facts), state.take_changes(), pieces)

    def _see(self, exchange: Exchange, reading: Reading | None) -> _Seen:
        if self._last is None or self._last.exchange is not exchange:
            found = reading or read(exchange, self._recall.request(exchange))
            if isinstance(found, NotACall):
                self._last = _Seen(exchange, found, [], None)
            else:
                own = self._recall.units(exchange, found.request)
                self._last = _Seen(exchange, found, own, identify(exchange, found.request, own, self._ports.find))
        return self._last

    def _call(self, call: Call, reading: Reading, state: SessionState) -> list[Fact]:
        exchange, placement = call.exchange, call.placement
        facts: list[Fact] = [rows.session_fact(exchange, call.identity, state, self._ports.source)]
        if placement.is_new:
            facts.append(rows.thread_fact(exchange, call.identity, placement))
        facts.append(rows.call_fact(call, _why_no_turn(exchange, reading)))
        facts += account.iterations(exchange, state.session, placement.thread, call.reply, self._ports.price)
        if reading.is_turn:
            facts += self._turn(call, state)
        own = reply_units(call.reply.blocks)
        is_held = reading.is_answered and bool(call.reply.id) and may_be_continued(call.request, exchange.method)
        if is_held:
            facts += self._hold(call, state, own)
        facts += rows.session_keys(call, own, is_turn=reading.is_turn, is_held=is_held)
        return facts

    def _hold(self, call: Call, state: SessionState, reply: list[Unit]) -> list[Fact]:
        """Remember what a later request may continue; what a prewarm brings is judged now, it will not come again."""
        instruments = self._ports.instruments
        facts = Turn(call, state, instruments).take_in() if call.request.prewarm else []
        whole = Whole(call.request, [*call.units, *reply])
        state.hold(whole, call.reply.id, call.placement.thread, partial(sizes.of_block, instruments.count))
        return facts

    def _turn(self, call: Call, state: SessionState) -> list[Fact]:
        thread = call.placement.thread
        cached, same_head = account.Cached.of(thread), thread.signature == call.placement.signature
        view = sizes.in_view(call, self._ports.instruments.count)
        turn = Turn(call, state, self._ports.instruments)
        turn.run()
        usage = account.context_usage(call.reply)
        miss = account.cache_miss(cached, usage, call.exchange.opened_us, crossed=turn.crossed, same_head=same_head)
        fact = rows.turn_fact(call, turn, miss, view, self._ports.instruments.count)
        if fact.purpose == "main":
            thread.in_view, thread.replied = view, fact.reply_tokens_ref
        return [fact, *turn.facts]


class _Seen(NamedTuple):
    """The exchange that is being looked at."""

    exchange: Exchange
    reading: Reading | NotACall
    units: list[Unit]
    """The request's own history as it counts for matching."""
    identity: Identity | None


def _place(exchange: Exchange, whole: Whole, reply: Reply, identity: Identity, state: SessionState) -> Call:
    request = whole.request
    placement = place(request, whole.units, identity, state)
    trigger = summary_trigger(request, identity)
    placement.thread.attempts += not request.prewarm
    state.touch(placement.thread)
    is_main = placement.thread.kind == "main"
    state.note(exchange.opened_us, rows.door_effects(exchange, request) if is_main else None)
    return Call(exchange, request, reply, identity, placement, whole.units, trigger)


def _unobservable(exchange: Exchange, reading: Reading) -> ExchangeFact:
    faults = (*reading.request.faults, *reading.reply.faults)
    return rows.exchange_fact(exchange, ExchangeKind.UNOBSERVABLE, "server-held history", faults)


def _why_no_turn(exchange: Exchange, reading: Reading) -> str:
    if reading.is_turn or reading.is_prewarm:
        return ""
    if reading.reply.error:
        return reading.reply.error
    if exchange.status is not None and exchange.status >= 400:
        return f"status {exchange.status}"
    return exchange.outcome if exchange.outcome != "complete" else "no terminal event"
