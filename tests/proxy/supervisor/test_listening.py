from __future__ import annotations

import os
import signal
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from proxy.model.errors import CannotWriteError, UsageError
from proxy.supervisor import listening
from proxy.supervisor.listening import handed_over, listen, url_of
from proxy.supervisor.running import read_running
from tests.support.service import PROGRAM, ROOT, Upstream, a_message, an_upstream, ask, environment_of, until

HAND_OVER = """
import os, sys
os.dup2(int(sys.argv[1]), 3)
os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS="1")
os.execv(sys.executable, [sys.executable, *sys.argv[2:]])
"""
"""What systemd does: the socket becomes descriptor 3 of the process whose number is told."""


@pytest.fixture(scope="module")
def upstream() -> Iterator[Upstream]:
    with an_upstream() as found:
        yield found


@pytest.fixture
def third(monkeypatch: pytest.MonkeyPatch) -> Iterator[socket.socket]:
    """A listening socket in the place where handed-over ones are looked for."""
    with socket.create_server(("127.0.0.1", 0)) as found:
        monkeypatch.setattr(listening, "FIRST_FD", found.fileno())
        yield found
        found.detach()


def told(**changes: str) -> dict[str, str]:
    return {"LISTEN_PID": str(os.getpid()), "LISTEN_FDS": "1", "LISTEN_FDNAMES": "relay", "PATH": "/bin"} | changes


def test_a_socket_that_was_handed_over_is_taken_and_its_variables_go_no_further(third: socket.socket) -> None:
    environment = told()
    found = handed_over(environment)
    assert found is not None
    assert url_of(found) == f"http://127.0.0.1:{third.getsockname()[1]}"
    assert environment == {"PATH": "/bin"}
    found.close()


@pytest.mark.parametrize("changes", [{"LISTEN_PID": "1"}, {"LISTEN_FDS": "0"}, {"LISTEN_FDS": ""}, {"LISTEN_PID": ""}])
def test_what_was_meant_for_somebody_else_is_not_taken(changes: dict[str, str]) -> None:
    assert handed_over(told(**changes)) is None


def test_more_than_one_socket_is_wrong_use() -> None:
    with pytest.raises(UsageError, match="LISTEN_FDS=2: expected one socket"):
        handed_over(told(LISTEN_FDS="2"))


def test_something_else_than_a_listening_socket_is_wrong_use(monkeypatch: pytest.MonkeyPatch) -> None:
    with Path(os.devnull).open() as file:
        monkeypatch.setattr(listening, "FIRST_FD", file.fileno())
        with pytest.raises(UsageError, match="socket operation on non-socket"):
            handed_over(told())
    one, other = socket.socketpair()
    monkeypatch.setattr(listening, "FIRST_FD", one.fileno())
    with other, pytest.raises(UsageError, match="is no TCP socket that listens"):
        handed_over(told())
    one.detach()


def test_an_address_in_use_is_named() -> None:
    with listen("127.0.0.1", 0) as first, pytest.raises(CannotWriteError, match="address already in use"):
        listen("127.0.0.1", first.getsockname()[1])


def start(held: socket.socket, data: Path, environment: dict[str, str]) -> subprocess.Popen[bytes]:
    held.set_inheritable(True)
    options = ["--data", str(data), "serve", "--admin", "127.0.0.1:0"]
    command = [PROGRAM[0], "-c", HAND_OVER, str(held.fileno()), *PROGRAM[1:], *options]
    return subprocess.Popen(
        command, env=environment, cwd=ROOT, pass_fds=(held.fileno(),), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )


def test_clients_wait_in_a_handed_over_socket_while_nothing_runs(tmp_path: Path, upstream: Upstream) -> None:
    environment = environment_of(upstream.url, COMPACTION_GATE_RELAY_DRAIN_S="1")
    with socket.create_server(("127.0.0.1", 0), backlog=16) as held:
        url = url_of(held)
        early = socket.create_connection(held.getsockname())
        early.sendall(b"GET /nobody-runs HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        for _ in range(2):  # the second time is what a restart of the unit does
            process = start(held, tmp_path / "data", environment)
            assert ask(url, body=a_message())[0] == 200
            running = read_running(tmp_path / "data" / "running.json")
            assert running is not None
            assert running.relay_url == url
            process.send_signal(signal.SIGTERM)
            assert process.wait(60) == 0
            assert process.stderr is not None
            process.stderr.close()
        assert early.recv(100).startswith(b"HTTP/1.1 ")
        early.close()


def test_a_handed_over_socket_that_strangers_reach_needs_a_token(tmp_path: Path, upstream: Upstream) -> None:
    with socket.create_server(("0.0.0.0", 0)) as held:
        process = start(held, tmp_path / "data", environment_of(upstream.url))
        _, said = process.communicate(timeout=60)
    assert process.returncode == 78
    assert b'settings: relay.listen = "0.0.0.0:' in said
    assert b"(from LISTEN_FDS): 0.0.0.0:" in said
    until(lambda: not (tmp_path / "data" / "running.json").exists())
