"""The bill of one boundary: what it cost as measured, and what it saves as modelled.

Measured, in billed money: the call that wrote the summary; the prompt that was written to the cache (or sent
uncached) again instead of read, on the first turn after; the re-reads charged to it. Their sum is `measured`.
Modelled, beside it and never added: what is no longer carried at every later turn, at the price of a cache read.
Every amount is None when something it needs is unpriced or has no usage (V23).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from proxy.ledger.classify import REREADS, WHOLE
from proxy.model.facts import BoundaryFact, CallFact, IterationFact, Label, TurnFact
from proxy.model.ids import ExchangeId

CONTEXT_KINDS = ("message", "fallback_message")


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line of a bill."""

    events: int
    """What was counted: calls that wrote a summary, turns, re-reads."""
    tokens: int | None
    """Billed tokens, of re-reads reference tokens; never added to each other (V21)."""
    pico_usd: int | None
    """None when anything of it is unpriced."""
    priced_pico_usd: int = 0
    """What of it has a price: a lower bound."""
    unpriced: int = 0
    """Events without a price."""

    @classmethod
    def of(cls, events: int, tokens: int | None, costs: Sequence[int | None]) -> Line:
        """A line of amounts, each measured or None."""
        known = [cost for cost in costs if cost is not None]
        return cls(
            events=events,
            tokens=tokens,
            pico_usd=_sum(costs),
            priced_pico_usd=sum(known),
            unpriced=len(costs) - len(known),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Bill:
    """What one boundary cost and saves."""

    boundary: BoundaryFact
    summary: Line
    """The call that wrote the summary: its whole input and output. No call was seen: 0 events and 0 tokens for a
    clear, None where a summary was written out of sight."""
    rewrite: Line
    """Prompt tokens of the first turn after that were not read from the cache; money above that of reading them."""
    exact: Line
    """Re-reads of class `reacquisition`, arguments and payload."""
    partial: Line
    """Re-reads of the classes subset, superset, overlap and variant: only the lines that came back."""
    attempted: Line
    """Re-reads that the harness answered with a stub or refused; a cost without content (V6)."""
    measured_pico_usd: int | None
    carried_less_tokens: int | None
    """Billed context before, less after; what later turns no longer carry."""
    saved_per_turn_pico_usd: int | None
    """Modelled: those tokens at the price of a cache read."""
    turns_followed: int
    """Turns on the thread from the boundary to the next one, or to the end so far."""
    pays_back_after: int | None
    """Modelled: turns after which the savings reach the measured cost; None when they never do or are unpriced."""

    @property
    def net_pico_usd(self) -> int | None:
        """Modelled: measured cost less what the turns that followed saved; negative when it paid."""
        if self.measured_pico_usd is None or self.saved_per_turn_pico_usd is None:
            return None
        return self.measured_pico_usd - self.saved_per_turn_pico_usd * self.turns_followed


class ThreadBook:
    """One thread's turns, samplings and calls, indexed for its bills."""

    def __init__(
        self, turns: Iterable[TurnFact], iterations: Iterable[IterationFact], calls: Iterable[CallFact]
    ) -> None:
        self._turns = {turn.turn: turn for turn in turns}
        self._iterations: dict[ExchangeId, list[IterationFact]] = {}
        for iteration in iterations:
            self._iterations.setdefault(iteration.exchange, []).append(iteration)
        self._calls = list(calls)

    def bills(self, boundaries: Sequence[BoundaryFact]) -> list[Bill]:
        """The bill of each boundary of this thread, in order."""
        ordered = sorted(boundaries, key=lambda boundary: boundary.boundary)
        ends = [later.turn for later in ordered[1:]] + [max(self._turns, default=0) + 1] if ordered else []
        return [self._bill(boundary, end) for boundary, end in zip(ordered, ends, strict=True)]

    def _bill(self, boundary: BoundaryFact, end: int) -> Bill:
        summary, rewrite = self._summary(boundary), self._rewrite(boundary)
        charged = [call for call in self._calls if call.boundary == boundary.boundary]
        exact = self._rereads(call for call in charged if call.label is Label.REACQUISITION)
        partial = self._rereads(call for call in charged if call.label in REREADS - {Label.REACQUISITION})
        attempted = self._rereads(call for call in charged if call.label in (Label.ATTEMPTED, Label.FORCED))
        measured = _sum([line.pico_usd for line in (summary, rewrite, exact, partial, attempted)])
        less = _difference(boundary.tokens_before, boundary.tokens_after)
        saved = self._saved_per_turn(boundary, less)
        followed = sum(boundary.turn <= turn < end and self._turns[turn].purpose == "main" for turn in self._turns)
        return Bill(
            boundary=boundary,
            summary=summary,
            rewrite=rewrite,
            exact=exact,
            partial=partial,
            attempted=attempted,
            measured_pico_usd=measured,
            carried_less_tokens=less,
            saved_per_turn_pico_usd=saved,
            turns_followed=followed,
            pays_back_after=-(-measured // saved) if measured is not None and saved and saved > 0 else None,
        )

    def _summary(self, boundary: BoundaryFact) -> Line:
        if boundary.summary is None:
            none = boundary.evidence in ("applied edits", "history replaced")
            return Line.of(0, 0, []) if none else Line.of(0, None, [None])
        found = self._iterations.get(boundary.summary, [])
        inside = [one for one in found if one.kind == "compaction"] or found
        tokens = _sum([_input(one) + one.output for one in inside]) if inside else None
        cost = _sum([one.pico_usd for one in inside]) if inside else None
        return Line.of(1, tokens, [cost])

    def _rewrite(self, boundary: BoundaryFact) -> Line:
        own = self._context(boundary.turn)
        if own is None:
            return Line.of(1, None, [None])
        cost = _difference(own.pico_usd, own.warm_pico_usd)
        return Line.of(1, _input(own) - own.cache_read, [cost])

    def _context(self, turn: int) -> IterationFact | None:
        """The last sampling of the conversation itself at a turn."""
        fact = self._turns.get(turn)
        if fact is None:
            return None
        found = self._iterations.get(fact.exchange, [])
        return next((one for one in reversed(found) if one.kind in CONTEXT_KINDS), None)

    def _rereads(self, calls: Iterable[CallFact]) -> Line:
        charged = list(calls)
        tokens = sum(call.reread_tokens_ref or 0 for call in charged)
        return Line.of(len(charged), tokens, [self._cost(call) for call in charged])

    def _cost(self, call: CallFact) -> int | None:
        """Money of one re-read: its share of the asking turn's output and of the answering turn's new input.

        Shares are ratios of reference tokens; the amounts they divide are billed (V21). The round trip's own prompt
        is not charged, so this is a lower bound.
        """
        asking, answering = self._turns.get(call.turn), self._turns.get(call.answered_turn or 0)
        if asking is None or answering is None or call.reread_tokens_ref is None:
            return None
        asked, answered = self._context(call.turn), self._context(answering.turn)
        if asked is None or answered is None or asked.output_pico_usd is None:
            return None
        arguments = call.arguments_tokens_ref if call.label in WHOLE else 0
        payload = call.reread_tokens_ref - arguments
        fresh = self._new_input_cost(asking, answering, answered)
        if fresh is None:
            return None
        spent = Fraction(0)
        if asking.reply_tokens_ref:
            spent += Fraction(arguments, asking.reply_tokens_ref) * asked.output_pico_usd
        added = answering.fresh_tokens_ref + asking.reply_tokens_ref
        if added:
            spent += min(Fraction(payload, added), Fraction(1)) * fresh
        return int(spent)

    def _new_input_cost(self, asking: TurnFact, answering: TurnFact, answered: IterationFact) -> int | None:
        """What the answering turn paid for the input it added, not for what it wrote to the cache again."""
        uncached = _input(answered) - answered.cache_read
        if answered.fresh_pico_usd is None or asking.context_tokens is None or answering.context_tokens is None:
            return None
        if not uncached:
            return 0
        growth = answering.context_tokens - asking.context_tokens
        return int(answered.fresh_pico_usd * min(Fraction(max(growth, 0), uncached), Fraction(1)))

    def _saved_per_turn(self, boundary: BoundaryFact, less: int | None) -> int | None:
        own = self._context(boundary.turn)
        if own is None or less is None or own.warm_pico_usd is None or own.output_pico_usd is None:
            return None
        size = _input(own)
        return (own.warm_pico_usd - own.output_pico_usd) * less // size if size else None


def _input(one: IterationFact) -> int:
    written = one.cache_write_5m + one.cache_write_1h + one.cache_write_30m + one.cache_write_12h
    return one.uncached + one.cache_read + written


def _sum(amounts: Sequence[int | None]) -> int | None:
    """The sum, or None when one amount is not measured."""
    known = [amount for amount in amounts if amount is not None]
    return sum(known) if len(known) == len(amounts) else None


def _difference(left: int | None, right: int | None) -> int | None:
    return None if left is None or right is None else left - right
