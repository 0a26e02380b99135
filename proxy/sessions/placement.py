"""Which thread a call belongs to, how its history follows the former one, and what shows a compaction.

Order inside a thread is by content: the thread whose history the request extends. Evidence of a compaction,
strongest first: the client's hint header, a provider's compaction block, the client's continuation text, the text
of a summarising call standing in the new history, a history whose middle is gone while later parts stayed.
Rewinds, forks, clears and sub-agent switches are none of these (F77, F78).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import count
from typing import NamedTuple

from proxy.model.ids import ThreadId
from proxy.model.messages import Block, BlockKind, Request
from proxy.sessions import history, lines
from proxy.sessions.history import Overlap, Relation
from proxy.sessions.identity import HAVE_TOOLS, Identity
from proxy.sessions.normalise import DIGEST_SIZE, Unit, system_digest, tool_names_digest, tools_digest
from proxy.sessions.phrases import (
    COMPACT_COMMANDS,
    CONTINUATIONS,
    REMINDER,
    SUMMARY_REQUESTS,
    SUMMARY_SYSTEMS,
    opens_with,
)
from proxy.sessions.state import SessionState
from proxy.sessions.thread import Said, Signature, Thread

SUMMARY_SHARE = 0.5
"""A new history carries a summary when at least this share of the summary's significant lines stands in it."""


class Evidence(NamedTuple):
    """What showed a client-side compaction."""

    kind: str
    trigger: str
    said: Said | None
    """The reply that wrote the summary, when it was seen."""


class Placement(NamedTuple):
    """Where a request belongs."""

    thread: Thread
    relation: Relation
    signature: Signature
    shared: int
    """Units shared with the thread's former history (its reply included)."""
    evidence: Evidence | None
    is_new: bool
    why: str
    """What opened a new thread; empty for a known one."""
    packed: bytes
    """Digests of the request's history."""


class _Fit(NamedTuple):
    rank: int
    shared: int
    thread: Thread
    relation: Relation
    evidence: Evidence | None


class _New(NamedTuple):
    """A request as it is compared with each thread."""

    request: Request
    units: list[Unit]
    digests: list[bytes]
    packed: bytes
    """The same as one byte string."""
    identity: Identity
    kind: str
    signature: Signature
    said: tuple[Said, ...]
    """What this agent's calls said last, newest first."""


def summary_trigger(request: Request, identity: Identity) -> str | None:
    """`manual`, `auto` or `` when the request asks for a summary of its own history; None when it does not."""
    if identity.hints.summary:
        return identity.hints.summary
    if identity.hints.request_class == "compaction" or request.on_demand_compaction:
        return ""
    if any(opens_with(text, SUMMARY_SYSTEMS) for text in _instructions(request)):
        return ""
    # Clients may put a message of role `system` behind it.
    last = next((message for message in reversed(request.messages) if message.role != "system"), None)
    if last is None or last.role != "user":
        return None
    texts = (block.text for block in last.blocks if block.kind is BlockKind.TEXT)
    return "" if any(opens_with(text, SUMMARY_REQUESTS) for text in texts) else None


def _instructions(request: Request) -> Iterator[str]:
    """System texts, wherever the dialect has them."""
    yield from (block.text for block in request.system[:1])
    first = next(iter(request.messages), None)
    if first is not None and first.role == "system":
        yield from (block.text for block in first.blocks[:1])


def place(request: Request, units: list[Unit], identity: Identity, state: SessionState) -> Placement:
    """Find the thread that a request continues, or open a new one."""
    own = [thread for thread in state.threads.values() if thread.agent == identity.agent]
    said = sorted(
        (t.said for t in own if t.said),
        key=lambda said: (said.at_us, said.number, said.part, said.writer),
        reverse=True,
    )
    signature = Signature(tools_digest(request), system_digest(request), tool_names_digest(request))
    digests = [unit.digest for unit in units]
    packed, kind = history.pack(digests), _kind(request, identity)
    new = _New(request, units, digests, packed, identity, kind, signature, tuple(said))
    fits = [fit for thread in own if packed.startswith(thread.history) and (fit := _continues(thread, new))]
    fits = fits or [fit for thread in own if (fit := _departs(thread, new))]
    if fits:
        best = max(fits, key=lambda fit: (fit.rank, fit.shared, fit.thread.last_us, fit.thread.id))
        return Placement(
            best.thread, best.relation, signature, best.shared, best.evidence, is_new=False, why="", packed=packed
        )
    return _open(new, state)


def _alike(thread: Thread, new: _New) -> bool:
    return thread.signature.names == new.signature.names or thread.signature.system == new.signature.system


def _overlap(thread: Thread, new: _New) -> Overlap:
    whole = thread.history + thread.reply
    if new.packed.startswith(whole):  # the usual case: nothing but new units
        former = len(thread.history) // DIGEST_SIZE
        return Overlap(shared=len(whole) // DIGEST_SIZE, former=former, kept_later=False)
    return history.compare(history.unpack(thread.history), history.unpack(thread.reply), new.digests)


def _continues(thread: Thread, new: _New) -> _Fit | None:
    """The request, which holds the thread's whole former history, goes on with it; or it is a first turn's next try."""
    if thread.turns == 0:
        return _Fit(0, 0, thread, Relation.FIRST, None) if thread.signature == new.signature else None
    overlap = _overlap(thread, new)
    if _alike(thread, new) or overlap.shared > overlap.former:
        relation = Relation.RETRIED if len(new.digests) == overlap.former else Relation.EXTENDS
        return _Fit(1, overlap.shared, thread, relation, None)
    return None


def _departs(thread: Thread, new: _New) -> _Fit | None:
    """The request holds a part of the thread's former history, or a summary of it."""
    if thread.turns == 0:
        return None
    overlap = _overlap(thread, new)
    if thread.kind == new.kind != "side" and (evidence := _evidence(thread, new, overlap)):
        return _Fit(1, overlap.shared, thread, Relation.COMPACTED, evidence)
    if _alike(thread, new) and overlap.shared > 0:
        return _Fit(0, overlap.shared, thread, Relation.REWIND, None)
    return None


def _evidence(thread: Thread, new: _New, overlap: Overlap) -> Evidence | None:
    brought, alike = new.units[overlap.shared :], _alike(thread, new)
    said = next((said for said in new.said if carries(brought, said)), None)
    trigger = (said.trigger if said else "") or _told_trigger(brought)
    hints = new.identity.hints
    if hints.compacted:
        return Evidence("hint header", hints.compacted, said)
    if any(unit.block.kind is BlockKind.COMPACTION and unit.digest.hex() not in thread.compactions for unit in brought):
        return Evidence("compaction block", trigger, said)
    if hints.window and thread.window and hints.window != thread.window:
        return Evidence("window number", trigger, said)
    if overlap.shared == 0 and any(opens_with(text, CONTINUATIONS) for text in _first_texts(new.request)):
        return Evidence("continuation text", trigger, said)
    if alike and said and overlap.shared < overlap.former:
        return Evidence("summary request", trigger, said)
    if alike and overlap.kept_later:
        return Evidence("history replaced", "", None)
    return None


def _told_trigger(brought: list[Unit]) -> str:
    texts = (unit.block.text for unit in brought if unit.role == "user" and unit.block.kind is BlockKind.TEXT)
    return "manual" if any(opens_with(text, COMPACT_COMMANDS) for text in texts) else ""


def _first_texts(request: Request) -> Iterable[str]:
    first = next((message for message in request.messages if message.role == "user"), None)
    if first is None:
        return ()
    return (b.text for b in first.blocks if b.kind is BlockKind.TEXT and not b.text.startswith(REMINDER))


def carries(units: Iterable[Unit], said: Said) -> bool:
    """True when what was said stands in texts that did not come from the model."""
    wanted = set(lines.unpack(said.lines))
    found: set[bytes] = set()
    for unit in units:
        if unit.role != "assistant" and unit.block.kind is BlockKind.TEXT:
            found |= wanted.intersection(_lines(unit.block))
    return bool(wanted) and len(found) >= SUMMARY_SHARE * len(wanted)


def _lines(block: Block) -> Iterator[bytes]:
    """Digests of a text's lines, or of what is remembered of them."""
    if block.remembered is None:
        return map(lines.line_digest, block.text.splitlines())
    return (line for run in block.remembered for line in lines.unpack(run))


_WHY = {"agent": "agent id", "side": "no tools offered", "main": "first"}


def _kind(request: Request, identity: Identity) -> str:
    """What sort of thread a call belongs to: an agent program's call without tools stands beside its conversation."""
    if identity.agent:
        return "agent"
    return "side" if not request.tools and identity.client.name in HAVE_TOOLS else "main"


def _names(first: str) -> Iterator[ThreadId]:
    yield ThreadId(first)
    yield from (ThreadId(f"{first}.{number}") for number in count(2))


def _open(new: _New, state: SessionState) -> Placement:
    identity, kind, signature = new.identity, new.kind, new.signature
    name = f"agent:{identity.agent}" if identity.agent else kind
    why = _WHY[kind]
    free = next(one for one in _names(name) if one not in state.threads)
    if free != name and kind != "side":
        why = "another history"
    thread = Thread(id=free, agent=identity.agent, kind=kind, signature=signature)
    state.threads[thread.id] = thread
    return Placement(thread, Relation.FIRST, signature, 0, None, is_new=True, why=why, packed=new.packed)
