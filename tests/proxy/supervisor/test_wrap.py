from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from config.load import load
from proxy.supervisor.running import read_running
from proxy.supervisor.ways.wish import base_url_route
from proxy.supervisor.wrap import _with_the_users_upstream
from proxy.wiring.settings import relay_spec
from tests.support.service import (
    PATIENCE_S,
    PROGRAM,
    ROOT,
    Upstream,
    a_message,
    a_service,
    an_upstream,
    environment_of,
    typed,
    until,
)

ASK = """
import json, os, sys, urllib.request
url = os.environ["ANTHROPIC_BASE_URL"] + "/v1/messages"
head = {"content-type": "application/json", "user-agent": "claude-cli/2.1.332 (x)", "x-api-key": "canary-key"}
request = urllib.request.Request(url, BODY, head)
print(json.load(urllib.request.urlopen(request))["id"])
""".replace("BODY", repr(json.dumps(a_message()).encode()))


@pytest.fixture(scope="module")
def upstream() -> Iterator[Upstream]:
    with an_upstream() as found:
        yield found


def script(text: str) -> list[str]:
    return ["wrap", "--", sys.executable, "-c", text]


def test_a_command_goes_through_a_relay_of_its_own_and_its_status_is_ours(tmp_path: Path, upstream: Upstream) -> None:
    environment = environment_of(upstream.url)
    upstream.seen.clear()
    done = typed(tmp_path / "data", environment, *script(f"{ASK}\nsys.exit(7)"))
    assert done.returncode == 7
    assert done.stdout == "msg_1\n"
    assert upstream.seen == ["/v1/messages"]
    assert f"→ {upstream.url}, https://api.openai.com, " in done.stderr
    assert "1 turn · $0.0" in done.stderr
    assert done.stderr.endswith("next: compaction-gate session last\n")
    assert "canary-key" not in done.stderr
    kept = [path.read_bytes() for path in (tmp_path / "data").rglob("*") if path.is_file()]
    assert not any(b"canary-key" in content for content in kept)
    assert read_running(tmp_path / "data/running.json") is None
    assert "1 turn" in typed(tmp_path / "data", environment, "session", "last").stdout


def test_a_running_serve_is_used_and_goes_on(tmp_path: Path, upstream: Upstream) -> None:
    environment = environment_of(upstream.url)
    with a_service(tmp_path / "data", environment) as service:
        done = typed(tmp_path / "data", environment, *script(ASK))
        assert (done.returncode, done.stdout) == (0, "msg_1\n")
        assert service.relay in done.stderr
        assert "1 turn" in done.stderr
        assert service.process.poll() is None
        elsewhere = environment | {"ANTHROPIC_BASE_URL": "https://user:canary@gateway.corp/x"}
        refused = typed(tmp_path / "data", elsewhere, *script("print('ran')"))
        assert refused.returncode == 64
        assert "ANTHROPIC_BASE_URL is gateway.corp/x, which is no upstream of the relay that runs" in refused.stderr
        assert "canary" not in refused.stderr
        assert refused.stdout == ""


def test_the_last_wrap_on_a_folder_ends_the_relay(tmp_path: Path, upstream: Upstream) -> None:
    environment = environment_of(upstream.url)
    gate = tmp_path / "gate"
    os.mkfifo(gate)
    first = subprocess.Popen(
        [*PROGRAM, "--data", str(tmp_path / "data"), "wrap", "--quiet", "--", "cat", str(gate)],
        env=environment, cwd=ROOT, stdout=subprocess.DEVNULL,
    )  # fmt: skip
    until(lambda: read_running(tmp_path / "data/running.json") is not None)
    running = read_running(tmp_path / "data/running.json")
    assert running is not None
    release = f"import os, time\nopen({str(gate)!r}, 'w').close()\n"
    release += f"while os.path.exists('/proc/{first.pid}/root'): time.sleep(0.02)\n"
    done = typed(tmp_path / "data", environment, *script(release + ASK))
    assert first.wait(PATIENCE_S) == 0
    assert (done.returncode, done.stdout) == (0, "msg_1\n")
    assert not running.relay.is_alive()
    assert "1 turn" in done.stderr


def test_the_first_of_two_wraps_tells_what_its_own_child_did_and_leaves_the_relay_to_the_other(
    tmp_path: Path, upstream: Upstream
) -> None:
    environment, gate = environment_of(upstream.url), tmp_path / "gate"
    os.mkfifo(gate)

    def wrapped(text: str) -> subprocess.Popen[str]:
        line = [*PROGRAM, "--data", str(tmp_path / "data"), *script(text + ASK)]
        pipe, nowhere = subprocess.PIPE, subprocess.DEVNULL
        return subprocess.Popen(line, env=environment, cwd=ROOT, text=True, stderr=pipe, stdout=nowhere)

    first = wrapped(f"open({str(gate)!r}).read()\n")
    until(lambda: read_running(tmp_path / "data/running.json") is not None)
    release = f"import os, time\nopen({str(gate)!r}, 'w').close()\n"
    wait = f"while os.path.exists('/proc/{first.pid}/root'): time.sleep(0.02)\n"
    second = wrapped(release + wait)
    assert "· 1 turn ·" in first.communicate(timeout=PATIENCE_S)[1]
    assert "· 1 turn ·" in second.communicate(timeout=PATIENCE_S)[1]
    assert (first.returncode, second.returncode) == (0, 0)


def test_a_base_url_of_the_user_becomes_the_upstream_so_that_the_key_goes_where_it_went() -> None:
    settings = load(environment={"COMPACTION_GATE_UPSTREAMS_CORP_URL": "https://corp.example"}).settings
    user = _with_the_users_upstream(settings, {"ANTHROPIC_BASE_URL": "https://gateway.example/x/"})
    assert user.upstreams["anthropic"].url == "https://gateway.example/x"
    assert user.relay.default_upstream == "anthropic"
    assert _with_the_users_upstream(settings, {}) == settings
    known = _with_the_users_upstream(settings, {"ANTHROPIC_BASE_URL": "https://corp.example"})
    assert known == settings
    route = base_url_route(relay_spec(known), "http://r", {"ANTHROPIC_BASE_URL": "https://corp.example"})
    assert (route.upstream, route.upstream_url) == ("corp", "https://corp.example")
    assert base_url_route(relay_spec(settings), "http://r", {}).upstream == ""
    already = base_url_route(relay_spec(settings), "http://r", {"ANTHROPIC_BASE_URL": "http://r/"})
    assert (already.upstream, already.upstream_url) == ("", "https://api.anthropic.com")


def test_signals_reach_the_child_and_its_end_is_told_as_shells_do(tmp_path: Path, upstream: Upstream) -> None:
    started = tmp_path / "started"
    child = f"import signal, pathlib; pathlib.Path({str(started)!r}).touch(); signal.pause()"
    process = subprocess.Popen(
        [*PROGRAM, "--data", str(tmp_path / "data"), "wrap", "--", sys.executable, "-c", child],
        env=environment_of(upstream.url), cwd=ROOT, text=True, stderr=subprocess.PIPE, start_new_session=True,
    )  # fmt: skip
    until(started.exists)
    process.send_signal(signal.SIGTERM)
    _, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 128 + signal.SIGTERM
    assert "no model call was seen: does the command use the base URL it was given?" in err


def test_a_command_that_is_not_there_was_never_started(tmp_path: Path, upstream: Upstream) -> None:
    done = typed(tmp_path / "data", environment_of(upstream.url), "wrap", "--quiet", "--", "no-such-command")
    assert done.returncode == 64
    assert not (tmp_path / "data").exists()
    assert done.stderr == "compaction-gate: no-such-command: no such command\n"


def test_a_command_that_is_no_program_is_wrong_use_and_no_fault_of_ours(tmp_path: Path, upstream: Upstream) -> None:
    program = tmp_path / "program"
    program.write_text("no program")
    program.chmod(0o755)
    done = typed(tmp_path / "data", environment_of(upstream.url), "wrap", "--quiet", "--", str(program))
    assert done.returncode == 64
    assert done.stderr == f"compaction-gate: {program}: exec format error\n"
