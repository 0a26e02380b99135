"""The visible context of one request: system, tools and messages as the model would see them, and nothing else.

The form is that of Anthropic Messages; the faces of the other dialects bring their requests into it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

Json = Mapping[str, Any]


class Shown(NamedTuple):
    """One content block and the role of its message."""

    role: str
    block: Json


@dataclass(frozen=True, slots=True)
class View:
    """A request body after server-side edits, with everything before the last compaction block gone."""

    body: Json

    @property
    def tools(self) -> frozenset[str]:
        """Names of the tools offered."""
        return frozenset(str(tool.get("name", "")) for tool in self.body.get("tools") or ())

    def shown(self) -> Iterator[Shown]:
        """Every visible block of the history, oldest first."""
        for message in visible_messages(self.body.get("messages") or ()):
            role = str(message.get("role", ""))
            for block in blocks_of(message.get("content")):
                yield Shown(role, block)

    def prompts(self) -> Iterator[str]:
        """Texts that are not the model's own: prompts, reminders, summaries."""
        for role, block in self.shown():
            if block.get("type") == "text" and role != "assistant":
                yield str(block.get("text", ""))
            elif block.get("type") == "compaction":
                yield str(block.get("content") or "")

    def system(self) -> str:
        """The system prompt's text."""
        return "\n".join(text_of(block) for block in blocks_of(self.body.get("system")))

    def last_prompt(self) -> str:
        """Text of the last user message; empty when it holds none."""
        messages = [m for m in self.body.get("messages") or () if m.get("role") == "user"]
        blocks = blocks_of(messages[-1].get("content")) if messages else ()
        return "\n".join(str(block.get("text", "")) for block in blocks if block.get("type") == "text")

    def shows(self, evidence: str) -> bool:
        """Whether a text stands anywhere but in the model's own words and arguments."""
        results = (text_of(block) for role, block in self.shown() if block.get("type") == "tool_result")
        return any(evidence in text for text in (*results, *self.prompts()))


def blocks_of(content: object) -> Sequence[Json]:
    """Content as blocks: a plain string is one text block."""
    if isinstance(content, str):
        return ({"type": "text", "text": content},)
    return [block for block in content if isinstance(block, Mapping)] if isinstance(content, list) else ()


def text_of(block: Json) -> str:
    """Readable text of a text, tool_result or compaction block."""
    if block.get("type") == "tool_result":
        return "\n".join(str(part.get("text", "")) for part in blocks_of(block.get("content")))
    return str(block.get("text") or block.get("content") or "")


def visible_messages(messages: Sequence[Json]) -> Sequence[Json]:
    """Messages from the last compaction block on; what stands before it in its own message is gone as well.

    A block that says `keeps_texts` leaves what the user wrote before it in view, and nothing else (Responses).
    """
    for at in range(len(messages) - 1, -1, -1):
        blocks = blocks_of(messages[at].get("content"))
        places = [i for i, block in enumerate(blocks) if block.get("type") == "compaction" and block.get("content")]
        if places:
            last = blocks[places[-1]]
            kept = user_texts(messages[:at]) if last.get("keeps_texts") else ()
            return (*kept, {**messages[at], "content": list(blocks[places[-1] :])}, *messages[at + 1 :])
    return messages


def user_texts(messages: Sequence[Json]) -> tuple[Json, ...]:
    """User messages with nothing but their texts; those without are left out."""
    texts = (
        {**message, "content": [block for block in blocks_of(message.get("content")) if block.get("type") == "text"]}
        for message in messages
        if message.get("role") == "user"
    )
    return tuple(message for message in texts if message["content"])


def unpaired(messages: Sequence[Json]) -> str:
    """Why calls and results do not pair up as the API demands; empty when they do."""
    asked: frozenset[str] = frozenset()
    for at, message in enumerate(messages):
        blocks = blocks_of(message.get("content"))
        answered = frozenset(str(block.get("tool_use_id")) for block in blocks if block.get("type") == "tool_result")
        if message.get("role") == "system":
            continue
        if orphans := answered - asked:
            return f"messages.{at}: tool_result without tool_use: {min(orphans)}"
        if unanswered := asked - answered:
            return f"messages.{at}: tool_use without tool_result: {min(unanswered)}"
        asked = frozenset(str(block.get("id")) for block in blocks if block.get("type") == "tool_use")
    return ""


def unanswered(messages: Sequence[Json]) -> str:
    """As `unpaired`, for dialects that let other messages stand between a call and its result."""
    asked: set[str] = set()
    answered: set[str] = set()
    for block in (block for message in messages for block in blocks_of(message.get("content"))):
        if block.get("type") == "tool_use":
            asked.add(str(block.get("id")))
        elif block.get("type") == "tool_result":
            answered.add(str(block.get("tool_use_id")))
            if answered - asked:
                return f"No tool call found for tool output with call_id {min(answered - asked)}."
    return f"No tool output found for call {min(asked - answered)}." if asked - answered else ""
