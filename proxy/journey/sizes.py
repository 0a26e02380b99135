"""What stands in a turn's context by kind, in reference tokens: counted once, then carried on with what is new."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import orjson

from proxy.journey.call import Call
from proxy.ledger.content import arguments_text
from proxy.ledger.context import visible_messages
from proxy.model.messages import Block, BlockKind
from proxy.sessions.normalise import DIGEST_SIZE, Unit, units
from proxy.sessions.phrases import CONTINUATIONS, opens_with
from proxy.sessions.thread import InView, Thread

Count = Callable[[str], int]
"""Reference tokens of a text."""


def of_block(count: Count, block: Block) -> int:
    """A block in reference tokens; thinking is not counted."""
    match block.kind:
        case BlockKind.CALL:
            return count(arguments_text(block))
        case BlockKind.THINKING:
            return 0
        case _:
            return count(block.text)


def of_unit(count: Count, unit: Unit) -> int:
    """The same of a unit, whose block may be one that only the provider holds."""
    return of_block(count, unit.block) if unit.tokens is None else unit.tokens


def in_view(call: Call, count: Count) -> InView:
    """The request's context by kind. Call it before the thread remembers the turn."""
    thread, request, placement = call.placement.thread, call.request, call.placement
    known = thread.in_view if thread.signature == placement.signature else None
    is_told = all(tool.raw is not None for tool in request.tools)
    if known is not None and (known.tools is not None or not is_told):
        system, tools = known.system, known.tools
    elif is_told:
        system = sum(count(block.text) for block in request.system)
        tools = sum(count(orjson.dumps(tool.raw, option=orjson.OPT_SORT_KEYS).decode()) for tool in request.tools)
    else:
        system, tools = sum(count(block.text) for block in request.system) or None, None
    fresh = call.units[placement.shared :]
    carried = _carried(thread, placement.shared)
    if carried is None or any(unit.block.kind is BlockKind.COMPACTION for unit in fresh):
        carried, fresh = (0, 0), units(visible_messages(request))
    said, summary = _said(fresh, count)
    is_readable = carried[1] is not None and summary is not None
    return InView(system, tools, carried[0] + said, (carried[1] or 0) + (summary or 0) if is_readable else None)


def _carried(thread: Thread, shared: int) -> tuple[int, int | None] | None:
    """What was said and summarised in what the request shares with its thread; None when it must be counted."""
    former, reply = len(thread.history) // DIGEST_SIZE, len(thread.reply) // DIGEST_SIZE
    if thread.in_view is None or shared not in (former, former + reply):
        return None
    return thread.in_view.said + (thread.replied if shared > former else 0), thread.in_view.summary


def _said(fresh: Iterable[Unit], count: Count) -> tuple[int, int | None]:
    said, summary, is_readable = 0, 0, True
    for unit in fresh:
        if unit.block.kind is BlockKind.RESULT:
            continue
        size = of_unit(count, unit)
        said += size
        is_readable &= not unit.block.opaque
        summary += size if _is_summary(unit) else 0
    return said, summary if is_readable else None


def _is_summary(unit: Unit) -> bool:
    is_continuation = unit.role == "user" and opens_with(unit.block.text, CONTINUATIONS)
    return unit.block.kind is BlockKind.COMPACTION or is_continuation
