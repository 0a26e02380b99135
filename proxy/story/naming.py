"""The names that `explain` understands."""

from __future__ import annotations

from proxy.model.facts import CallFact
from proxy.story.story import Story


def name_of_session(story: Story) -> str:
    """Enough of its id to type."""
    return story.session.session[:8]


def name_of_call(story: Story, call: CallFact) -> str:
    """`7f3a91c2:t14:c2`; of a sub-agent's call `7f3a91c2:agent:1f3c:t2:c1`."""
    thread = "" if call.thread == "main" else f"{call.thread}:"
    return f"{name_of_session(story)}:{thread}t{call.turn}:c{call.index + 1}"
