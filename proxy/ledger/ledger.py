"""What one thread's model has seen, and what each of its calls brought back.

The ledger of a thread answers as of the asking turn: a call is judged by what was visible when the model asked,
not by what came later. A sub-agent's ledger knows nothing of its parent's (F74).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import count

from proxy.ledger import matching, reports
from proxy.ledger.classify import IN_PART, classify
from proxy.ledger.content import Content, arguments_text, digest_of
from proxy.ledger.results import ResultKind
from proxy.ledger.tools import ToolRules
from proxy.model.facts import CallFact, Fact, Label, ObservationFact, ToolClass
from proxy.model.ids import CallId, ObservationId
from proxy.model.messages import Block
from proxy.sessions import lines
from proxy.sessions.normalise import Unit
from proxy.sessions.state import SessionState
from proxy.sessions.thread import Asked, Seen, Thread


@dataclass(frozen=True, slots=True, kw_only=True)
class Instruments:
    """What the ledger needs from outside, as plain functions."""

    tools: ToolRules
    count: Callable[[str], int]
    """Reference tokens of a text."""
    redact: Callable[[str], str]
    """Removes body secrets from a text that will be stored."""


class Ledger:
    """One thread's ledger, over the session's state."""

    def __init__(self, state: SessionState, thread: Thread, client: str, own: Instruments) -> None:
        self._session = state.session
        self._client = client
        self._thread = thread
        self._state = state
        self._shelf = state.shelf(thread.id)
        self._tools = own.tools
        self._count = own.count
        self._redact = own.redact

    def seen(self) -> Iterator[Seen]:
        """This thread's observations in order; those of abandoned branches aside."""
        return iter(self._shelf)

    def akin(self, asked: Asked) -> list[Seen]:
        """Of these, in order: those of a call's key or of one of its resources."""
        return self._shelf.akin(asked.key, asked.resources)

    def has_call(self, call: CallId) -> bool:
        """Whether one of these came of that call."""
        return self._shelf.has_call(call)

    def has_unit(self, unit: bytes) -> bool:
        """Whether one of these was shown by a result block of that digest."""
        return self._shelf.has_unit(unit)

    def ask(self, turn: int, index: int, block: Block) -> Asked:
        """Take note of a call that the model asked for."""
        access = self._tools.access(
            self._client, block.tool, block.arguments, cwd=self._thread.shell_cwd or "", raw=block.raw_arguments
        )
        if access.leaves_in != "":
            self._thread.shell_cwd = access.leaves_in and self._redact(access.leaves_in)
        arguments = arguments_text(block)
        asked = Asked(
            turn=turn,
            index=index,
            call=CallId(block.call_id),
            tool=block.tool,
            tool_class=access.tool_class,
            action=access.action,
            resources=[
                self._redact(name) for name in (access.resource, *(one.resource for one in access.more)) if name
            ],
            span=self._redact(access.span),
            key=self._redact(access.key),
            polling=access.polling,
            form=access.form,
            rule=self._redact(access.rule),
            arguments_sha256=digest_of(arguments),
            arguments_tokens_ref=self._count(arguments),
            suspected=False,
        )
        latest = self._shelf.latest(asked.key)
        asked.suspected = (
            asked.tool_class is ToolClass.RETRIEVAL and latest is not None and latest.id not in self._thread.visible
        )
        return asked

    def pending(self, asked: Asked) -> CallFact:
        """A call that was asked and not answered yet."""
        return reports.call_fact(self._session, self._thread.id, asked, Label.PENDING)

    def unanswered(self, asked: Asked) -> CallFact:
        """The history went on without an answer to this call."""
        return reports.call_fact(self._session, self._thread.id, asked, Label.NO_RESULT)

    def answer(self, asked: Asked, unit: Unit, turn: int, at_us: int) -> list[Fact]:
        """Judge an answered call. The content it showed becomes an observation, visible from now on."""
        block = unit.block
        result = self._tools.result(self._client, asked.tool, block.text, is_error=block.is_error, form=asked.form)
        content = Content.of(result, block, self._count)
        self._thread.shell_cwd = self._redact(result.shell_cwd) or self._thread.shell_cwd
        match = matching.match(asked, result.kind, content, self._thread, self._shelf)
        row = classify(match.question)
        facts: list[Fact] = []
        seen = None
        if result.kind is ResultKind.CONTENT:
            seen = self._keep(self._seen(asked, content, unit, turn))
            facts.append(self.observation_fact(seen))
            self._restore(seen)
            self._thread.demanded.difference_update(asked.resources)
        elif result.kind is ResultKind.DEMAND:
            self._thread.demanded.update(asked.resources)
        judged = reports.Judged(
            turn=turn,
            at_us=at_us,
            row=row,
            match=match,
            content=content,
            seen=seen.id if seen else None,
            is_error=block.is_error,
            error_type=result.error_type,
            returned_tokens_ref=self._count("\n".join(match.returned)) if row.label in IN_PART else 0,
        )
        facts.append(reports.answered(self._session, self._thread.id, asked, judged))
        return facts

    def carry_in(self, call: Block, unit: Unit, turn: int, index: int) -> ObservationFact | None:
        """Take in a result whose call was never seen asked: a resumed session, or a lost exchange."""
        asked = self.ask(turn, index, call)
        block = unit.block
        result = self._tools.result(self._client, call.tool, block.text, is_error=block.is_error, form=asked.form)
        if result.kind is not ResultKind.CONTENT:
            return None
        seen = self._seen(asked, Content.of(result, block, self._count), unit, turn)
        return self.observation_fact(self._keep(replace(seen, id=self._name_carried(turn, index))))

    def carry_over(self, unit: Unit, turn: int, index: int) -> ObservationFact | None:
        """Take in a result that only the provider holds, as another thread of the session saw it."""
        known = self._state.shown_by(unit.digest)
        if known is None:
            return None
        seen = Seen(
            id=self._name_carried(turn, index),
            thread=self._thread.id,
            turn=turn,
            call=known.call,
            tool_class=known.tool_class,
            key=known.key,
            resources=known.resources,
            span=known.span,
            content_sha256=known.content_sha256,
            tokens_ref=known.tokens_ref,
            unit=known.unit,
            lines=known.lines,
        )
        return self.observation_fact(self._keep(seen))

    def _name_carried(self, turn: int, index: int) -> ObservationId:
        """Two prewarms of one turn may bring different results at the same place."""
        names = (ObservationId(f"{self._thread.id}/{turn}.c{number}") for number in count(index))
        return next(name for name in names if name not in self._state.seen)

    def revive(self, shown: set[bytes]) -> None:
        """A branch that was left is taken up again: what stands in it was seen after all."""
        for seen in [seen for unit in shown for seen in self._shelf.left(unit)]:
            seen.rewound = False
            self._thread.visible.add(seen.id)
            self._state.touch_seen({seen.id})

    def _seen(self, asked: Asked, content: Content, unit: Unit, turn: int) -> Seen:
        return Seen(
            id=ObservationId(f"{self._thread.id}/{asked.turn}.{asked.index}"),
            thread=self._thread.id,
            turn=turn,
            call=asked.call,
            tool_class=asked.tool_class,
            key=asked.key,
            resources=asked.resources,
            span=asked.span,
            content_sha256=content.sha256,
            tokens_ref=content.tokens_ref,
            unit=unit.digest,
            lines=content.lines,
        )

    def _keep(self, seen: Seen) -> Seen:
        self._state.add(seen)
        self._thread.visible.add(seen.id)
        return seen

    def _restore(self, fresh: Seen) -> None:
        """Lines that came back are no longer missing: each counts once per boundary (V4)."""
        back = lines.distinct(fresh.lines)
        touched: set[ObservationId] = set()
        for seen in self._shelf.akin(fresh.key, fresh.resources):
            remaining = lines.unpack(seen.remaining)
            if not back.isdisjoint(remaining):
                seen.remaining = b"".join(line for line in remaining if line not in back)
                touched.add(seen.id)
        self._state.touch_seen(touched)

    def observation_fact(self, seen: Seen) -> ObservationFact:
        """An observation as a fact."""
        return reports.observation_fact(self._session, seen)
