"""Claude Code's records as a tree of messages, and the way from its root to one of them as a history.

Each record names its parent. One model reply is written as several records with the same message id, one per block,
and the results of its parallel calls hang on different ones of these: a reply and its results are one node here.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from proxy.model.messages import BlockKind, Message

CLEARED = "[Old tool result content cleared]"
"""Opens what stands in place of a result that the client cleared by itself."""


@dataclass(slots=True, eq=False)
class Node:
    """What one record, or one reply with its results, adds to the history."""

    parent: Node | None
    at_us: int
    """When the last of it was written."""
    agent: str
    """The sub-agent whose history it belongs to; empty on the main one."""
    messages: list[Message] = field(default_factory=list)
    boundary: Boundary | None = None
    cleared: frozenset[str] = frozenset()
    """Ids of calls whose results the client left out from here on."""
    is_forgotten: bool = False
    """Its messages are not held any more."""

    def again(self, parent: Node) -> Node:
        """The same in another place; what is still added to the messages is added to both."""
        return replace(self, parent=parent)

    def forget(self) -> None:
        """Let go of the messages."""
        self.messages, self.is_forgotten = [], True


class Boundary(NamedTuple):
    """A compaction as the client marked it."""

    trigger: str
    """`manual`, `auto`, or empty when it is not told."""


class Way(NamedTuple):
    """The history of one call."""

    messages: tuple[Message, ...]
    crossed: tuple[Boundary, ...]
    """Compactions since the former call on this path."""
    at_us: int
    """When the last of it was written."""
    is_whole: bool
    """Nothing of it was forgotten."""


class Path:
    """The way to the newest node of one agent; moving it costs what is new."""

    def __init__(self) -> None:
        self._nodes: list[Node] = []
        self._starts: dict[Node, int] = {}
        """How many messages stand before each of them."""
        self._messages: list[Message] = []

    def to(self, tip: Node | None) -> Way:
        """Move to a node; None is the beginning of a history."""
        fresh: list[Node] = []
        node = tip
        while node is not None and node not in self._starts:
            fresh.append(node)
            node = node.parent
        while self._nodes and self._nodes[-1] is not node:
            del self._messages[self._starts.pop(self._nodes.pop()) :]
        for step in reversed(fresh):
            self._step(step)
        crossed = tuple(step.boundary for step in reversed(fresh) if step.boundary)
        is_whole = not any(step.is_forgotten for step in fresh)
        return Way(tuple(self._messages), crossed, tip.at_us if tip else 0, is_whole)

    def _step(self, node: Node) -> None:
        self._nodes.append(node)
        self._starts[node] = len(self._messages)
        self._messages += node.messages
        if node.cleared:
            self._messages = [_without(message, node.cleared) for message in self._messages]


def _without(message: Message, cleared: Collection[str]) -> Message:
    if not any(block.kind is BlockKind.RESULT and block.call_id in cleared for block in message.blocks):
        return message
    return replace(
        message,
        blocks=tuple(
            replace(block, text=CLEARED) if block.kind is BlockKind.RESULT and block.call_id in cleared else block
            for block in message.blocks
        ),
    )
