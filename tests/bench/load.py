"""What is asked, and how: agent-shaped requests by wrk, a fixed number of exchanges per round."""

from __future__ import annotations

import signal
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import orjson

from tests.bench.processes import last_line, running
from tests.bench.sessions import MODEL, Session, header_lines
from tests.bench.tools import tool

SCRIPT = Path(__file__).with_name("count.lua")
PATIENCE_S = 900
CONNECTIONS = (1, 16)


@dataclass(frozen=True, slots=True)
class Load:
    """One kind of exchange."""

    name: str
    request_bytes: int
    """Of the body."""
    reply_bytes: int | None
    """None: the 200-chunk stream."""
    exchanges: int
    """Of one cell, all rounds together."""

    def request(self, round_name: str) -> bytes:
        """A request's bytes. Each round is a session of its own, the same for every target."""
        name = f"{self.name}-{round_name}"
        body = _small_body(self.request_bytes) if self.request_bytes < 50_000 else _history(name, self.request_bytes)
        lines = [("Host", "api.anthropic.com"), *header_lines(name), ("Content-Length", str(len(body)))]
        head = "POST /v1/messages?beta=true HTTP/1.1\r\n" + "".join(f"{key}: {value}\r\n" for key, value in lines)
        return head.encode("ascii") + b"\r\n" + body

    def reply(self) -> bytes:
        """The body that comes back, unless it is the stream."""
        assert self.reply_bytes is not None
        usage = {"input_tokens": 500, "output_tokens": 100}
        made = {"id": "msg_bench", "type": "message", "role": "assistant", "model": MODEL, "stop_reason": "end_turn"}
        return _padded({**made, "usage": usage}, self.reply_bytes, lambda text: {"content": [_text(text)]})


LOADS = (
    Load("2 KB", 2_048, 2_048, 20_000),
    Load("400 KB", 400_000, 4_096, 1_000),
    Load("stream", 2_048, None, 500),
)


class Round(NamedTuple):
    """What wrk saw in one round."""

    exchanges: int
    per_second: float
    p50_s: float


class LoadError(Exception):
    """A round did not go as it must; `str()` says how."""


def drive(url: str, request: Path, *, connections: int, exchanges: int, log: Path) -> Round:
    """Exchange so often, over so many connections. Raises LoadError when any exchange failed."""
    command = [
        tool("wrk"), "-t1", f"-c{connections}", f"-d{PATIENCE_S}", "--timeout", "60", "-s", str(SCRIPT),
        f"{url}/", "--", str(request), str(exchanges),
    ]  # fmt: skip
    with running(command, log) as wrk:
        counted, done = _listen(wrk)
    if counted is None or done is None:
        raise LoadError(f"wrk ended early: {last_line(log)}")
    answered, took_us = counted
    total, failed, p50_us = done
    if failed:
        raise LoadError(f"{failed} of {total} exchanges failed")
    return Round(total, answered / took_us * 1e6, p50_us / 1e6)


def _listen(wrk: subprocess.Popen[str]) -> tuple[list[int] | None, list[int] | None]:
    """Read what count.lua writes; when it has counted to the end, wrk itself, which would wait on, is told to end."""
    counted = done = None
    assert wrk.stdout is not None
    for line in wrk.stdout:
        word, *figures = line.split() or [""]
        if word == "counted":
            counted = [int(figure) for figure in figures]
            wrk.send_signal(signal.SIGINT)
        elif word == "done":
            done = [int(float(figure)) for figure in figures]
        elif word == "status":
            raise LoadError(f"an exchange was answered with status {figures[0]}")
    return counted, done


def _text(text: str) -> dict[str, str]:
    return {"type": "text", "text": text}


def _small_body(size: int) -> bytes:
    made = {"model": MODEL, "max_tokens": 1000, "stream": True}
    return _padded(made, size, lambda text: {"messages": [{"role": "user", "content": [_text(text)]}]})


def _history(name: str, size: int) -> bytes:
    session = Session(name, prompt_bytes=70_000, step_bytes=3_000)
    for turn in session.turns(size):
        if len(turn.request) >= size:
            return turn.request
    raise AssertionError("turns end before the body is long enough")


def _padded(document: dict[str, object], size: int, rest: object) -> bytes:
    assert callable(rest)
    words = "what was measured is told, what was not is not "
    bare = len(orjson.dumps(document | rest("")))
    return orjson.dumps(document | rest((words * (size // len(words) + 1))[: max(size - bare, 0)]))
