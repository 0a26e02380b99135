"""One model call on its thread, step by step in the order of time.

answers    the request brings results of earlier calls: each is judged as of the turn that asked
boundary   the request lacks what was visible: a compaction, a rewind, or nothing
reply      the provider may have cleared or compacted before it sampled
questions  the reply asks for tools: suspected re-reads are marked here
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache

from proxy.journey import clears, memory
from proxy.journey.account import context_usage
from proxy.journey.call import Call
from proxy.journey.new_ids import take_new_ids
from proxy.ledger import boundaries
from proxy.ledger.boundaries import Cause, View
from proxy.ledger.context import Texts, visible_messages
from proxy.ledger.ledger import Instruments, Ledger
from proxy.model.facts import BoundaryFact, BoundaryKind, Fact, Observability, ToolClass
from proxy.model.ids import CallId
from proxy.model.messages import Block, BlockKind, Message, Request
from proxy.model.usage import IterationKind
from proxy.sessions import history, lines
from proxy.sessions.history import Relation
from proxy.sessions.normalise import Unit, unit_digest, units
from proxy.sessions.state import SessionState
from proxy.sessions.thread import Asked


class Turn:
    """What one turn does to its thread; `facts` holds what was found."""

    def __init__(self, call: Call, state: SessionState, instruments: Instruments) -> None:
        self.facts: list[Fact] = []
        self.crossed = False
        self.fresh = call.units[call.placement.shared :]
        self._call = call
        self._exchange = call.exchange
        self._request = call.request
        self._reply = call.reply
        self._thread = call.placement.thread
        self._state = state
        self._visible = visible_messages(call.request)
        self.number = self._thread.turns + 1
        self.ledger = Ledger(state, self._thread, call.identity.client.name, instruments)
        told = instruments.redact(instruments.tools.cwd(call.identity.client.name, _opening_texts(call.request)))
        if told and told != self._thread.cwd:
            self._thread.cwd = self._thread.shell_cwd = told

    @cached_property
    def _texts(self) -> Texts:
        """What the model reads beside the results that are known as this turn begins."""
        others = [unit.block for unit in self._results if not self.ledger.has_unit(unit.digest)]
        return Texts.of((*Texts.shown(self._request, self._visible), *others))

    @cached_property
    def _results(self) -> list[Unit]:
        """The results that the model sees, in order."""
        seen = self._call.units if self._visible is self._request.messages else units(self._visible)
        return [unit for unit in seen if unit.block.kind is BlockKind.RESULT]

    @cached_property
    def _hidden(self) -> frozenset[str]:
        """The calls whose results the provider cleared before it sampled."""
        return clears.hidden(self._call.units, self._results, self._request, self._reply)

    @property
    def relation(self) -> Relation:
        """How the history went on; a changed one from which nothing was lost is no compaction."""
        if self._call.placement.relation is Relation.COMPACTED and not self.crossed:
            return Relation.EDITED
        return self._call.placement.relation

    def run(self) -> None:
        """All steps."""
        self._thread.turns = self.number
        self._answers()
        self._carried_in()
        self._boundary_of_request()
        self._boundary_of_reply()
        self._questions()
        memory.remember(self._call)
        self._state.touch(self._thread)

    def take_in(self) -> list[Fact]:
        """Of a prewarm: judge what it brings, because the turn after it only names it."""
        self._answers()
        self._carried_in()
        self._state.touch(self._thread)
        return self.facts

    # --- answers ---

    def _answers(self) -> None:
        take_new_ids(self._thread.asked, self.fresh)
        brought = (unit for unit in self.fresh if unit.block.kind is BlockKind.RESULT and unit.block.remembered is None)
        results = {unit.block.call_id: unit for unit in brought}
        waiting = []
        for asked in self._thread.asked:
            unit = results.get(asked.call)
            if unit is None and (self._call.summary_trigger is not None or self._request.prewarm):
                waiting.append(asked)  # a summarising call may leave the newest call out; it goes on afterwards
            elif unit is None:
                self.facts.append(self.ledger.unanswered(asked))
            else:
                self.facts += self.ledger.answer(asked, unit, self.number, self._exchange.opened_us)
        self._thread.asked = waiting

    def _carried_in(self) -> None:
        self.ledger.revive({unit.digest for unit in self.fresh})
        strange = [
            (index, unit)
            for index, unit in enumerate(self.fresh)
            if unit.block.kind is BlockKind.RESULT and not self.ledger.has_call(CallId(unit.block.call_id))
        ]
        if not strange:
            return
        asked_here = set(history.unpack(self._thread.history + self._thread.reply))
        calls = {
            unit.block.call_id: unit.block
            for unit in self._call.units
            if unit.block.kind is BlockKind.CALL and unit.digest not in asked_here
        }
        for index, unit in strange:
            if unit.block.remembered is not None:
                fact = self.ledger.carry_over(unit, self.number, index)
            elif unit.block.call_id in calls:
                fact = self.ledger.carry_in(calls[unit.block.call_id], unit, self.number, index)
            else:
                continue
            self.facts += [fact] if fact else []

    # --- boundaries ---

    def _boundary_of_request(self) -> None:
        has_blocks = self._visible is not self._request.messages
        everything = (block for message in self._request.messages for block in message.blocks)
        blocks = self._new_compactions(everything) if has_blocks else []
        if self._call.placement.relation is Relation.REWIND and not blocks:
            self.facts += boundaries.leave_branch(self._thread, self._state, self._look_at_request())
            return
        cause = self._provider_cause(blocks) if blocks else self._client_cause()
        if cause is None:
            return
        view = self._look_at_request()
        if cause.evidence == "history replaced" and not view.lost:  # edited, but nothing that was seen left the view
            boundaries.roll_on(self._thread, self.number, cause)
            return
        self._cross(cause, view)

    def _client_cause(self) -> Cause | None:
        evidence = self._call.placement.evidence
        if self._call.placement.relation is not Relation.COMPACTED or evidence is None:
            return None
        return Cause(
            kind=BoundaryKind.CLIENT,
            evidence=evidence.kind,
            level=Observability.EXACT,
            trigger=evidence.trigger,
            said=evidence.said,
        )

    def _provider_cause(self, blocks: Sequence[Block]) -> Cause:
        opaque = all(block.opaque for block in blocks)
        said = self._thread.said
        return Cause(
            kind=BoundaryKind.PROVIDER_COMPACTION,
            evidence="compaction block",
            level=Observability.BEHAVIOUR_ONLY if opaque else Observability.EXACT,
            said=said if said and said.asked_for else None,
        )

    def _new_compactions(self, blocks: Iterator[Block]) -> list[Block]:
        """Summary blocks of the provider that were not counted before; a failed one (no content) is none."""
        fresh = []
        for block in blocks:
            if block.kind is BlockKind.COMPACTION and (block.text or block.opaque or block.remembered):
                digest = unit_digest("assistant", block).hex()
                if digest not in self._thread.compactions:
                    self._thread.compactions.add(digest)
                    fresh.append(block)
        return fresh

    def _boundary_of_reply(self) -> None:
        self._cleared_by_provider()
        if self._reply.stop_reason == "compaction":
            return  # nothing was sampled after it: the boundary is the first request that carries the block
        blocks = self._new_compactions(iter(self._reply.blocks))
        if blocks:
            whole = (*self._request.messages, Message(role="assistant", blocks=self._reply.blocks))
            left = Texts.shown(self._request, visible_messages(replace(self._request, messages=whole)))
            self._texts = Texts.of(left)  # all that is left of what came before
            view = boundaries.look(self._thread, list(self.ledger.seen()), set(), lambda: self._texts)
            self._cross(self._provider_cause(blocks), view)

    def _cleared_by_provider(self) -> None:
        cleared = clears.cleared(self._reply)
        if not cleared and not self._thread.cleared:
            return
        view = self._look(self._hidden)
        more, self._thread.cleared = cleared > self._thread.cleared, cleared
        if view.lost or more:
            cause = Cause(kind=BoundaryKind.PROVIDER_CLEAR, evidence="applied edits", level=Observability.INFERRED)
            self._cross(cause, view)
        else:
            self.facts += boundaries.come_back(self._thread, self._state, view)

    def _look_at_request(self) -> View:
        """What the request shows; what the provider had cleared before and clears again has not come back."""
        shown_before = {seen.call for seen in self.ledger.seen() if seen.id in self._thread.visible}
        return self._look(self._hidden - shown_before)

    def _look(self, hidden: frozenset[str] = frozenset()) -> View:
        shown = {unit.digest for unit in self._results}
        return boundaries.look(self._thread, list(self.ledger.seen()), shown, lambda: self._texts, hidden)

    def _cross(self, cause: Cause, view: View) -> None:
        found = boundaries.cross(
            self._state, self._thread, view, cause, turn=self.number, at_us=self._exchange.opened_us
        )
        self.facts += [self._with_sizes(fact) if isinstance(fact, BoundaryFact) else fact for fact in found]
        self.crossed = True

    def _with_sizes(self, fact: BoundaryFact) -> BoundaryFact:
        usage = context_usage(self._reply)
        compaction = [i.usage.input for i in self._reply.iterations if i.kind is IterationKind.COMPACTION]
        before = compaction[-1] if compaction else fact.tokens_before
        if compaction:  # the summary was sampled inside this very exchange
            fact = replace(fact, **{f"summary_{name}": value for name, value in self._exchange.id._asdict().items()})
        return replace(fact, tokens_before=before, tokens_after=usage.input if usage else None)

    # --- questions and memory ---

    def _questions(self) -> None:
        ended = self._exchange.opened_us + (self._exchange.duration_us or 0)
        calls = [block for block in self._reply.blocks if block.kind is BlockKind.CALL]
        for index, block in enumerate(calls):
            asked = self.ledger.ask(self.number, index, block)
            asked.asked_us = ended
            asked.model_us = self._exchange.duration_us
            self._note_copies(asked)
            self._thread.asked.append(asked)
            self.facts.append(self.ledger.pending(asked))

    def _note_copies(self, asked: Asked) -> None:
        """What of this resource's dropped content stands in the texts that the model sees now (V5)."""
        if asked.tool_class is not ToolClass.RETRIEVAL:
            return
        own = [one.lines for one in self.ledger.akin(asked) if one.dropped_by is not None]
        if own:
            asked.texts = self._texts.only({line for packed in own for line in lines.unpack(packed)})
            asked.opaque = self._texts.opaque


def _opening_texts(request: Request) -> str:
    """System text and the first messages' texts: where clients say which folder they work in."""
    shown = [b.text for m in request.messages[:3] if m.role != "assistant" for b in m.blocks]
    return _joined((*[block.text for block in request.system], *shown))


@lru_cache(maxsize=16)
def _joined(texts: tuple[str, ...]) -> str:
    """One text of several. A client sends them again each time: what is looked up by the whole is found at once."""
    return "\n".join(texts)
