"""Whole services in their own processes: `serve`, `wrap` and the scripted provider, on free ports."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
PATIENCE_S = 60.0
"""Nothing here takes this long on a quiet machine; it only ends tests that would hang."""
PROGRAM = [sys.executable, "-m", "gate"]


@dataclass
class Upstream:
    """A provider that answers every message with one short text."""

    url: str
    hold: threading.Event
    """Answers to requests that arrive from now on wait for it in the middle."""
    seen: list[str]
    """Paths asked for."""
    headers: list[dict[str, str]] = field(default_factory=list)
    """Header lines of each request, names in lower case."""


ANSWER = {
    "id": "msg_1", "type": "message", "role": "assistant", "model": "claude-sonnet-4-5", "stop_reason": "end_turn",
    "content": [{"type": "text", "text": "done"}], "usage": {"input_tokens": 10, "output_tokens": 2},
}  # fmt: skip


@contextmanager
def an_upstream() -> Iterator[Upstream]:
    """Serve it inside the block."""
    found = Upstream("", threading.Event(), [])
    found.hold.set()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["content-length"]))
            hold = found.hold
            found.seen.append(self.path)
            found.headers.append({name.lower(): value for name, value in self.headers.items()})
            body = json.dumps(ANSWER).encode()
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body[:10])
            self.wfile.flush()
            hold.wait(PATIENCE_S)
            with contextlib.suppress(OSError):  # cut meanwhile
                self.wfile.write(body[10:])

        def log_message(self, *_: object) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    found.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield found
    finally:
        found.hold.set()
        server.shutdown()
        server.server_close()
        thread.join()


def environment_of(upstream: str, **more: str) -> dict[str, str]:
    """A clean environment whose default upstream is that one."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    return {
        **kept,
        "PYTHONPATH": str(ROOT),
        "XDG_CONFIG_HOME": "/nonexistent",
        "COMPACTION_GATE_UPSTREAMS_ANTHROPIC_URL": upstream,
        "COMPACTION_GATE_CAPTURE_FREE_DISK_FLOOR_GIB": "0",
        **more,
    }


@dataclass
class Service:
    """A running `serve`."""

    process: subprocess.Popen[str]
    data: Path
    relay: str
    admin: str

    def end(self, number: signal.Signals = signal.SIGTERM) -> int:
        """Signal it and wait for its exit code."""
        self.process.send_signal(number)
        return self.process.wait(PATIENCE_S)


@contextmanager
def a_service(data: Path, environment: Mapping[str, str], *options: str) -> Iterator[Service]:
    """`serve` on free ports, ready when the block begins, killed at its end if it still runs."""
    ready = data.with_suffix(".ready")
    ready.unlink(missing_ok=True)
    command = [*PROGRAM, "--data", str(data), "serve", "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0"]
    process = subprocess.Popen(
        [*command, "--ready-file", str(ready), *options], env=dict(environment), cwd=ROOT, text=True,
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
    )  # fmt: skip
    try:
        until(lambda: ready.exists() or process.poll() is not None)
        assert process.poll() is None, process.stderr.read() if process.stderr else ""
        told = json.loads(ready.read_text())
        yield Service(process, data, told["relay"], told["admin"])
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
            process.send_signal(signal.SIGTERM)
            process.wait(PATIENCE_S)
        if process.stderr:
            process.stderr.close()


def typed(
    data: Path, environment: Mapping[str, str], *arguments: str, **extra: Any
) -> subprocess.CompletedProcess[str]:
    """A command in a process of its own."""
    command = [*PROGRAM, "--data", str(data), *arguments]
    return subprocess.run(
        command,
        env=dict(environment),
        cwd=ROOT,
        text=True,
        capture_output=True,
        check=False,
        timeout=PATIENCE_S,
        **extra,
    )


def ask(
    base: str,
    path: str = "/v1/messages",
    *,
    token: str = "",
    body: Mapping[str, Any] | None = None,
    more: Mapping[str, str] | None = None,
) -> tuple[int, str]:
    """One request; its status and text."""
    data = None if body is None else json.dumps(body).encode()
    headers = {"content-type": "application/json", "user-agent": "claude-cli/2.1.332 (x)", "x-api-key": "k"}
    headers |= more or {}
    if token:
        headers["authorization"] = f"Bearer {token}"
    request = urllib.request.Request(base + path, data, headers)
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE_S) as response:
            return response.status, response.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read().decode()


def accepts(base: str) -> bool:
    """Whether anybody listens there."""
    host, _, port = base.removeprefix("http://").rpartition(":")
    try:
        socket.create_connection((host, int(port)), PATIENCE_S).close()
    except ConnectionError:
        return False
    return True


def a_message(session: str = "11111111-1111-1111-1111-111111111111") -> dict[str, Any]:
    """A request of a client that names its session."""
    return {
        "model": "claude-sonnet-4-5",
        "max_tokens": 10,
        "messages": [{"role": "user", "content": "hi"}],
        "metadata": {"user_id": json.dumps({"session_id": session})},
    }


def until(is_so: Callable[[], bool]) -> None:
    """Wait for something that must become true."""
    ends = time.monotonic() + PATIENCE_S
    while not is_so():
        assert time.monotonic() < ends, "it never became true"
        time.sleep(0.02)
