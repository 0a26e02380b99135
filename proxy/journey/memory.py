"""What a thread remembers of a turn for the next one: its history, its size, what was said."""

from __future__ import annotations

from proxy.journey.account import context_usage
from proxy.journey.call import Call
from proxy.model.messages import BlockKind
from proxy.sessions import history, lines
from proxy.sessions.normalise import Unit, reply_units
from proxy.sessions.thread import Said

SAID_LINES = 3
"""A reply with fewer significant lines is no summary that could be recognised later."""


def remember(call: Call) -> None:
    """Change the thread as of the end of the turn."""
    thread, reply = call.placement.thread, call.reply
    thread.said = _said(call) or thread.said
    thread.attempts = 0
    usage = context_usage(reply)
    if call.summary_trigger is None:
        thread.history = call.placement.packed
        thread.reply = history.pack([unit.digest for unit in reply_units(reply.blocks)])
        thread.signature = call.placement.signature
        thread.context_tokens = usage.input if usage else None
    elif not thread.history:  # the first call that was seen asks for a summary: of what it brings
        thread.history = history.pack([unit.digest for unit in _without_asking(call)])
    if usage is not None:
        thread.cached_tokens = usage.cache_read + usage.cache_write
        thread.long_lived = bool(usage.cache_write_1h or usage.cache_write_12h)
    thread.last_us = call.exchange.opened_us
    thread.window = call.identity.hints.window or thread.window


def _said(call: Call) -> Said | None:
    """What the reply said at length; None when a summary could not be recognised by it."""
    text = "\n".join(b.text for b in call.reply.blocks if b.kind in (BlockKind.TEXT, BlockKind.COMPACTION))
    packed = lines.significant(_summary_part(text).splitlines())
    asked_for = call.summary_trigger is not None
    if not asked_for and len(packed) < SAID_LINES * lines.LINE_SIZE:
        return None
    return Said(
        **call.exchange.id._asdict(),
        at_us=call.exchange.opened_us,
        lines=packed,
        asked_for=asked_for,
        trigger=call.summary_trigger or "",
    )


def _without_asking(call: Call) -> list[Unit]:
    """The history of a summarising call, without the unit that asks: a text, or a trigger item of the client's."""
    asking = call.units[-1:]
    if call.request.on_demand_compaction:
        asking = [unit for unit in asking if unit.block.kind is BlockKind.OTHER]
    return call.units[: len(call.units) - len(asking)]


def _summary_part(text: str) -> str:
    """The part between `<summary>` tags, where there is one; else the whole."""
    _, opened, rest = text.partition("<summary>")
    return rest.partition("</summary>")[0] if opened else text
