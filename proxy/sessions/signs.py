"""Signs by which a later call of a session is recognised when it carries no id: what it continues, by content.

    reply     the id of a reply whose server-held history is continued
    history   a whole history up to a reply of the model
    unit      one reply of the model, long enough to be told from others, wherever it stands
    line      a line of a summary that was written for a history

A sign is a digest. Two conversations whose content is the same so far cannot be told apart and share one (the newest
has it); call ids, which are drawn at random, make that rare.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b

from proxy.model.messages import BlockKind, Request
from proxy.sessions import lines
from proxy.sessions.normalise import Unit, system_digest

LOOKED_UP = 8
"""Signs of each sort that one call is looked up by."""
TELLING_LINES = 2
"""A reply's text with fewer significant lines may be anybody's."""


def of_reply(reply: str) -> str:
    """The sign of a reply id."""
    return _sign("reply", reply.encode("utf-8", "surrogatepass"))


def candidates(client: str, request: Request, units: Sequence[Unit]) -> Iterator[str]:
    """Signs that a request may be known by, best first."""
    if request.previous_id:
        yield of_reply(request.previous_id)
        return
    who = _who(client, request)
    ends = [i for i in range(1, len(units) + 1) if i == len(units) or _is_end_of_reply(units, i)]
    yield from (_history(who, units[:end]) for end in reversed(ends[-LOOKED_UP:]))
    telling = [unit for unit in units if unit.role == "assistant" and is_telling(unit)]
    yield from (_sign("unit", who, unit.digest) for unit in reversed(telling[-LOOKED_UP:]))
    opening = next((unit for unit in units if unit.role == "user" and unit.block.kind is BlockKind.TEXT), None)
    if opening is not None:
        yield from (_sign("line", line) for line in _longest(opening.block.text))


def of_attempt(client: str, request: Request, units: Sequence[Unit]) -> Iterator[str]:
    """Signs of a request that got no reply: the client will send the same again."""
    yield _history(_who(client, request), units)


def of_turn(
    client: str, request: Request, units: Sequence[Unit], reply: Sequence[Unit], reply_id: str
) -> Iterator[str]:
    """Signs by which the turn's next request can be known."""
    who = _who(client, request)
    if reply_id:
        yield of_reply(reply_id)
    yield _history(who, [*units, *reply])
    yield from (_sign("unit", who, unit.digest) for unit in reply if is_telling(unit))


def of_summary(reply: Sequence[Unit]) -> Iterator[str]:
    """Signs of a summary: the shortened history will quote it."""
    for unit in reply:
        if unit.block.kind is BlockKind.TEXT:
            yield from (_sign("line", line) for line in _longest(unit.block.text))


def is_telling(unit: Unit) -> bool:
    """True when a block of the model is not likely to stand in two conversations: a call with an id, a longer text."""
    if unit.block.kind is BlockKind.CALL:
        return bool(unit.block.call_id)
    packed = lines.significant(unit.block.text.splitlines())
    return unit.block.kind is BlockKind.TEXT and len(packed) >= TELLING_LINES * lines.LINE_SIZE


def _is_end_of_reply(units: Sequence[Unit], end: int) -> bool:
    return units[end - 1].role == "assistant" and units[end].role != "assistant"


def _longest(text: str) -> Iterable[bytes]:
    """Digests of a text's longest lines, which hardly stand in two summaries."""
    significant = [line.strip() for line in text.splitlines() if lines.is_significant(line)]
    chosen = sorted(dict.fromkeys(significant), key=lambda line: (-len(line), line))[:LOOKED_UP]
    return [line.encode("utf-8", "surrogatepass") for line in chosen]


def _who(client: str, request: Request) -> bytes:
    return f"{client}\0{system_digest(request)}".encode()


def _history(who: bytes, units: Iterable[Unit]) -> str:
    return _sign("history", who, *(unit.digest for unit in units))


def _sign(sort: str, *parts: bytes) -> str:
    hasher = blake2b(sort.encode(), digest_size=16)
    for part in parts:
        hasher.update(len(part).to_bytes(4))
        hasher.update(part)
    return hasher.hexdigest()
