"""Items of a history gathered into messages: neighbours of one role become one message."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

Json = Mapping[str, Any]


def text_block(text: str) -> Json:
    """A text block."""
    return {"type": "text", "text": text}


def thinking_block(text: str) -> Json:
    """A thinking block with the signature that the policy gives it."""
    return {"type": "thinking", "thinking": text, "signature": hashlib.sha256(text.encode()).hexdigest()}


def call_block(call_id: str, name: str, arguments: Json) -> Json:
    """A tool call."""
    return {"type": "tool_use", "id": call_id, "name": name, "input": arguments}


def result_block(call_id: str, text: str) -> Json:
    """What a client answered to a call."""
    return {"type": "tool_result", "tool_use_id": call_id, "content": text}


def tool_of(name: object, description: object, schema: object) -> Json:
    """A function's definition in the form of Anthropic Messages."""
    parts = {"name": name, "description": description, "input_schema": schema}
    return {key: value for key, value in parts.items() if value is not None}


@dataclass(slots=True)
class Rows:
    """A history in the making."""

    system: list[Json] = field(default_factory=list)
    messages: list[dict[str, Any]] = field(default_factory=list)

    def add(self, role: str, *blocks: Json) -> None:
        """Append blocks. Texts of the system that stand before everything else are the system prompt."""
        if role == "system" and not self.messages:
            self.system.extend(blocks)
        elif self.messages and self.messages[-1]["role"] == role:
            self.messages[-1]["content"].extend(blocks)
        else:
            self.messages.append({"role": role, "content": list(blocks)})
