"""One reply of the Messages API while the records come that it was written in, one for each block."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from proxy.model.messages import Reply
from proxy.transcripts.tree import Node
from proxy.wire.anthropic_messages.reply import MessageAssembler
from proxy.wire.json_values import Json


@dataclass(slots=True)
class Answer:
    """One reply while its records come."""

    id: str
    node: Node
    model: str
    """As asked for."""
    blocks: list[Json] = field(default_factory=list)
    fields: dict[str, Json] = field(default_factory=dict)
    """The message without its content."""
    ended_us: int = 0

    def add(self, message: Mapping[str, Json], at_us: int) -> None:
        """One record's part of it: a block or more, and the usage as known by then."""
        content = message.get("content")
        self.blocks += content if isinstance(content, list) else [content]
        usage = _merged_usage(self.fields.get("usage"), message.get("usage"))
        told = {key: value for key, value in message.items() if value is not None or key not in self.fields}
        self.fields |= told | {"usage": usage}
        self.ended_us = max(self.ended_us, at_us)

    def reply(self) -> Reply:
        """All of it."""
        assembler = MessageAssembler(200)
        assembler.document(self.fields | {"content": self.blocks})
        return assembler.reply()


def _merged_usage(former: Json, later: Json) -> Json:
    """The later one holds; output that was counted before is not lost."""
    if not isinstance(former, dict) or not isinstance(later, dict):
        return former if later is None else later
    outputs = [count for usage in (former, later) if type(count := usage.get("output_tokens")) is int]
    return former | later | ({"output_tokens": max(outputs)} if outputs else {})
