"""Whose transcript a file is, by what stands in it, and which files tell of one session."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from proxy.transcripts.claude_code import WITHOUT_MESSAGES
from proxy.transcripts.lines import read_lines
from proxy.transcripts.timestamps import microseconds
from proxy.transcripts.trouble import Trouble
from proxy.wire.json_values import Json, text_of

LOOKED_AT = 200
"""Records after which a file that showed no sign is taken for something else."""

UNKNOWN = "not a known transcript"
NO_MESSAGES = "a transcript without messages"
EMPTY = "empty"


class Format(StrEnum):
    """Whose files they are."""

    CLAUDE_CODE = "claude-code"
    CODEX = "codex"


class Head(NamedTuple):
    """What the beginning of a transcript tells."""

    path: Path
    format: Format
    session: str
    """As the client names it."""
    first: str
    """Id of the first record: equal in a file that repeats this one's beginning."""
    at_us: int


class Group(NamedTuple):
    """Files that tell of one session, the earliest first."""

    format: Format
    session: str
    files: tuple[Path, ...]


def look(path: Path, trouble: Trouble) -> Head | None:
    """The beginning of a file; None, and noted, when it is no transcript."""
    found = Trouble()
    reason = EMPTY
    for _, record, _ in islice(read_lines(path, found), LOOKED_AT):
        head = _claude_code(path, record) or _codex(path, record)
        if head:
            return head
        reason = NO_MESSAGES if _is_without_messages(record) and reason != UNKNOWN else UNKNOWN
    unreadable = [entry for entry in found.entries() if entry.line is None]
    trouble.note(unreadable[0].reason if unreadable else UNKNOWN if found.entries() else reason, str(path))
    return None


def _claude_code(path: Path, record: Mapping[str, Json]) -> Head | None:
    if record.get("type") not in ("user", "assistant", "system", "attachment"):
        return None
    session, uuid = text_of(record.get("sessionId")), text_of(record.get("uuid"))
    if not session or not uuid:
        return None
    return Head(path, Format.CLAUDE_CODE, session, uuid, microseconds(record.get("timestamp")) or 0)


def _codex(path: Path, record: Mapping[str, Json]) -> Head | None:
    payload = record.get("payload")
    if record.get("type") != "session_meta" or not isinstance(payload, dict):
        return None
    thread = text_of(payload.get("id"))
    session = text_of(payload.get("session_id")) or thread
    if not session:
        return None
    return Head(path, Format.CODEX, session, session, microseconds(record.get("timestamp")) or 0)


def _is_without_messages(record: Mapping[str, Json]) -> bool:
    return text_of(record.get("type")) in WITHOUT_MESSAGES


def group(heads: Iterable[Head]) -> list[Group]:
    """Heads by session: the same name, or the same first record. In the order of time."""
    ordered = sorted(heads, key=lambda head: (head.at_us, str(head.path)))
    signs = [{(head.format, head.session), (head.format, head.first)} for head in ordered]
    return [_group([ordered[place] for place in places]) for places in connected(signs)]


def _group(heads: Sequence[Head]) -> Group:
    return Group(heads[0].format, heads[0].session, tuple(head.path for head in heads))


def connected[T](signs: Sequence[Iterable[T]]) -> list[list[int]]:
    """Places whose signs overlap, directly or through others; each lot in order, lots by their first place."""
    leads_to = list(range(len(signs)))
    holder: dict[T, int] = {}

    def first(place: int) -> int:
        while leads_to[place] != place:
            place = leads_to[place]
        return place

    for place, own in enumerate(signs):
        for sign in own:
            one, other = sorted((first(place), first(holder.setdefault(sign, place))))
            leads_to[other] = one
    lots: dict[int, list[int]] = {}
    for place in range(len(signs)):
        lots.setdefault(first(place), []).append(place)
    return list(lots.values())
