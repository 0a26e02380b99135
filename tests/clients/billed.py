"""What a provider told of its bill, per dialect: the rows that the product must find for a call, to the token."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from proxy.model.facts import IterationFact
from proxy.scripted.cache import InputUsage
from proxy.scripted.provider import Served

ANTHROPIC, CHAT, GEMINI = "anthropic_messages", "openai_chat", "gemini"


class Row(NamedTuple):
    """One billed sampling."""

    kind: str
    uncached: int
    read: int
    written_5m: int
    written_1h: int
    written_30m: int
    written_12h: int
    output: int


def told(served: Served) -> list[Row]:
    """What a call's answer said; nothing when it told no usage."""
    if not tells_usage(served):
        return []
    if served.dialect == ANTHROPIC:
        return [
            Row(
                one.kind,
                one.input.uncached,
                one.input.read,
                one.input.written_5m,
                one.input.written_1h,
                0,
                0,
                one.output,
            )
            for one in served.samplings
        ]
    # The others know one figure per answer.
    uncached, read, short, long = map(sum, zip(*(one.input for one in served.samplings), strict=True))
    output = sum(one.output for one in served.samplings)
    kind = "compaction" if served.purpose == "compaction" else "message"
    if served.dialect == GEMINI:  # which does not tell what was written to a cache
        return [Row(kind, uncached + short + long, read, 0, 0, 0, 0, output)]
    return [Row(kind, uncached, read, 0, 0, short, long, output)]


def tells_usage(served: Served) -> bool:
    """A streamed chat completion tells it only when asked."""
    if served.dialect != CHAT or not served.request.get("stream"):
        return True
    return bool((served.request.get("stream_options") or {}).get("include_usage"))


def found(iterations: Sequence[IterationFact]) -> list[Row]:
    """The same as the product has it, in order."""
    return [
        Row(
            one.kind,
            one.uncached,
            one.cache_read,
            one.cache_write_5m,
            one.cache_write_1h,
            one.cache_write_30m,
            one.cache_write_12h,
            one.output,
        )
        for one in sorted(iterations, key=lambda one: one.iteration)
    ]


assert InputUsage._fields == ("uncached", "read", "written_5m", "written_1h")
