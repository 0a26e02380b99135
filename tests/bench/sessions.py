"""Sessions as an agent sends them: the whole history each turn, tool calls and results of source code, moving marks."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import orjson

ROOT = Path(__file__).parents[2]
Json = dict[str, Any]
MODEL = "claude-sonnet-5-5"
BETAS = (
    "claude-code-20250219,interleaved-thinking-2025-05-14,context-management-2025-06-27,per-turn-control-2026-07-01,"
    "mid-conversation-tool-changes-2026-07-01,thinking-token-count-2026-05-13,advanced-tool-use-2025-11-20,"
    "effort-2025-11-24"
)
TOOLS = (
    "Agent", "Bash", "Edit", "ListAgents", "Read", "ReportFindings", "ScheduleWakeup", "Skill", "ToolSearch",
    "Workflow", "DeferredToolPlaceholder", "Write",
)  # fmt: skip
MARK = {"cache_control": {"type": "ephemeral"}}


class Turn(NamedTuple):
    """One exchange."""

    headers: tuple[tuple[str, str], ...]
    request: bytes
    response: tuple[bytes, ...]
    """An SSE stream, event by event."""


def session_id(name: str) -> str:
    """The same for the same name."""
    return str(uuid.uuid5(uuid.NAMESPACE_URL, f"bench:{name}"))


def header_lines(name: str) -> tuple[tuple[str, str], ...]:
    """What Claude Code sends, but for `Host` and `Content-Length`; the key is made up."""
    return (
        ("Accept", "application/json"),
        ("Content-Type", "application/json"),
        ("User-Agent", "claude-cli/2.1.332 (external, sdk-cli)"),
        ("X-Claude-Code-Session-Id", session_id(name)),
        ("X-Stainless-Arch", "x64"),
        ("X-Stainless-Lang", "js"),
        ("X-Stainless-OS", "Linux"),
        ("X-Stainless-Package-Version", "0.74.0"),
        ("X-Stainless-Retry-Count", "0"),
        ("X-Stainless-Runtime", "node"),
        ("X-Stainless-Runtime-Version", "v24.3.0"),
        ("X-Stainless-Timeout", "600"),
        ("anthropic-beta", BETAS),
        ("anthropic-dangerous-direct-browser-access", "true"),
        ("anthropic-version", "2023-06-01"),
        ("x-api-key", "sk-ant-api03-made-up-for-the-bench"),
        ("x-app", "cli"),
        ("Accept-Encoding", "gzip, deflate, br, zstd"),
    )


@cache
def source_lines() -> tuple[str, ...]:
    """Real source code: this repository's own, each line once, so that no two results repeat by chance."""
    files = sorted(path for top in ("proxy", "config", "gate", "tests") for path in (ROOT / top).rglob("*.py"))
    return tuple(dict.fromkeys(line for path in files for line in path.read_text("utf-8").splitlines()))


class Source:
    """Hands out stretches of source code, none of them twice until all were."""

    def __init__(self, start: int = 0) -> None:
        self._at = start

    def take(self, size: int) -> list[str]:
        """The next lines, of about `size` bytes together."""
        lines, taken, total = source_lines(), [], 0
        while total < size:
            line = lines[self._at % len(lines)]
            self._at += 1
            taken.append(line)
            total += len(line) + 1
        return taken


class Session:
    """An agent that reads, searches, edits and tests, and now and then reads a file again."""

    def __init__(self, name: str, *, prompt_bytes: int, step_bytes: int, start: int = 0) -> None:
        """Shape it.

        Args:
            name: Gives the session id.
            prompt_bytes: Of system prompt and tools.
            step_bytes: By which each turn's body is larger than the one before.
            start: Where in the source code its files begin.
        """
        self.headers = header_lines(name)
        self.unique_bytes = 0
        """Distinct blocks (of messages, system and tools, as JSON without cache marks) and responses, as sent."""
        self._name = name
        self._step = step_bytes
        self._source = Source(start)
        self._read: list[tuple[str, str]] = []
        self._messages: list[bytes] = []
        self._head = self._prompt(prompt_bytes)
        self._number = 0

    def turns(self, count: int) -> Iterator[Turn]:
        """The next turns."""
        if not self._messages:
            self._say([{"type": "text", "text": "Find out why totals are wrong, and repair it. " * 8}])
        for _ in range(count):
            self._number += 1
            call, result = self._step_of(self._number)
            words = {"type": "text", "text": f"Step {self._number}: {call['name']} tells what comes next."}
            response = tuple(self._stream(words, call))
            self.unique_bytes += sum(map(len, response))
            yield Turn(self.headers, self.body(), response)
            self._say([words, call], role="assistant")
            self._say([result])

    def body(self) -> bytes:
        """The request as it would be sent now."""
        *former, last = self._messages
        marked = orjson.loads(last)
        marked["content"][-1] |= MARK
        return self._head + b",".join((*former, orjson.dumps(marked))) + b"]}"

    def _say(self, blocks: list[Json], role: str = "user") -> None:
        self.unique_bytes += sum(len(orjson.dumps(block)) for block in blocks)
        self._messages.append(orjson.dumps({"role": role, "content": blocks}))

    def _prompt(self, size: int) -> bytes:
        """Everything before the messages. All sessions of one size share system prompt and tools, as clients' do."""
        text = Source()
        each = size // (len(TOOLS) + 3)
        system: list[Json] = [
            {"type": "text", "text": "\n".join(text.take(part))} for part in (each // 2, 2 * each + each // 2)
        ]
        schema = {"type": "object", "properties": {"file_path": {"type": "string"}, "command": {"type": "string"}}}
        tools = [{"name": name, "description": "\n".join(text.take(each)), "input_schema": schema} for name in TOOLS]
        self.unique_bytes += sum(len(orjson.dumps(block)) for block in (*system, *tools))
        system[-1] |= MARK
        user = {"device_id": "0" * 64, "account_uuid": "", "session_id": session_id(self._name)}
        rest = {
            "model": MODEL,
            "max_tokens": 64000,
            "stream": True,
            "thinking": {"type": "adaptive"},
            "metadata": {"user_id": orjson.dumps(user).decode()},
            "system": system,
            "tools": tools,
        }
        return orjson.dumps(rest)[:-1] + b',"messages":['

    def _step_of(self, number: int) -> tuple[Json, Json]:
        """A tool call and its result."""
        size = max(self._step - 900, 100)
        file = f"/repo/src/part_{number}.py"
        if number % 10 == 0 and self._read:
            file, said = self._read[-1 - number % 7 % len(self._read)]
            call = {"name": "Read", "input": {"file_path": file}}
        elif number % 5 in (0, 2):
            said = "\n".join(f"{at}\t{line}" for at, line in enumerate(self._source.take(size), 1))
            self._read.append((file, said))
            call = {"name": "Read", "input": {"file_path": file}}
        elif number % 5 == 3:
            old, new = self._source.take(size // 3), self._source.take(size // 3)
            call = {
                "name": "Edit",
                "input": {"file_path": file, "old_string": "\n".join(old), "new_string": "\n".join(new)},
            }
            said = f"The file {file} has been updated. All occurrences were replaced."
        else:
            said = "\n".join(f"src/part_{at}.py:{at}:{line}" for at, line in enumerate(self._source.take(size), number))
            call = {"name": "Bash", "input": {"command": f"grep -rn 'part_{number}' src | head -n 40"}}
        identifier = f"toolu_{self._name}_{number:05}"
        return (
            {"type": "tool_use", "id": identifier, **call},
            {"type": "tool_result", "tool_use_id": identifier, "content": said},
        )

    def _stream(self, words: Json, call: Json) -> Iterator[bytes]:
        total = sum(map(len, self._messages)) // 4
        usage = {
            "input_tokens": 3,
            "cache_creation_input_tokens": self._step // 4,
            "cache_read_input_tokens": total,
            "output_tokens": 1,
        }
        message = {"id": f"msg_{self._name}_{self._number}", "type": "message", "role": "assistant", "model": MODEL}
        yield _event("message_start", message={**message, "content": [], "stop_reason": None, "usage": usage})
        yield _event("content_block_start", index=0, content_block={"type": "text", "text": ""})
        for word in words["text"].split(" "):
            yield _event("content_block_delta", index=0, delta={"type": "text_delta", "text": f"{word} "})
        yield _event("content_block_stop", index=0)
        yield _event("content_block_start", index=1, content_block={**call, "input": {}})
        said = orjson.dumps(call["input"]).decode()
        for at in range(0, len(said), 24):
            yield _event(
                "content_block_delta", index=1, delta={"type": "input_json_delta", "partial_json": said[at : at + 24]}
            )
        yield _event("content_block_stop", index=1)
        yield _event("message_delta", delta={"stop_reason": "tool_use"}, usage={"output_tokens": 40})
        yield _event("message_stop")


def _event(name: str, **fields: object) -> bytes:
    return b"event: %s\ndata: %s\n\n" % (name.encode(), orjson.dumps({"type": name, **fields}))
