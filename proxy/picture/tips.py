"""What a tick says when it is looked at: tool, resource, class, and what it repeats."""

from __future__ import annotations

from collections.abc import Sequence

from proxy.model.facts import CallFact, TurnFact
from proxy.picture.drawing import Attribute
from proxy.picture.frame import Frame
from proxy.story import figures
from proxy.story.figures import shortened
from proxy.story.marks import MARKS, mark_of
from proxy.story.naming import name_of_call
from proxy.story.story import Story

MOST_TOLD = 6
"""Calls that one tick names; the others are counted."""
MOST_RESOURCE = 90
_MEANING = dict(MARKS)


def looked_at(frame: Frame, tip: str) -> dict[str, Attribute]:
    """What makes an element tell its tip; nothing in a still picture."""
    return {"tabindex": -1, "data_tip": tip} if frame.has_tips else {}


def tip_of_calls(story: Story, calls: Sequence[CallFact]) -> str:
    """Everything about one call; of several a line each, the first few of them."""
    if len(calls) == 1:
        return _call(story, calls[0])
    told = [_line(story, call) for call in calls[:MOST_TOLD]]
    rest = [f"and {len(calls) - MOST_TOLD} more"] if len(calls) > MOST_TOLD else []
    return "\n".join([f"{len(calls)} calls", *told, *rest])


def tip_of_turns(turns: Sequence[TurnFact]) -> str:
    """Turns that asked for nothing, or wrote a summary."""
    first = turns[0]
    what = "wrote the summary of a compaction" if first.purpose == "summary" else "asked for no tool"
    rest = f"\nand {figures.plural(len(turns) - 1, 'turn')} more here" if len(turns) > 1 else ""
    return f"turn {first.turn} of {first.thread}\n{what}\ncontext {figures.whole(first.context_tokens)} tokens{rest}"


def _call(story: Story, call: CallFact) -> str:
    what = ":".join(filter(None, (call.resource, call.span)))
    lines = [f"turn {call.turn} \u00b7 {call.tool or 'a tool whose name is not kept'}"]
    if what:
        lines.append(shortened(what, MOST_RESOURCE))
    lines.append(_class(call))
    if back := _repeats(story, call):
        lines.append(back)
    lines.append(f"explain {name_of_call(story, call)}")
    return "\n".join(lines)


def _line(story: Story, call: CallFact) -> str:
    what = ":".join(filter(None, (call.resource, call.span)))
    back = _repeats(story, call)
    parts = [f"turn {call.turn}", call.tool, shortened(what, MOST_RESOURCE // 2), _MEANING[mark_of(call)], back]
    return " \u00b7 ".join(filter(None, parts))


def _class(call: CallFact) -> str:
    size = call.reread_tokens_ref if call.reread_tokens_ref is not None else call.result_tokens_ref
    tokens = f", {figures.whole(size)} reference tokens" if size is not None else ""
    return f"{_MEANING[mark_of(call)]} ({call.label}){tokens}"


def _repeats(story: Story, call: CallFact) -> str:
    earlier = story.origin_of(call)
    if earlier is None:
        return ""
    dropped = ""
    if call.boundary is not None:
        dropped = f", dropped by {story.boundary_names.get((call.thread, call.boundary), 'a boundary')}"
    return f"repeats turn {earlier.turn}{dropped}"
