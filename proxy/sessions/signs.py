"""Signs by which a later call of a session is recognised when it carries no id: what it continues, by content.

    reply     the id of a reply whose server-held history is continued
    begun     a first request that failed, or only warmed the cache: the client will send it again
    history   a whole history up to a reply of the model
    unit      one reply of the model, long enough to be told from others, wherever it stands and under any system text
    line      a line of a summary that was written for a history

A sign is a digest. Two conversations whose content is the same so far cannot be told apart and share one (the newest
has it); call ids, which are drawn at random, make that rare.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from hashlib import blake2b
from itertools import groupby, islice
from typing import Any, NamedTuple

from proxy.model.ids import SessionId
from proxy.model.messages import BlockKind, Request
from proxy.sessions import lines
from proxy.sessions.normalise import Unit, system_digest, unit_digest
from proxy.wire.call_names import UNNAMED

Find = Callable[[Sequence[str]], Mapping[str, SessionId]]
"""The sessions that some signs were last seen in; those that no session showed are left out."""

LOOKED_UP = 8
"""Signs of each sort that one call is looked up by, and that one reply leaves."""
TELLING_LINES = 2
"""A reply's text with fewer significant lines may be anybody's."""


def of_reply(reply: str) -> str:
    """The sign of a reply id."""
    return _sign("reply", _bytes(reply))


def recognised(client: str, request: Request, units: Sequence[Unit], find: Find) -> SessionId | None:
    """The session that a request continues, by the best sign; None when nothing tells.

    Most calls are known by their history: the other signs are not made then.
    """
    if request.previous_id:
        return _best([of_reply(request.previous_id)], find)
    if not _has_reply(units):
        begun, answered = _first_request(_who(client, request), units)
        known = find([begun, answered])
        if begun in known and known[begun] != known.get(answered):
            return known[begun]
    elif found := _best(_histories(_who(client, request), units), find):
        return found
    return _best([*_units(client, reversed(units)), *_opening(units)], find)


def of_attempt(client: str, request: Request, units: Sequence[Unit]) -> Iterator[str]:
    """Signs of a request that got no reply; a later one is known by the replies in its history."""
    if not _has_reply(units):
        yield _first_request(_who(client, request), units).begun


def of_turn(client: str, request: Request, units: Sequence[Unit], reply: Sequence[Unit]) -> Iterator[str]:
    """Signs by which the turn's next request can be known."""
    who = _who(client, request)
    if not _has_reply(units):  # the same question asked again is a conversation of its own now
        yield from _first_request(who, units)
    before = _walked(_hasher("history", who), units)
    yield _walked(before.copy(), reply).hexdigest()
    if any(unit.block.call_id.startswith(UNNAMED) for unit in reply):
        yield _nameless(before, reply)
    yield from _units(client, reply)


def of_summary(reply: Sequence[Unit]) -> Iterator[str]:
    """Signs of a summary: the shortened history will quote it."""
    for unit in reply:
        if unit.block.kind is BlockKind.TEXT:
            yield from (_sign("line", line) for line in _longest(unit.block.text))


def is_telling(unit: Unit) -> bool:
    """True when a block of the model hardly stands in two conversations: a call with an id, a longer text, summary."""
    if unit.block.kind is BlockKind.CALL:
        return bool(unit.block.call_id)
    if unit.block.kind is BlockKind.COMPACTION:
        return True
    packed = lines.significant(unit.block.text.splitlines())
    return unit.block.kind is BlockKind.TEXT and len(packed) >= TELLING_LINES * lines.LINE_SIZE


class _First(NamedTuple):
    """Signs of a request without a reply in its history."""

    begun: str
    answered: str
    """Leads to the same session as soon as the request has been answered: `begun` says nothing then."""


def _first_request(who: bytes, units: Sequence[Unit]) -> _First:
    digests = [unit.digest for unit in units]
    return _First(_sign("begun", who, *digests), _sign("answered", who, *digests))


def _has_reply(units: Sequence[Unit]) -> bool:
    return any(unit.role == "assistant" for unit in units)


def _histories(who: bytes, units: Sequence[Unit]) -> Iterator[str]:
    """Signs of the histories up to the last replies, longest first: as sent, and without the last one's call ids."""
    hasher = _hasher("history", who)
    ends: deque[tuple[Any, list[Unit]]] = deque(maxlen=LOOKED_UP)
    for is_reply, found in groupby(units, key=lambda unit: unit.role == "assistant"):
        run = list(found)
        if is_reply:
            ends.append((hasher.copy(), run))
        _walked(hasher, run)
    for before, reply in reversed(ends):
        yield _walked(before.copy(), reply).hexdigest()
        if any(unit.block.kind is BlockKind.CALL for unit in reply):
            yield _nameless(before, reply)


def _nameless(before: Any, reply: Iterable[Unit]) -> str:  # noqa: ANN401 - hashlib names no type
    """The sign of a history whose last reply named no calls: a client may invent ids when it sends them back."""
    blocks = [replace(unit.block, call_id="") for unit in reply]
    return str(_walked(before.copy(), [Unit(b, "assistant", unit_digest("assistant", b)) for b in blocks]).hexdigest())


def _units(client: str, units: Iterable[Unit]) -> Iterator[str]:
    telling = (unit for unit in units if unit.role == "assistant" and is_telling(unit))
    return (_sign("unit", _bytes(client), unit.digest) for unit in islice(telling, LOOKED_UP))


def _opening(units: Sequence[Unit]) -> Iterator[str]:
    opening = next((unit for unit in units if unit.role == "user" and unit.block.kind is BlockKind.TEXT), None)
    return (_sign("line", line) for line in (_longest(opening.block.text) if opening else ()))


def _longest(text: str) -> Iterable[bytes]:
    """A text's longest lines, which hardly stand in two summaries."""
    significant = [line.strip() for line in text.splitlines() if lines.is_significant(line)]
    chosen = sorted(dict.fromkeys(significant), key=lambda line: (-len(line), line))[:LOOKED_UP]
    return [_bytes(line) for line in chosen]


def _best(wanted: Iterable[str], find: Find) -> SessionId | None:
    signs = list(dict.fromkeys(wanted))
    known = find(signs) if signs else {}
    return next((known[sign] for sign in signs if sign in known), None)


def _who(client: str, request: Request) -> bytes:
    return f"{client}\0{system_digest(request)}".encode()


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _sign(sort: str, *parts: bytes) -> str:
    return str(_hasher(sort, *parts).hexdigest())


def _walked(hasher: Any, units: Iterable[Unit]) -> Any:  # noqa: ANN401 - hashlib names no type
    """The hasher, having gone over some units."""
    for unit in units:
        hasher.update(unit.digest)
    return hasher


def _hasher(sort: str, *parts: bytes) -> Any:  # noqa: ANN401 - hashlib names no type
    hasher = blake2b(sort.encode(), digest_size=16)
    for part in parts:
        hasher.update(len(part).to_bytes(4))
        hasher.update(part)
    return hasher
