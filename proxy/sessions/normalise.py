"""Content to digests, for matching only: nothing that is stored or shown goes through here.

The normaliser is versioned (V27) and this is all it does: `cache_control` and every other field beside a
block's meaning is left out; a string equals one text block; thinking, `role: system` messages, empty texts and
the client's `<system-reminder>` texts are passed over; white space around a text and how blocks are grouped into
messages do not matter.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import blake2b

import orjson

from proxy.model.messages import Block, BlockKind, Message, Request
from proxy.sessions.phrases import REMINDER, VOLATILE_SYSTEM, opens_with

VERSION = "1"
DIGEST_SIZE = 8


@dataclass(frozen=True, slots=True)
class Unit:
    """One block that counts for matching."""

    block: Block
    role: str
    digest: bytes
    """8 bytes; equal for blocks that mean the same at the same role."""
    tokens: int | None = None
    """Reference tokens of a block that only the provider holds."""


PerMessage = list[tuple[Message, list[Unit]]]
"""Each message with its units."""


def units_by_message(messages: tuple[Message, ...], former: PerMessage) -> PerMessage:
    """The blocks of a history that count for matching, message by message.

    A client sends its whole history each time: what stands in `former` at the same place is taken from there.
    """
    return [
        former[at] if at < len(former) and former[at][0] is message else (message, list(_of_message(message)))
        for at, message in enumerate(messages)
    ]


def units(messages: tuple[Message, ...]) -> list[Unit]:
    """The blocks of a history that count for matching, in order."""
    return flat(units_by_message(messages, []))


def flat(per_message: PerMessage) -> list[Unit]:
    """All units in order."""
    return [unit for _, own in per_message for unit in own]


def reply_units(blocks: tuple[Block, ...]) -> list[Unit]:
    """The same for a reply, as the client will send it back."""
    return list(_of_message(Message(role="assistant", blocks=blocks)))


def _of_message(message: Message) -> Iterator[Unit]:
    if message.role == "system":
        return
    for block in message.blocks:
        if _counts(block):
            yield Unit(block, message.role, unit_digest(message.role, block))


def _counts(block: Block) -> bool:
    if block.remembered is not None:
        return True
    if block.kind is BlockKind.THINKING:
        return False
    if block.kind is BlockKind.TEXT:
        return bool(block.text.strip()) and not block.text.startswith(REMINDER)
    return True


def unit_digest(role: str, block: Block) -> bytes:
    """8-byte digest of what the block means at that role."""
    if block.remembered is not None:
        return block.remembered_digest
    hasher = blake2b(f"{role}\0{block.kind}\0".encode(), digest_size=DIGEST_SIZE)
    hasher.update(_meaning(block))
    return hasher.digest()


def _meaning(block: Block) -> bytes:
    match block.kind:
        case BlockKind.TEXT:
            return block.text.strip().encode("utf-8", "surrogatepass")
        case BlockKind.CALL:
            arguments = block.raw_arguments if block.arguments is None else dict(block.arguments)
            return orjson.dumps([block.call_id, block.tool, arguments], option=orjson.OPT_SORT_KEYS)
        case BlockKind.RESULT:
            return f"{block.call_id}\0{block.is_error:d}\0{block.text}".encode("utf-8", "surrogatepass")
        case _:
            return _canonical(block.raw)


def _canonical(raw: object) -> bytes:
    if isinstance(raw, dict):
        raw = {key: value for key, value in raw.items() if key != "cache_control"}
    return orjson.dumps(raw, option=orjson.OPT_SORT_KEYS)


def system_digest(request: Request) -> str:
    """Short digest of the system text without its volatile blocks, 32 hex digits."""
    hasher = blake2b(digest_size=16)
    for block in request.system:
        if not opens_with(block.text, VOLATILE_SYSTEM):
            hasher.update(block.text.encode("utf-8", "surrogatepass"))
            hasher.update(b"\0")
    return hasher.hexdigest()


def tools_digest(request: Request) -> str:
    """Short digest of the tool inventory: names with their schema digests, in any order (S0-51), 32 hex digits."""
    return _digest_of_lines(f"{tool.name}\0{tool.schema_sha256}" for tool in request.tools)


def tool_names_digest(request: Request) -> str:
    """The same of the names alone: schemas may change inside one session (Claude Code does so after `--continue`)."""
    return _digest_of_lines(tool.name for tool in request.tools)


def _digest_of_lines(lines: Iterable[str]) -> str:
    return blake2b("\n".join(sorted(lines)).encode(), digest_size=16).hexdigest()
