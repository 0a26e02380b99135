"""A transcript counted in the plainest way, without a line of the product: what `scan` must agree with.

It knows one kind of read (Claude Code's Read of a file and span; Codex' commands) and compares answers as whole texts.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

CODEX_HEADER_ENDS = "Output:\n"


@dataclass
class Count:
    """What stands in one transcript."""

    compactions: int = 0
    calls: int = 0
    turns: int = 0
    reads: int = 0
    reads_after: int = 0
    """Reads after the first compaction."""
    repeats: int = 0
    """Reads that answered as an earlier one of the same arguments, since which nothing was compacted."""
    rereads: int = 0
    """The same, but everything of it was read before the last compaction."""
    _asked: dict[str, str] = field(default_factory=dict)
    _seen: dict[tuple[str, str], int] = field(default_factory=dict)
    """By arguments and answer: the number of compactions when it was last seen."""
    _replies: set[str] = field(default_factory=set)

    def ask(self, call: str, arguments: str | None) -> None:
        """A call; with arguments when it reads."""
        self.calls += 1
        if arguments is not None:
            self._asked[call] = arguments
            self.reads += 1
            self.reads_after += self.compactions > 0

    def answer(self, call: str, text: str) -> None:
        """What a read showed."""
        if call not in self._asked:
            return
        what = (self._asked[call], text)
        if what in self._seen:
            again = self._seen[what] < self.compactions
            self.rereads += again
            self.repeats += not again
        self._seen[what] = self.compactions

    def reply(self, name: str) -> None:
        """A reply, however many records it has."""
        self.turns += name not in self._replies
        self._replies.add(name)


def plain_scan(path: Path) -> Count:
    """Count one file."""
    count = Count()
    for line in path.read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        if "payload" in record:
            _codex(count, record["type"], record["payload"])
        else:
            _claude(count, record)
    return count


def _claude(count: Count, record: dict[str, Any]) -> None:
    if record.get("subtype") == "compact_boundary":
        count.compactions += 1
    message = record.get("message") or {}
    if record["type"] == "assistant":
        count.reply(message["id"])
    for block in message["content"] if isinstance(message.get("content"), list) else []:
        if block["type"] == "tool_use":
            is_read = block["name"] == "Read"
            count.ask(block["id"], json.dumps(block["input"], sort_keys=True) if is_read else None)
        elif block["type"] == "tool_result":
            count.answer(block["tool_use_id"], json.dumps(block["content"]))


def _codex(count: Count, kind: str, payload: dict[str, Any]) -> None:
    if kind == "compacted":
        count.compactions += 1
    elif kind == "token_usage_record":
        count.reply(payload["response_id"])
    elif kind == "response_item" and payload["type"] == "function_call":
        count.ask(payload["call_id"], payload["arguments"])
    elif kind == "response_item" and payload["type"] == "function_call_output":
        count.answer(payload["call_id"], payload["output"].partition(CODEX_HEADER_ENDS)[2])
