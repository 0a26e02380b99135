"""Histories that the provider holds and a chained request does not repeat (wire-formats 1.2, 2.2, 2.6).

A reply id stands for the history that led to it, the reply included. What is remembered of each block is what matching
needs: role, digest, ids, size, and the line digests of texts that a model may read; no text but a known opening. Each
history is kept as its difference from an earlier one, so that a session's chains grow with what is new. Ids are kept as
digests.
"""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from proxy.model.messages import Block, BlockKind, Message, Request, Tool
from proxy.sessions import lines
from proxy.sessions.history import common_prefix
from proxy.sessions.normalise import Unit
from proxy.sessions.phrases import COMPACT_COMMANDS, CONTINUATIONS, SUMMARY_REQUESTS, opens_with
from proxy.sessions.signs import of_reply

OPENINGS = (*SUMMARY_REQUESTS, *CONTINUATIONS, *COMPACT_COMMANDS)
"""What placement asks of the texts of the client's."""
Size = Callable[[Block], int]
"""Reference tokens of a block."""


class HeldUnit(NamedTuple):
    """One block of a held history."""

    role: str
    kind: BlockKind
    digest: bytes
    call_id: str
    tool: str
    opaque: bool
    keeps_texts: bool
    runs: tuple[bytes, ...]
    """Packed significant lines of a text of the client's, with line numbers and without."""
    opening: str
    """Which of the known openings the text begins with; it is all of the text that is kept."""
    tokens: int

    @classmethod
    def of(cls, unit: Unit, size: Size) -> HeldUnit:
        """What is remembered of a block."""
        block = unit.block
        runs: tuple[bytes, ...] = ()
        if block.remembered is not None:
            runs = block.remembered
        elif block.kind is BlockKind.COMPACTION or (block.kind is BlockKind.TEXT and unit.role != "assistant"):
            runs = lines.runs(block.text) if block.text else ()
        return cls(
            role=unit.role,
            kind=block.kind,
            digest=unit.digest,
            call_id=block.call_id,
            tool=block.tool,
            opaque=block.opaque,
            keeps_texts=block.keeps_texts,
            runs=runs,
            opening=next((known for known in OPENINGS if opens_with(block.text, (known,))), "") if runs else "",
            tokens=size(block) if unit.tokens is None else unit.tokens,
        )

    def unit(self) -> Unit:
        """The block as it counts for matching."""
        block = Block(
            kind=self.kind,
            raw=None,
            text=self.opening,
            call_id=self.call_id,
            tool=self.tool,
            opaque=self.opaque,
            keeps_texts=self.keeps_texts,
            remembered=self.runs,
            remembered_digest=self.digest,
        )
        return Unit(block, self.role, self.digest, self.tokens)


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """One held history: the first `kept` units of another one, then its own."""

    base: str
    """The history it begins with; empty for none."""
    kept: int
    units: tuple[HeldUnit, ...]
    tools: tuple[Tool, ...] | None = None
    """Tools that items of the history offer; None when they are those of its base."""


class Whole(NamedTuple):
    """A request with its whole history."""

    request: Request
    units: list[Unit]


class _PutTogether(NamedTuple):
    """One history in the forms in which it is asked for, each made once."""

    reply: str
    units: list[Unit]
    messages: list[Message]


@dataclass(slots=True)
class Histories:
    """All histories of a session that a provider may hold, by the digest of their reply's id."""

    by_reply: dict[str, Held] = field(default_factory=dict)
    conversations: dict[str, str] = field(default_factory=dict)
    """The newest history of each server-held conversation, by the digest of its id."""
    doubtful: set[str] = field(default_factory=set)
    """Replies whose id came again with another history: nobody can say which one a later request means."""
    _newest: _PutTogether = field(default=_PutTogether("", [], []), compare=False)
    """The history that was put together last: the next call is likely to continue it."""

    def complete(self, request: Request, own: list[Unit]) -> Whole | None:
        """The request with the history that it continues; None when it is not known which one that is.

        Args:
            request: As sent.
            own: Its units.
        """
        reply = of_reply(request.previous_id) if request.previous_id else ""
        if request.conversation_id and not reply:
            reply = self.conversations.get(of_reply(request.conversation_id), "")
        if not reply:
            return Whole(request, own)
        if reply not in self.by_reply or reply in self.doubtful:
            return None
        held = self._put_together(reply)
        messages = (*held.messages, *request.messages)
        tools = (*self._tools(reply), *request.tools)
        return Whole(replace(request, messages=messages, tools=tools), [*held.units, *own])

    def add(self, reply: str, base: str, whole: Whole, size: Size) -> None:
        """Remember what a reply stands for.

        Args:
            reply: Digest of the reply's id.
            base: A history of the same thread that is likely to begin alike; any will do.
            whole: The request, and the whole history, the reply included.
            size: Measures what is new.
        """
        units = whole.units
        if reply in self.by_reply:
            known = self._put_together(reply).units
            if [unit.digest for unit in known] != [unit.digest for unit in units]:
                self.doubtful.add(reply)
            return
        former = self._put_together(base)
        kept = common_prefix([unit.digest for unit in former.units], [unit.digest for unit in units])
        own = tuple([HeldUnit.of(unit, size) for unit in units[kept:]])
        base = base if kept else ""
        staying = tuple([replace(tool, raw=None) for tool in whole.request.tools if tool.stays])
        tools = None if staying == self._tools(base) else staying
        self.by_reply[reply] = Held(base=base, kept=kept, units=own, tools=tools)
        self._newest = _as_newest(reply, former.units[:kept], former.messages[:kept], own)

    def _tools(self, reply: str) -> tuple[Tool, ...]:
        while (held := self.by_reply.get(reply)) is not None:
            if held.tools is not None:
                return held.tools
            reply = held.base
        return ()

    def _put_together(self, reply: str) -> _PutTogether:
        if self._newest.reply != reply:
            self._newest = _as_newest(reply, [], [], self._collected(reply))
        return self._newest

    def _collected(self, reply: str) -> list[HeldUnit]:
        pieces: list[tuple[HeldUnit, ...]] = []
        wanted: int | None = None
        while (held := self.by_reply.get(reply)) is not None:
            taken = len(held.units) if wanted is None else max(0, wanted - held.kept)
            pieces.append(held.units[:taken])
            wanted = held.kept if wanted is None else min(wanted, held.kept)
            reply = held.base
        return [unit for piece in reversed(pieces) for unit in piece]


def _as_newest(reply: str, units: list[Unit], messages: list[Message], more: Sequence[HeldUnit]) -> _PutTogether:
    fresh = [held.unit() for held in more]
    said = [Message(role=unit.role, blocks=(unit.block,)) for unit in fresh]
    return _PutTogether(reply, [*units, *fresh], [*messages, *said])


def may_be_continued(request: Request, method: str) -> bool:
    """True when a later request may name this one's reply instead of sending its history again."""
    if request.dialect == "openai_responses":
        return method == "WEBSOCKET" or request.metadata.get("store") is not False
    return isinstance(request.metadata.get("thread"), dict)


def load_held(row: Mapping[str, Any]) -> Held:
    """A history from its stored form."""
    tools = row["tools"] and tuple([Tool(**tool) for tool in row["tools"]])
    units = tuple([_load_unit(*unit) for unit in row["units"]])
    return Held(base=row["base"], kept=row["kept"], units=units, tools=tools)


def _load_unit(*row: Any) -> HeldUnit:  # noqa: ANN401 - parsed JSON
    unit = HeldUnit(*row)
    return unit._replace(
        kind=BlockKind(unit.kind), digest=b64decode(unit.digest), runs=tuple([b64decode(run) for run in unit.runs])
    )
