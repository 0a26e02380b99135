"""What stands in a model-visible context, by line: the copies that keep an observation from being dropped (V5)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby

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
    """Readable text of a context that is neither an observation nor the model's own.

    Reminders, user and system text, summaries, results that were changed in place. Files that a client attached
    again stand there, with or without line numbers.
    """

    def __init__(self, runs: Iterable[bytes], *, opaque: bool) -> None:
        self.runs = list(runs)
        """Packed significant lines that stand one after the other."""
        self.opaque = opaque
        """Some of it cannot be read."""
        self._lines = {line for run in self.runs for line in lines.unpack(run)}

    @classmethod
    def of(cls, blocks: Iterable[Block]) -> Texts:
        """The texts of some blocks, with their line numbers and without."""
        runs: list[bytes] = []
        opaque = False
        for block in blocks:
            opaque |= block.opaque
            split = block.text.replace(REMINDER_END, "").split("\n")
            runs += [lines.significant(split), lines.significant(lines.without_numbers(split))]
        return cls(runs, opaque=opaque)

    def only(self, wanted: set[bytes]) -> list[bytes]:
        """The longest runs of these lines, each once."""
        if wanted.isdisjoint(self._lines):
            return []
        grouped = (group for run in self.runs for group in groupby(lines.unpack(run), key=wanted.__contains__))
        return list(dict.fromkeys(b"".join(group) for is_wanted, group in grouped if is_wanted))

    @staticmethod
    def shown(request: Request, messages: Sequence[Message]) -> Iterable[Block]:
        """The blocks of a request's visible context that are neither results nor the model's own."""
        yield from request.system
        yield from (block for message in messages for block in message.blocks if _is_shown(message.role, block))

    def holds(self, content: bytes) -> InSummary:
        """How much of some content (packed significant lines) stands here: all in order, some lines, none."""
        if any(lines.contains(run, content) for run in self.runs):
            return InSummary.VERBATIM
        if any(line in self._lines for line in lines.unpack(content)):
            return InSummary.PARTLY
        return InSummary.UNKNOWN if self.opaque else InSummary.NONE


def _is_shown(role: str, block: Block) -> bool:
    if block.kind is BlockKind.COMPACTION:
        return True
    return block.kind is BlockKind.TEXT and role != "assistant"


def holds(one: Seen, content: bytes, sha256: str) -> bool:
    """True when an observation is the same content, or holds it among more."""
    return one.content_sha256 == sha256 or lines.contains(one.lines, content)


def covered(content: bytes, sha256: str, others: Iterable[Seen]) -> bool:
    """True when one of these observations holds the content."""
    return any(holds(other, content, sha256) for other in others)
