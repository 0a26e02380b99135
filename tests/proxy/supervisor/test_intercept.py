"""The intercept door as a service and around one command, in processes of their own, before a TLS provider."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

pytest.importorskip("mitmproxy", reason="the extra `intercept` is not installed")

from proxy.supervisor.running import read_running
from tests.support.scripted import make_tls
from tests.support.service import (
    ANSWER,
    PATIENCE_S,
    PROGRAM,
    ROOT,
    a_message,
    ask,
    environment_of,
    typed,
    until,
)

ASK = """
import json, os, sys, urllib.request
head = {"content-type": "application/json", "user-agent": "claude-cli/2.1.332 (x)", "x-api-key": "canary-key"}
request = urllib.request.Request(URL + "/v1/messages", BODY, head)
print(json.load(urllib.request.urlopen(request))["id"], "ANTHROPIC_BASE_URL" in os.environ)
sys.exit(7)
"""


@pytest.fixture(scope="module")
def provider(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """Variables under which a tiny TLS provider is the upstream, and trusted."""
    folder = tmp_path_factory.mktemp("provider")
    tls = make_tls(folder)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["content-length"]))
            body = json.dumps(ANSWER).encode()
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    server.socket = tls.server.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    url = f"https://localhost:{server.server_port}"
    yield environment_of(url, COMPACTION_GATE_EGRESS_CA_BUNDLE=str(tls.bundle))
    server.shutdown()
    server.server_close()
    thread.join()


def url_of(provider: dict[str, str]) -> str:
    return provider["COMPACTION_GATE_UPSTREAMS_ANTHROPIC_URL"]


def script(provider: dict[str, str]) -> list[str]:
    text = ASK.replace("URL", repr(url_of(provider))).replace("BODY", repr(json.dumps(a_message()).encode()))
    return ["wrap", "--intercept", "--", sys.executable, "-c", text]


def test_a_command_goes_through_the_door_without_knowing_and_its_status_is_ours(
    tmp_path: Path, provider: dict[str, str]
) -> None:
    done = typed(tmp_path / "data", provider, *script(provider))
    assert (done.returncode, done.stdout) == (7, "msg_1 False\n"), done.stderr
    opened = next(line for line in done.stderr.splitlines() if "opened and recorded" in line)
    assert url_of(provider).removeprefix("https://") in opened
    assert "1 turn · $0.0" in done.stderr
    kept = [path.read_bytes() for path in (tmp_path / "data").rglob("*") if path.is_file()]
    assert not any(b"canary-key" in content for content in kept)
    assert read_running(tmp_path / "data/running.json") is None
    assert "door: intercept" in typed(tmp_path / "data", provider, "session", "last").stdout


def test_the_service_starts_its_door_again_and_ends_in_order(tmp_path: Path, provider: dict[str, str]) -> None:
    data, ready = tmp_path / "data", tmp_path / "ready"
    command = [*PROGRAM, "--data", str(data), "intercept", "--port", "0", "--admin", "127.0.0.1:0"]
    process = subprocess.Popen(
        [*command, "--ready-file", str(ready)], env=provider, cwd=ROOT, text=True, stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        until(lambda: ready.exists() or process.poll() is not None)
        admin = json.loads(ready.read_text())["admin"]
        until(lambda: ask(admin, "/readyz") == (200, "intercept: yes\njournal: yes\n"))
        first = read_running(data / "running.json")
        assert first is not None
        assert (first.door, first.by) == ("intercept", "intercept")
        os.kill(first.relay.pid, signal.SIGKILL)
        done = typed(data, provider, *script(provider))  # waits in the supervisor's socket
        assert (done.returncode, done.stdout) == (7, "msg_1 False\n"), done.stderr
        text = ask(admin, "/metrics")[1]
        assert 'compaction_process_restarts_total{environment="local",process="intercept"} 1.0' in text
        assert 'compaction_relay_requests_total{environment="local",upstream="anthropic"} 1.0' in text
        assert "compaction_relay_bytes_total{" not in text
        assert "compaction_relay_overhead_seconds_count" not in text
        status = typed(data, provider, "status").stdout
        assert "running by `intercept`" in status
        other = typed(data, provider, "wrap", "--", sys.executable, "-c", "")
        assert other.returncode == 64
        assert "its live door is an intercept door, not a relay; add --intercept" in other.stderr
    finally:
        process.send_signal(signal.SIGTERM)
        said, _ = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0
    assert url_of(provider) in next(line for line in said.splitlines() if line.startswith("opens "))
