"""The life of a relay process: listening, handing over, draining."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from proxy.model.errors import CannotWriteError
from proxy.model.exchange import Outcome
from proxy.relay.server import listen
from proxy.relay.settings import RelaySettings
from tests.support.relay import Listener, Peer, Running, relay, until

POST = b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nhi"
OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"


def refuses_connections(running: Running) -> bool:
    try:
        socket.create_connection(("127.0.0.1", running.listening.port)).close()
    except ConnectionRefusedError:
        return True
    return False


def test_a_drain_lets_streams_end_and_takes_nobody_new(tmp_path: Path, upstream: Listener) -> None:
    with relay(tmp_path, upstream.port, drain_s=30) as running:
        client = running.connect()
        client.send(POST)
        provider = upstream.accept()
        provider.message()
        idle = running.connect()
        until(lambda: running.value("compaction_relay_connections") == 2)
        running.stop()
        assert idle.rest() == b""
        idle.close()
        until(lambda: refuses_connections(running))
        provider.send(OK)
        assert client.rest() == OK.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n")
        client.close()
        running.thread.join(10)
        assert not running.thread.is_alive()


def test_what_outlives_the_drain_is_cut_and_seen_as_cut(tmp_path: Path, upstream: Listener) -> None:
    with relay(tmp_path, upstream.port, drain_s=0.1) as running:
        client = running.connect()
        client.send(POST)
        provider = upstream.accept()
        provider.message()
        provider.send(b"HTTP/1.1 200 OK\r\n\r\nhalf")
        client.until(b"half")
        running.stop()
        with pytest.raises(ConnectionResetError):
            client.rest()
        assert provider.is_ended()
        assert running.journalled()[0].outcome is Outcome.SHUTDOWN
        assert running.value("compaction_relay_shutdown_cut_total") == 1


def test_a_listening_socket_can_be_inherited(tmp_path: Path, upstream: Listener) -> None:
    inherited = socket.create_server(("127.0.0.1", 0))
    with relay(tmp_path, upstream.port, listen_fd=os.dup(inherited.fileno())) as running:
        assert running.listening.port == inherited.getsockname()[1]
        client = running.connect()
        client.send(POST)
        provider = upstream.accept()
        provider.message()
        provider.send(OK)
        assert client.message() == OK
    inherited.close()


def test_a_taken_port_is_told_by_its_address(upstream: Listener) -> None:
    with pytest.raises(CannotWriteError, match=rf"127\.0\.0\.1:{upstream.port}: cannot listen: Address already in use"):
        listen(RelaySettings(port=upstream.port, upstreams={}))


PROCESS = """
import sys, time, uvloop
from pathlib import Path
from proxy.journal.limits import JournalLimits
from proxy.journal.writer import JournalWriter
from proxy.page.memory import Page
from proxy.relay.counters import vocabulary
from proxy.relay.server import run_relay
from proxy.relay.settings import RelaySettings, Upstream
folder = Path(sys.argv[1])
settings = RelaySettings(upstreams={"a": Upstream.from_url("a", sys.argv[2])}, default_upstream="a")
journal = JournalWriter(folder / "journal", settings=JournalLimits(free_floor_bytes=0), clock=time)
page = Page(folder / "page", vocabulary(settings.upstreams))
uvloop.run(run_relay(settings, journal, page, ready=lambda it: print(it.port, flush=True)))
"""


def test_sigterm_drains_a_process_and_ends_it_with_0(tmp_path: Path, upstream: Listener) -> None:
    command = [sys.executable, "-c", PROCESS, str(tmp_path), f"http://127.0.0.1:{upstream.port}"]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        client = Peer(socket.create_connection(("127.0.0.1", int(process.stdout.readline()))))
        client.send(POST)
        provider = upstream.accept()
        provider.message()
        process.send_signal(signal.SIGTERM)
        provider.send(OK)
        assert client.rest().endswith(b"ok")
        client.close()
        assert process.wait(10) == 0
