"""Transcripts as Claude Code and Codex write them, by hand or at length."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any

import orjson

Json = dict[str, Any]

START = datetime(2026, 1, 2, 12, 0, 0, tzinfo=UTC)
ROOT = Path(__file__).parents[2]
CONTINUED = (
    "This session is being continued from a previous conversation that ran out of context. The conversation is "
    "summarized below:\n"
)


def usage(read: int = 0, write: int = 0, uncached: int = 0, output: int = 10) -> Json:
    """A Messages usage object."""
    return {
        "input_tokens": uncached,
        "cache_creation_input_tokens": write,
        "cache_read_input_tokens": read,
        "output_tokens": output,
    }


@dataclass
class ClaudeFile:
    """One session file, record by record."""

    session: str = "5c1f0c5e-0000-4000-8000-000000000001"
    version: str = "2.1.332"
    cwd: str = "/repo"
    agent: str = ""
    """Set for a sub-agent's file."""
    records: list[Json] = field(default_factory=list)
    tip: str | None = None
    """The uuid that the next record names as its parent."""
    _ids: Iterator[int] = field(default_factory=lambda: count(1))
    _clock: datetime = START

    @property
    def name(self) -> str:
        """Short, and another for each session."""
        return self.session[:8] + self.session[-4:]

    def record(self, kind: str, **more: object) -> Json:
        """One record in the chain."""
        self._clock += timedelta(seconds=1)
        uuid = f"{self.agent or 'main'}-{self.name}-{next(self._ids):06d}"
        record: Json = {
            "parentUuid": self.tip,
            "isSidechain": bool(self.agent),
            "type": kind,
            "uuid": uuid,
            "timestamp": self._clock.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "sessionId": self.session,
            "version": self.version,
            "cwd": self.cwd,
            **({"agentId": self.agent} if self.agent else {}),
            **more,
        }
        self.records.append(record)
        self.tip = uuid
        return record

    def user(self, content: object, **more: object) -> Json:
        """What the user typed, or what the client says in their place."""
        return self.record("user", message={"role": "user", "content": content}, **more)

    def answer(self, *blocks: Json, used: Json | None = None, model: str = "claude-sonnet-5-5") -> str:
        """One reply, a record for each block; gives its id."""
        reply = f"msg_{self.agent}{self.name}{next(self._ids):06d}"
        for place, block in enumerate(blocks):
            last = place == len(blocks) - 1
            stop = ("tool_use" if block["type"] == "tool_use" else "end_turn") if last else None
            message = {
                "id": reply,
                "type": "message",
                "role": "assistant",
                "model": model,
                "content": [block],
                "stop_reason": stop,
                "usage": used or usage(),
            }
            self.record("assistant", message=message, requestId=f"req_{reply}")
        return reply

    def result(self, call: str, content: object, *, is_error: bool = False) -> Json:
        """What the client answered to a call, twice, as it does."""
        block = {"type": "tool_result", "tool_use_id": call, "content": content}
        if is_error:
            block["is_error"] = True
        return self.user([block], toolUseResult={"stdout": content, "interrupted": False})

    def turn(self, call: Json, content: object, *, used: Json | None = None) -> None:
        """A call and its answer."""
        self.answer(call, used=used)
        self.result(call["id"], content)

    def compact(self, summary: str, *, trigger: str = "auto", before: int = 150_000, **metadata: object) -> None:
        """The client compacts: a mark, then the summary."""
        former, self.tip = self.tip, None
        self.record(
            "system",
            subtype="compact_boundary",
            content="Conversation compacted",
            logicalParentUuid=former,
            compactMetadata={"trigger": trigger, "preTokens": before, **metadata},
        )
        self.user(CONTINUED + summary, isCompactSummary=True, isVisibleInTranscriptOnly=True)

    def write(self, path: Path) -> Path:
        """The file."""
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"".join(orjson.dumps(record) + b"\n" for record in self.records))
        return path


def call(call_id: str, tool: str, **arguments: object) -> Json:
    """A tool_use block."""
    return {"type": "tool_use", "id": call_id, "name": tool, "input": arguments}


def say(text: str) -> Json:
    """A text block."""
    return {"type": "text", "text": text}


def numbered(lines: Sequence[str], start: int = 1) -> str:
    """Lines as Claude Code's Read shows them."""
    return "\n".join(f"{start + place}\t{line}" for place, line in enumerate(lines))


@cache
def _sources() -> tuple[tuple[str, ...], ...]:
    """Lines of real source code, by file."""
    files = sorted((ROOT / "proxy").rglob("*.py"))
    return tuple(lines for file in files if len(lines := tuple(file.read_text().splitlines())) > 40)


def a_long_session(
    seed: int, *, turns: int = 500, compactions: int = 3, habit: float = 0.1, loss: float = 0.5
) -> ClaudeFile:
    """A session as agents have them: reads of 1 to 8 KB, searches, edits, commands, compactions.

    After a compaction some of what it dropped is read again.

    Args:
        seed: Equal seeds give equal bytes.
        turns: Calls, all told.
        compactions: How many, evenly spaced.
        habit: Share of reads that repeat what is in view.
        loss: Share of reads after a compaction that repeat what it dropped.
    """
    return _Writer(seed, habit=habit, loss=loss).session(turns, compactions)


class _Writer:
    def __init__(self, seed: int, *, habit: float, loss: float) -> None:
        self._dice = random.Random(seed)
        self._file = ClaudeFile(session=f"{seed:08x}-0000-4000-8000-{seed:012x}")
        self._habit, self._loss = habit, loss
        self._seen: list[tuple[int, int, int]] = []
        self._dropped: list[tuple[int, int, int]] = []
        self._context = 20_000

    def session(self, turns: int, compactions: int) -> ClaudeFile:
        every = turns // (compactions + 1)
        self._file.user("Please find out why the figures do not add up, and mend it.")
        for number in range(1, turns + 1):
            self._turn(number)
            if number % every == 0 and number // every <= compactions:
                self._compact(number)
        self._file.answer(say("Done: the sums are right now."), used=self._used(50))
        return self._file

    def _turn(self, number: int) -> None:
        kind = self._dice.choices(("read", "bash", "edit", "grep"), (55, 20, 15, 10))[0]
        call_id = f"toolu_{self._file.session[:8]}_{number}"
        if kind == "read":
            place, start, size = self._what_to_read()
            path = f"{self._file.cwd}/src/module_{place}.py"
            lines = _sources()[place][start : start + size]
            arguments = {"file_path": path, "offset": start + 1, "limit": size}
            self._one(call(call_id, "Read", **arguments), numbered(lines, start + 1))
        elif kind == "bash":
            words = "\n".join(self._dice.choices(_sources()[number % len(_sources())], k=80))
            self._one(call(call_id, "Bash", command=f"make check-{number}"), f"run {number}\n{words}\nok")
        elif kind == "grep":
            hits = self._dice.choices(_sources()[number % len(_sources())], k=80)
            found = "\n".join(f"src/module_{number}.py:{at}:{line}" for at, line in enumerate(hits, 1))
            self._one(call(call_id, "Grep", pattern=f"figure_{number}", output_mode="content"), found)
        else:
            name = f"{self._file.cwd}/src/new_{number}.py"
            self._one(
                call(call_id, "Write", file_path=name, content="\n".join(_sources()[number % len(_sources())][:80])),
                "written",
            )

    def _one(self, block: Json, content: str) -> None:
        used = self._used(120)
        self._file.answer(say("I look at this next."), block, used=used)
        self._file.result(block["id"], content)
        self._context += len(content) // 4 + 150

    def _what_to_read(self) -> tuple[int, int, int]:
        toss = self._dice.random()
        if self._dropped and toss < self._loss:
            return self._dropped.pop(self._dice.randrange(len(self._dropped)))
        if self._seen and toss > 1 - self._habit:
            return self._dice.choice(self._seen)
        place = self._dice.randrange(len(_sources()))
        start = self._dice.randrange(0, max(1, len(_sources()[place]) - 150))
        what = (place, start, self._dice.randrange(60, 250))
        self._seen.append(what)
        return what

    def _compact(self, number: int) -> None:
        summary = "\n".join(f"Point {at} of the work so far, as of turn {number}: it goes on." for at in range(40))
        self._file.compact(summary, before=self._context)
        self._dropped += self._seen
        self._seen = []
        self._context = 25_000

    def _used(self, output: int) -> Json:
        new = 1_000
        return usage(read=max(0, self._context - new), write=new, uncached=4, output=output)


@dataclass
class CodexFile:
    """One rollout, record by record."""

    thread: str = "01a22e8f-0000-7000-8000-000000000001"
    session: str = ""
    """Of the root thread; this one's own when empty."""
    version: str = "0.171.0"
    tells_usage: bool = True
    """Writes usage in records of its own, as newer versions do; else as counts of tokens."""
    records: list[Json] = field(default_factory=list)
    _ids: Iterator[int] = field(default_factory=lambda: count(1))
    _clock: datetime = START
    _total: int = 0

    def __post_init__(self) -> None:
        """A rollout begins with who writes it."""
        named = {"id": self.thread, "session_id": self.session or self.thread, "cli_version": self.version}
        self.record("session_meta", **named, cwd="/repo", base_instructions={"text": "Be brief."})
        self.record("turn_context", cwd="/repo", model="gpt-5.1-codex")
        self.user("<environment_context>\n  <cwd>/repo</cwd>\n</environment_context>")

    def record(self, kind: str, **payload: object) -> None:
        """One record."""
        self._clock += timedelta(seconds=1)
        stamp = self._clock.isoformat(timespec="milliseconds").replace("+00:00", "Z")
        self.records.append({"timestamp": stamp, "type": kind, "payload": payload})

    def item(self, kind: str, **fields: object) -> None:
        """One item of the history."""
        self.record("response_item", type=kind, **fields)

    def user(self, text: str) -> None:
        """What was put to the model."""
        self.item("message", role="user", content=[{"type": "input_text", "text": text}])

    def usage(self, prompt: int, *, cached: int = 0, output: int = 20) -> str:
        """What the reply before it was billed for; gives the reply's id."""
        name = f"resp_{self.thread[-4:]}_{next(self._ids)}"
        used = {
            "input_tokens": prompt,
            "cached_input_tokens": cached,
            "cache_write_input_tokens": 0,
            "output_tokens": output,
            "reasoning_output_tokens": 5,
            "total_tokens": prompt + output,
        }
        self._total += prompt + output
        if self.tells_usage:
            self.record("token_usage_record", response_id=name, usage=used)
        told = {"total_token_usage": {"total_tokens": self._total}, "last_token_usage": used}
        self.record("event_msg", type="token_count", info=told)
        return name

    def turn(self, command: str, output: str, *, prompt: int = 20_000) -> None:
        """A command and its output, with the lines that Codex puts before it."""
        number = next(self._ids)
        name = f"call_{self.thread[-4:]}_{number}"
        self.item("reasoning", id=f"rs_{number}", summary=[], encrypted_content="x")
        arguments = orjson.dumps({"cmd": command}).decode()
        self.item("function_call", id=f"fc_{number}", call_id=name, name="exec_command", arguments=arguments)
        self.usage(prompt, cached=prompt - 1_000)
        head = f"Chunk ID: {number:06x}\nWall time: 0.0{number % 10} seconds\nProcess exited with code 0\nOutput:\n"
        self.item("function_call_output", call_id=name, output=head + output)

    def say(self, text: str, *, prompt: int = 20_000) -> str:
        """A reply without calls; gives its id."""
        number = next(self._ids)
        self.item("message", id=f"msg_{number}", role="assistant", content=[{"type": "output_text", "text": text}])
        return self.usage(prompt, cached=prompt - 1_000)

    def compact(self, summary: str, *, prompt: int = 90_000) -> None:
        """Compact by a summary of one's own."""
        reply = self.say(summary, prompt=prompt)
        opening = "Another language model started to solve this problem and produced a summary of its work:\n"
        self._replace(opening + summary, self._message(opening + summary), reply)

    def compact_remotely(self, blob: str, *, prompt: int = 90_000) -> None:
        """Compact at the provider, which gives an item that cannot be read."""
        reply = self.usage(prompt, cached=prompt - 1_000)
        self._replace("", {"type": "compaction", "encrypted_content": blob}, reply)

    def _replace(self, said: str, last: Json, reply: str) -> None:
        history = [self._message("go on"), last]
        self.record("compacted", message=said, replacement_history=history, compaction_response_id=reply)

    @staticmethod
    def _message(text: str) -> Json:
        return {"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}

    def write(self, path: Path) -> Path:
        """The file."""
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"".join(orjson.dumps(record) + b"\n" for record in self.records))
        return path
