"""Secrets at every place where the dialects know one, asked and repeated in the answer, through relay and WebSocket."""

from __future__ import annotations

import gzip
import http.client
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import orjson
import pytest

from tests.support.service import PATIENCE_S, Service, a_service, ask, environment_of, until
from tests.support.typed import type_command
from tests.support.unpacked import unpacked
from tests.support.websocket import from_client, from_server

HEAD = "canary-head-8b1d5e7f20"
BODY = "canary-body-91c2d4e6a8"
"""Has no shape that a pattern knows: its place alone tells that it is one."""
KEY = "sk-ant-canary-key-5f0a1b2c3d"
"""Has one; stands in what was said, and escaped."""
ESCAPED = KEY.replace("k", "\\u006b")
SECRET_HEADS = {
    "authorization": f"Bearer {HEAD}", "x-api-key": HEAD, "x-goog-api-key": HEAD, "api-key": HEAD,
    "cookie": f"a={HEAD}; b={HEAD}", "proxy-authorization": f"Basic {HEAD}", "x-codex-turn-state": HEAD,
    "sec-websocket-protocol": f"realtime, openai-insecure-api-key.{HEAD}", "chatgpt-account-id": HEAD,
}  # fmt: skip
MCP = {
    "type": "mcp", "server_label": "m", "server_url": f"https://u:{BODY}@h/mcp?k={BODY}", "authorization": BODY,
    "headers": {"X-Any": BODY},
}  # fmt: skip
CONFIGURED: dict[str, Any] = {
    "user": BODY, "safety_identifier": BODY, "tools": [MCP],
    "client_metadata": {"x-codex-installation-id": BODY, "x-codex-turn-state": BODY, "account_id": BODY},
}  # fmt: skip
HTML = "html --contents"
SAID = f"use {KEY}"


def response(number: int) -> dict[str, Any]:
    """What OpenAI answers repeats what was configured."""
    said = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": SAID}]}
    usage = {"input_tokens": 5, "output_tokens": 1}
    return {"id": f"r{number}", "object": "response", "status": "completed", "model": "gpt-5", "output": [said],
            "usage": usage, **CONFIGURED}  # fmt: skip


def events(number: int) -> list[bytes]:
    begun = {**response(number), "status": "in_progress", "output": []}
    told = (
        {"type": "response.created", "response": begun},
        {"type": "response.completed", "response": response(number)},
    )
    return [orjson.dumps(each).replace(KEY.encode(), ESCAPED.encode()) for each in told]


ASKED: dict[str, dict[str, Any]] = {
    "/v1/responses": {"model": "gpt-5", "input": SAID, **CONFIGURED},
    "/v1/chat/completions": {
        "model": "gpt-5", "messages": [{"role": "user", "content": SAID}], "user": BODY, "safety_identifier": BODY,
        "tools": [{"type": "mcp", "headers": {"a": BODY}, "authorization": BODY}],
        "mcp_servers": [{"authorization_token": BODY}],
    },
    f"/v1beta/models/gemini-2.5-pro:generateContent?key={HEAD}": {
        "contents": [{"role": "user", "parts": [{"text": SAID}]}],
        "tools": [
            {"googleMaps": {"authConfig": {"apiKeyConfig": {"apiKeyString": BODY}}}},
            {"mcpServers": [{"streamableHttpTransport": {"url": f"http://{BODY}@h?k={BODY}", "headers": {"a": BODY}}}]},
        ],
    },
    "/v1/messages": {
        "model": "claude-sonnet-4-5", "max_tokens": 9, "messages": [{"role": "user", "content": SAID}],
        "mcp_servers": [{"type": "url", "url": f"https://h/?k={BODY}", "authorization_token": BODY}],
    },
}  # fmt: skip


def answers() -> dict[str, bytes]:
    stream = b"".join(b"event: x\ndata: " + event + b"\n\n" for event in events(0))
    chat = {"id": "c", "model": "gpt-5", "user": BODY,
            "usage": {"prompt_tokens": 5, "completion_tokens": 1},
            "choices": [{"index": 0, "finish_reason": "stop", "message": {"content": SAID}}]}  # fmt: skip
    gemini = {"candidates": [{"content": {"role": "model", "parts": [{"text": SAID}]}, "finishReason": "STOP"}],
              "usageMetadata": {"promptTokenCount": 5, "candidatesTokenCount": 1}}  # fmt: skip
    claude = {"id": "m", "type": "message", "role": "assistant", "model": "claude-sonnet-4-5",
              "stop_reason": "end_turn",
              "content": [{"type": "text", "text": SAID}], "usage": {"input_tokens": 5, "output_tokens": 1},
              "stop_details": {"fallback_credit_token": BODY}}  # fmt: skip
    documents = map(orjson.dumps, (chat, gemini, claude))
    return dict(zip((path.partition("?")[0] for path in ASKED), (stream, *documents), strict=True))


@contextmanager
def a_provider() -> Iterator[str]:
    """Answers each dialect, gzipped, and a WebSocket."""
    bodies = answers()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["content-length"]))
            body = gzip.compress(bodies[self.path.partition("?")[0]])
            self.send_response(200)
            for name, value in (("content-encoding", "gzip"), ("set-cookie", HEAD), ("content-length", str(len(body)))):
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def do_GET(self) -> None:
            self.wfile.write(b"HTTP/1.1 101 Switching\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n")
            self.rfile.read(1)
            self.wfile.write(from_server(*events(1)))
            self.close_connection = True

        def log_message(self, *_: object) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def play(service: Service) -> None:
    place = urlsplit(service.relay)
    for path, body in ASKED.items():
        connection = http.client.HTTPConnection(place.hostname or "", place.port, timeout=PATIENCE_S)
        headers = {**SECRET_HEADS, "x-compaction-session": path.partition("?")[0]}
        connection.request("POST", path, orjson.dumps(body).replace(KEY.encode(), ESCAPED.encode()), headers)
        answer = connection.getresponse()
        assert (answer.status, len(answer.read()) > 0) == (200, True)
        connection.close()
    with socket.create_connection((place.hostname, place.port), PATIENCE_S) as peer:
        lines = [f"GET /v1/responses?key={HEAD} HTTP/1.1", "Host: relay", "Connection: Upgrade", "Upgrade: websocket",
                 "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "session-id: sock",
                 *(f"{name}: {value}" for name, value in SECRET_HEADS.items())]  # fmt: skip
        peer.sendall("\r\n".join([*lines, "", ""]).encode())
        assert b" 101 " in peer.recv(1 << 16)
        create = orjson.dumps({"type": "response.create", **ASKED["/v1/responses"]})
        peer.sendall(from_client(create.replace(KEY.encode(), ESCAPED.encode())))
        while peer.recv(1 << 16):
            pass


@pytest.mark.parametrize("capture", ["hashes", "full"])
def test_no_secret_of_any_dialect_is_kept_or_shown(
    tmp_path: Path, capture: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = tmp_path / "data"
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))

    def show(command: str) -> str:
        return "".join(type_command(*command.split(), "--data", data)[1:])

    with a_provider() as url:
        environment = environment_of(url)
        with a_service(data, environment, *(["--record"] if capture == "full" else [])) as service:
            play(service)
            until(lambda: "seen: 6 exchanges" in show("status"))
            told = orjson.loads(show("sessions --format json"))
            commands = ["status --format json", "sessions", "store dump", "audit sample", "session last --format svg"]
            commands += [f"session {each['session']} --format {form}" for each in told for form in ("json", HTML)]
            shown = [show(command) for command in commands]
            shown.append(ask(service.admin, "/metrics")[1])
            service.end()
            shown.append(service.process.stderr.read() if service.process.stderr else "")
    assert len(told) == 5
    kept = {str(path.relative_to(data)): path.read_bytes() for path in data.rglob("*") if path.is_file()}
    assert {oct(path.stat().st_mode & 0o77) for path in data.rglob("*")} == {"0o0"}
    contents = unpacked(data / "store.db")
    for secret in (HEAD, BODY, KEY, ESCAPED):
        assert [name for name, body in kept.items() if secret.encode() in body] == []
        assert [text for text in shown if secret in text] == []
        assert [body for body in contents if secret.encode() in body or secret.encode() in undone(body)] == []
    assert any(b"output_text" in body for body in contents) == (capture == "full")


def undone(body: bytes) -> bytes:
    """A gzipped content as it reads."""
    return gzip.decompress(body) if body[:2] == b"\x1f\x8b" else b""
