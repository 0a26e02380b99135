"""The lines above every page of one session: what was seen, and the figures with what they leave out."""

from __future__ import annotations

from collections import Counter
from datetime import tzinfo

import orjson

from proxy.model.facts import Observability
from proxy.story import figures
from proxy.story.story import Story

DOORS = {"base_url": "base URL", "intercept": "intercept"}
SEPARATOR = " · "


def origin(story: Story) -> list[str]:
    """Whose session it is, through which door, how it was got and how well boundaries can be seen."""
    session = story.session
    client = " ".join(filter(None, (session.client or "unknown client", session.client_version)))
    levels = sorted({boundary.level for boundary in story.boundaries}, key=list(Observability).index)
    return [f"session {session.session[:8]}", client, door(story), _threads(story), session.source, *levels]


def totals(story: Story) -> list[str]:
    """What can be counted, without times."""
    return [
        figures.plural(len(story.turns), "turn"),
        cost(story),
        figures.plural(len(story.boundaries), "compaction"),
        f"{figures.plural(story.exact + story.partial, 're-read')} ({story.exact} exact, {story.partial} partial)",
        f"unknown tools {figures.share(story.unknown_calls, len(story.calls))}",
    ]


def timed_totals(story: Story, *, as_of_us: int, zone: tzinfo | None = None) -> list[str]:
    """The same with how long it took, and the time up to which it is known."""
    turns, *rest = totals(story)
    return [turns, figures.span(story.duration_us), *rest, f"as of {figures.moment(as_of_us, zone)}"]


def cost(story: Story) -> str:
    """All known prices, and how many samplings had none."""
    money = story.cost
    unpriced = f" + {figures.plural(money.unpriced, 'unpriced sampling')}" if money.unpriced else ""
    return (figures.usd(money.pico_usd) if money.pico_usd is not None else "not priced") + unpriced


def door(story: Story) -> str:
    """Which door was used, and what Claude Code, which looks at its base URL, sent through it."""
    name = DOORS.get(story.session.door, story.session.door)
    is_live = story.session.door in DOORS  # a transcript does not tell what was sent through a door
    if not is_live or not story.session.door_effects or story.session.client != "claude-code":
        return f"door: {name}"
    effects = orjson.loads(story.session.door_effects)
    window = "context-1m beta sent" if effects["long_window"] else "context-1m beta not sent"
    search = "tool search on" if effects["tool_search"] else "tool search off"
    return f"door: {name} ({window}, {search})"


def _threads(story: Story) -> str:
    kinds = Counter(thread.kind for thread in story.threads)
    named = [figures.plural(kinds["agent"], "sub-agent")] if kinds["agent"] else []
    if kinds["side"]:
        named.append(figures.plural(kinds["side"], "side call"))
    return " + ".join(["main", *named])
