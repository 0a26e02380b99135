"""Names for tool calls that came without an id, or with one that was used before; and what each result answers.

A call without an id is named by the last text of the user before it, how often that text had been said, its place
among the calls since, its tool and its arguments. All of these stand in every later request that still holds the
exchange, and in the request that the reply answers: the same call has the same name everywhere. When a client drops
or replaces the user's text, what stood behind it gets new names: it is then seen as new content, never mistaken for
an earlier call of the same tool with the same arguments.

A result is joined by its id; without one, or when the call had none, by tool and order among the calls still open.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from hashlib import blake2b

from proxy.model.messages import Block, BlockKind, Message
from proxy.wire.json_values import canonical

UNNAMED = "unnamed_"
"""How our names start."""
_REPEATED = re.compile(r"(.*)~([2-9]|[1-9]\d{1,8})", re.DOTALL)
"""The second call with an id of `a` is `a~2`."""
_DIGEST_SIZE = 10
_MOST_OPEN = 256
"""Calls that wait for a result at a time; no client runs that many, and looking through them must end."""


def named(messages: Sequence[Message], known: int = 0) -> tuple[Message, ...]:
    """The messages with a name for every call, and results joined to it. Messages without change stay themselves.

    Args:
        messages: A whole history; `call_id` holds the ids as sent, empty when there was none.
        known: So many messages at its start have been named before.
    """
    names = _Names()
    for message in messages[:known]:
        names.follow(message)
    return (*messages[:known], *[names.name(message) for message in messages[known:]])


def named_reply(history: Sequence[Message], blocks: tuple[Block, ...]) -> tuple[Block, ...]:
    """A reply's blocks with the names that they will have in later requests.

    Args:
        history: The named messages that are answered.
        blocks: Of the reply.
    """
    if not any(block.kind is BlockKind.CALL for block in blocks):
        return blocks
    names = _Names()
    for message in history:
        names.follow(message)
    return names.name(Message(role="assistant", blocks=blocks)).blocks


class _Names:
    """Walks a history from its start."""

    def __init__(self) -> None:
        self._text = b""
        self._said: Counter[bytes] = Counter()
        self._since = 0
        self._used: Counter[str] = Counter()
        self._open: dict[str, str] = {}
        """Names of the calls without a result, in order, each with its tool."""
        self._asking = False

    def follow(self, message: Message) -> None:
        """Go over a message that has its names."""
        for block in message.blocks:
            self._note(message.role, block)

    def name(self, message: Message) -> Message:
        """Go over a message with ids as sent; itself when nothing had to be named."""
        blocks = tuple([self._named(message.role, block) for block in message.blocks])
        is_same = all(new is old for new, old in zip(blocks, message.blocks, strict=True))
        return message if is_same else replace(message, blocks=blocks)

    def _named(self, role: str, block: Block) -> Block:
        name = block.call_id
        if block.kind is BlockKind.CALL:
            name = self._name(block)
        elif block.kind is BlockKind.RESULT:
            name = self._answered(block)
        block = block if name == block.call_id else replace(block, call_id=name)
        self._note(role, block)
        return block

    def _note(self, role: str, block: Block) -> None:
        match block.kind:
            case BlockKind.CALL:
                self._note_call(block.call_id, block.tool)
            case BlockKind.RESULT:
                self._open.pop(block.call_id, None)
                self._asking = False
            case BlockKind.TEXT if role == "user":
                self._note_text(block.text)

    def _note_text(self, text: str) -> None:
        self._text = _digest(text)
        self._said[self._text] += 1
        self._since = 0
        self._asking = False

    def _name(self, block: Block) -> str:
        if block.call_id:
            base, times = _parts(block.call_id)
            return block.call_id if self._used[base] < times else f"{base}~{self._used[base] + 1}"
        arguments = block.raw_arguments if block.arguments is None else dict(block.arguments)
        place = [self._text.hex(), self._said[self._text], self._since, block.tool, arguments]
        return UNNAMED + _digest(canonical(place).decode()).hex()

    def _note_call(self, name: str, tool: str) -> None:
        if not self._asking:  # what was asked earlier and never answered takes no result by order any more
            self._open = {one: its for one, its in self._open.items() if not one.startswith(UNNAMED)}
        self._asking = True
        base, times = _parts(name)
        self._used[base] = max(self._used[base], times)
        self._since += 1
        self._open[name] = tool
        if len(self._open) > _MOST_OPEN:
            del self._open[next(iter(self._open))]

    def _answered(self, block: Block) -> str:
        own, tool = block.call_id, block.tool
        if own in self._open:
            return own
        for name, asked in self._open.items():
            if own and not name.startswith(UNNAMED):
                if _parts(name)[0] == own:
                    return name
            elif not tool or tool == asked:
                return name
        return own


def _parts(name: str) -> tuple[str, int]:
    found = _REPEATED.fullmatch(name)
    return (found[1], int(found[2])) if found else (name, 1)


def _digest(text: str) -> bytes:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=_DIGEST_SIZE).digest()
