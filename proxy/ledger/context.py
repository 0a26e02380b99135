"""What stands in a model-visible context, by line: the copies that keep an observation from being dropped (V5)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from proxy.model.facts import InSummary
from proxy.model.messages import Block, BlockKind, Message, Request
from proxy.sessions import lines
from proxy.sessions.phrases import REMINDER_END
from proxy.sessions.state import Seen

VISIBLE_TEXTS = (BlockKind.TEXT, BlockKind.COMPACTION)


def visible_messages(request: Request) -> tuple[Message, ...]:
    """The messages that the model sees: from the last provider summary on; all of them without one."""
    for i in range(len(request.messages) - 1, -1, -1):
        blocks = request.messages[i].blocks
        for j in range(len(blocks) - 1, -1, -1):
            if blocks[j].kind is BlockKind.COMPACTION:
                cut = Message(role=request.messages[i].role, blocks=blocks[j:])
                return (cut, *request.messages[i + 1 :])
    return request.messages


class Texts:
    """Readable text of a context that is neither a tool result nor the model's own.

    Reminders, user and system text, summaries. Files that a client attached again stand there, with or without
    line numbers.
    """

    def __init__(self, blocks: Iterable[Block]) -> None:
        self._runs: list[bytes] = []
        self._lines: set[bytes] = set()
        self.opaque = False
        for block in blocks:
            self.opaque |= block.opaque
            split = block.text.replace(REMINDER_END, "").splitlines()
            for variant in (split, lines.without_numbers(split)):
                packed = lines.significant(variant)
                self._runs.append(packed)
                self._lines.update(lines.unpack(packed))

    @classmethod
    def of(cls, request: Request, messages: Sequence[Message]) -> Texts:
        """The texts of a request's visible context."""
        system = (block for block in request.system)
        shown = (b for m in messages for b in m.blocks if _is_shown(m.role, b))
        return cls((*system, *shown))

    def holds(self, content: bytes) -> InSummary:
        """How much of some content (packed significant lines) stands here: all in order, some lines, none."""
        if any(lines.contains(run, content) for run in self._runs):
            return InSummary.VERBATIM
        if any(line in self._lines for line in lines.unpack(content)):
            return InSummary.PARTLY
        return InSummary.UNKNOWN if self.opaque else InSummary.NONE


def _is_shown(role: str, block: Block) -> bool:
    if block.kind is BlockKind.COMPACTION:
        return True
    return block.kind is BlockKind.TEXT and role != "assistant"


def covered(content: bytes, sha256: str, others: Iterable[Seen]) -> bool:
    """True when a visible observation holds the same content, or holds it among more."""
    return any(other.content_sha256 == sha256 or lines.contains(other.lines, content) for other in others)
