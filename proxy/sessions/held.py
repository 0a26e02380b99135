"""Histories that the provider holds and a chained request does not repeat (wire-formats 1.2, 2.2, 2.6).

A reply id stands for the history that led to it, the reply included. What is remembered of each block is what matching
needs: role, digest, ids, and the line digests of texts that a model may read; no text. Each history is kept as its
difference from an earlier one, so that a session's chains grow with what is new.
"""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from proxy.model.messages import Block, BlockKind, Message, Request
from proxy.sessions import lines
from proxy.sessions.history import common_prefix
from proxy.sessions.normalise import Unit


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

    def message(self) -> Message:
        """The block as a message of its own."""
        block = Block(
            kind=self.kind,
            raw=None,
            call_id=self.call_id,
            tool=self.tool,
            opaque=self.opaque,
            keeps_texts=self.keeps_texts,
            remembered=self.runs,
            remembered_digest=self.digest,
        )
        return Message(role=self.role, blocks=(block,))


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """One held history: the first `kept` units of another one, then its own."""

    base: str
    """Reply id of the history it begins with; empty for none."""
    kept: int
    units: tuple[HeldUnit, ...]


@dataclass(slots=True)
class Histories:
    """All histories of a session that a provider may hold, by reply id."""

    by_reply: dict[str, Held] = field(default_factory=dict)
    conversations: dict[str, str] = field(default_factory=dict)
    """Reply id of the newest history of each server-held conversation."""
    _whole: tuple[str, list[HeldUnit]] = ("", [])
    """The history that was put together last: the next call is likely to continue it."""

    def complete(self, request: Request) -> Request | None:
        """The request with the history that it continues; None when that history was never seen."""
        reply = request.previous_id or self.conversations.get(request.conversation_id, "")
        if not reply:
            return request
        if reply not in self.by_reply:
            return None
        held = tuple([unit.message() for unit in self._units(reply)])
        return replace(request, messages=(*held, *request.messages))

    def add(self, request: Request, reply: str, base: str, units: Sequence[Unit]) -> None:
        """Remember what a reply id stands for.

        Args:
            request: The request that was answered.
            reply: The reply's id.
            base: A reply of the same thread whose history is likely to be alike; any id will do.
            units: The whole history, the reply included.
        """
        former = self._units(base)
        kept = common_prefix([unit.digest for unit in former], [unit.digest for unit in units])
        own = tuple([_held(unit) for unit in units[kept:]])
        self.by_reply[reply] = Held(base=base if kept else "", kept=kept, units=own)
        self._whole = (reply, [*former[:kept], *own])
        if request.conversation_id:
            self.conversations[request.conversation_id] = reply

    def _units(self, reply: str) -> list[HeldUnit]:
        if self._whole[0] != reply:
            self._whole = (reply, self._put_together(reply))
        return self._whole[1]

    def _put_together(self, reply: str) -> list[HeldUnit]:
        pieces: list[tuple[HeldUnit, ...]] = []
        wanted: int | None = None
        while (held := self.by_reply.get(reply)) is not None:
            taken = len(held.units) if wanted is None else max(0, wanted - held.kept)
            pieces.append(held.units[:taken])
            wanted = held.kept if wanted is None else min(wanted, held.kept)
            reply = held.base
        return [unit for piece in reversed(pieces) for unit in piece]


def may_be_continued(request: Request, method: str) -> bool:
    """True when a later request may name this one's reply instead of sending its history again."""
    if request.dialect == "openai_responses":
        return method == "WEBSOCKET" or request.metadata.get("store") is not False
    return isinstance(request.metadata.get("thread"), dict)


def _held(unit: Unit) -> HeldUnit:
    block = unit.block
    runs: tuple[bytes, ...] = ()
    if block.remembered is not None:
        runs = block.remembered
    elif block.kind is BlockKind.COMPACTION or (block.kind is BlockKind.TEXT and unit.role != "assistant"):
        runs = lines.runs(block.text)
    return HeldUnit(
        role=unit.role,
        kind=block.kind,
        digest=unit.digest,
        call_id=block.call_id,
        tool=block.tool,
        opaque=block.opaque,
        keeps_texts=block.keeps_texts,
        runs=runs,
    )


def load_held(row: Mapping[str, Any]) -> Held:
    """A history from its stored form."""
    return Held(base=row["base"], kept=row["kept"], units=tuple([_load_unit(*unit) for unit in row["units"]]))


def _load_unit(*row: Any) -> HeldUnit:  # noqa: ANN401 - parsed JSON
    unit = HeldUnit(*row)
    return unit._replace(
        kind=BlockKind(unit.kind), digest=b64decode(unit.digest), runs=tuple([b64decode(run) for run in unit.runs])
    )
