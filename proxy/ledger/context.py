"""What stands in a model-visible context, by line: the copies that keep an observation from being dropped (V5)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import groupby
from typing import NamedTuple

from proxy.model.facts import InSummary
from proxy.model.messages import Block, BlockKind, Message, Request
from proxy.sessions import lines
from proxy.sessions.thread import Seen


def visible_messages(request: Request) -> tuple[Message, ...]:
    """The messages that the model sees: from the last provider summary on; all of them without one."""
    if not _has_summary(request.messages):
        return request.messages
    for i in range(len(request.messages) - 1, -1, -1):
        blocks = request.messages[i].blocks
        for j in range(len(blocks) - 1, -1, -1):
            if blocks[j].kind is BlockKind.COMPACTION:
                cut = Message(role=request.messages[i].role, blocks=blocks[j:])
                before = request.messages[:i] if blocks[j].keeps_texts else ()
                return (*_texts_of_the_client(before), cut, *request.messages[i + 1 :])
    return request.messages


def _has_summary(messages: Sequence[Message]) -> bool:
    for message in messages:  # as plain as can be: at every turn the whole history comes by
        for block in message.blocks:
            if block.kind is BlockKind.COMPACTION:
                return True
    return False


def _texts_of_the_client(messages: Iterable[Message]) -> Iterator[Message]:
    for message in messages:
        shown = tuple([block for block in message.blocks if _is_shown(message.role, block)])
        if shown:
            yield message if len(shown) == len(message.blocks) else Message(role=message.role, blocks=shown)


class _Run(NamedTuple):
    """Significant lines that stand one after the other."""

    packed: bytes
    lines: frozenset[bytes]


class Texts:
    """Readable text of a context that is neither an observation nor the model's own.

    Reminders, user and system text, summaries, results that were changed in place. Files that a client attached
    again stand there, with or without line numbers.
    """

    def __init__(self, runs: Iterable[bytes], *, opaque: bool) -> None:
        self._runs = [_Run(run, lines.distinct(run)) for run in runs]
        self.opaque = opaque
        """Some of it cannot be read."""

    @classmethod
    def of(cls, blocks: Iterable[Block]) -> Texts:
        """The texts of some blocks, with their line numbers and without."""
        texts = cls((), opaque=False)
        for block in blocks:
            texts.opaque |= block.opaque
            texts._runs += _runs(block.text) if block.remembered is None else _sets(block.remembered)
        return texts

    def only(self, wanted: set[bytes]) -> list[bytes]:
        """The longest runs of these lines, each once."""
        found = (run.packed for run in self._runs if not wanted.isdisjoint(run.lines))
        grouped = (group for run in found for group in groupby(lines.unpack(run), key=wanted.__contains__))
        return list(dict.fromkeys(b"".join(group) for is_wanted, group in grouped if is_wanted))

    @staticmethod
    def shown(request: Request, messages: Sequence[Message]) -> Iterable[Block]:
        """The blocks of a request's visible context that are neither results nor the model's own."""
        yield from request.system
        yield from (block for message in messages for block in message.blocks if _is_shown(message.role, block))

    def holds(self, content: bytes) -> InSummary:
        """How much of some content (packed significant lines) stands here: all in order, some lines, none."""
        wanted = set(lines.unpack(content))
        some = [run for run in self._runs if not wanted.isdisjoint(run.lines)]
        if any(lines.contains(run.packed, content) for run in some):
            return InSummary.VERBATIM
        if some:
            return InSummary.PARTLY
        return InSummary.UNKNOWN if self.opaque else InSummary.NONE


@lru_cache(maxsize=512)
def _runs(text: str) -> tuple[_Run, ...]:
    """A text's lines by run. A client sends its texts again each time."""
    return _sets(lines.runs(text))


@lru_cache(maxsize=512)
def _sets(runs: tuple[bytes, ...]) -> tuple[_Run, ...]:
    return tuple(_Run(run, frozenset(lines.unpack(run))) for run in runs)


def _is_shown(role: str, block: Block) -> bool:
    if block.kind is BlockKind.COMPACTION:
        return True
    return block.kind is BlockKind.TEXT and role != "assistant"


def holds(one: Seen, content: bytes, sha256: str) -> bool:
    """True when an observation is the same content, or holds it among more."""
    return one.content_sha256 == sha256 or lines.contains(one.lines, content)


def covered(content: bytes, sha256: str, others: Iterable[Seen]) -> bool:
    """True when one of these observations holds the content."""
    for other in others:  # as plain as can be: each answer is compared with all that is visible
        if (content in other.lines or other.content_sha256 == sha256) and holds(other, content, sha256):
            return True
    return False
