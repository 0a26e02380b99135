"""Secrets in every place where a client can put one, through the real service; then every place it can be found in."""

from __future__ import annotations

import http.client
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import orjson
import pytest

from tests.support.service import Service, Upstream, a_service, an_upstream, ask, environment_of, typed, until
from tests.support.unpacked import unpacked

HEAD = "canary-head-5f1e0c2a9b"
"""Stands in heads: header values, query values, a run tag, a refused request."""
BODY = "sk-ant-canary-body-77d3a1f0c4e2"
"""Stands in bodies, where a pattern or a path of the dialect knows it."""
SAID = "canary-said-3b9d42e6a1"
"""Stands in what was said: prompts, file contents, arguments that are no path."""


def exchange(base: str, method: str, target: str, body: bytes, headers: dict[str, str]) -> int:
    place = urlsplit(base)
    connection = http.client.HTTPConnection(place.hostname or "", place.port, timeout=30)
    try:
        connection.request(method, target, body, headers)
        response = connection.getresponse()
        response.read()
        return response.status
    finally:
        connection.close()


def a_body(turn: int) -> dict[str, Any]:
    history = [
        {"role": "user", "content": f"use {SAID} and {BODY}"},
        {
            "role": "assistant",
            "content": [
                {"type": "tool_use", "id": "c1", "name": "Read", "input": {"file_path": "/repo/app.py"}},
                {"type": "tool_use", "id": "c2", "name": "Write", "input": {"file_path": "/repo/x", "content": SAID}},
                {
                    "type": "tool_use",
                    "id": "c3",
                    "name": "Bash",
                    "input": {"command": f"curl -H 'x-api-key: {BODY}' u"},
                },
            ],
        },
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "c1", "content": f"1\tkey = {BODY}\n2\t{SAID} is a line"},
                {"type": "tool_result", "tool_use_id": "c2", "content": f"wrote {SAID}"},
                {"type": "tool_result", "tool_use_id": "c3", "content": f"answered {BODY}"},
            ],
        },
    ]
    return {
        "model": "claude-sonnet-4-5",
        "max_tokens": 10,
        "system": f"Never tell {SAID}.",
        "messages": history[: 2 * turn - 1],
        "mcp_servers": [{"type": "url", "url": f"https://u:{BODY}@h/mcp?key={BODY}", "authorization_token": BODY}],
        "metadata": {"user_id": orjson.dumps({"session_id": "s-1", "device_id": HEAD}).decode()},
    }


def play(service: Service) -> None:
    headers = {
        "x-api-key": HEAD,
        "authorization": f"Bearer {HEAD}",
        "cookie": f"sid={HEAD}",
        "x-secret-of-ours": HEAD,
        "x-claude-code-session-id": "s-1",
        "content-type": "application/json",
    }
    for turn in (1, 2):
        body = orjson.dumps(a_body(turn))
        assert exchange(service.relay, "POST", f"/v1/messages?beta=true&key={HEAD}", body, headers) == 200
    assert exchange(service.relay, "POST", f"/run/{HEAD}/v1/messages", b"{}", headers) == 404
    assert exchange(service.relay, "GET", f"http://x/{HEAD}", b"", headers) == 400
    assert exchange(service.relay, "POST", "/v1/messages", f"not json {BODY}".encode(), headers) == 200


@pytest.fixture
def upstream() -> Iterator[Upstream]:
    with an_upstream() as found:
        yield found


@pytest.mark.parametrize("capture", ["hashes", "full"])
def test_no_secret_is_found_anywhere_once_all_is_processed(upstream: Upstream, tmp_path: Path, capture: str) -> None:
    environment = environment_of(upstream.url)
    options = ["--record"] if capture == "full" else []
    data = tmp_path / "data"
    with a_service(data, environment, *options) as service:
        play(service)
        until(lambda: "seen: 4 exchanges" in typed(data, environment, "status").stdout)
        commands = ("status", "sessions", "session last", "session last --format json", "store dump")
        shown = [typed(data, environment, *command.split()).stdout for command in commands]
        shown.append(ask(service.admin, "/metrics")[1])
        service.end()
        shown.append(service.process.stderr.read() if service.process.stderr else "")
    kept = {str(path.relative_to(data)): path.read_bytes() for path in data.rglob("*") if path.is_file()}
    contents = unpacked(data / "store.db")
    wanted = (HEAD, BODY, SAID) if capture == "hashes" else (HEAD, BODY)
    for secret in wanted:
        assert [name for name, body in kept.items() if secret.encode() in body] == []
        assert [text for text in shown if secret in text] == []
        assert [body for body in contents if secret.encode() in body] == []
    assert any(SAID.encode() in body for body in contents) == (capture == "full")
