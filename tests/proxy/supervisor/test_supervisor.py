from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from config.load import load
from proxy.model.errors import CannotWriteError
from proxy.supervisor.children import Identity, identity_of
from proxy.supervisor.running import Running, read_running
from proxy.supervisor.supervisor import Plan, Supervisor
from proxy.wiring.folder import DataFolder
from proxy.wiring.settings import relay_spec


@pytest.fixture
def folder(tmp_path: Path) -> DataFolder:
    return DataFolder(tmp_path)


@pytest.fixture
def left() -> Iterator[Identity]:
    """A process that an earlier supervisor might have left."""
    process = subprocess.Popen([sys.executable, "-S", "-c", "import signal; signal.pause()"])
    identity = identity_of(process.pid)
    assert identity is not None
    yield identity
    process.kill()
    process.wait()


def a_plan(folder: DataFolder, port: int = 0) -> Plan:
    settings = load(environment={"COMPACTION_GATE_STORE_DATA": str(folder.path)}).settings
    spec = replace(relay_spec(settings), host="127.0.0.1", port=port, drain_s=0)
    return Plan(by="serve", relay=spec, observer=settings.model_dump_json(), log=folder.path / "log")


def note(folder: DataFolder, relay: Identity, *, digest: str, observer: Identity | None = None) -> Running:
    own = identity_of(os.getpid())
    assert own is not None
    running = Running(
        by="serve",
        since_us=1,
        supervisor=own,
        relay=relay,
        relay_url="http://127.0.0.1:1",
        relay_spec=digest,
        observer=observer,
        admin_url="",
    )
    running.write(folder.running)
    return running


async def test_a_port_in_use_is_refused_and_nothing_is_started(folder: DataFolder) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        supervisor = Supervisor(folder, a_plan(folder, port))
        with pytest.raises(CannotWriteError, match=f"127.0.0.1:{port}: cannot listen: address already in use"):
            await supervisor.start()
    await supervisor.stop()
    assert not supervisor.is_up("relay")
    assert read_running(folder.running) is None


async def test_what_an_earlier_one_left_with_the_same_settings_is_taken_over_and_ended(
    folder: DataFolder, left: Identity
) -> None:
    plan = a_plan(folder)
    note(folder, left, digest=plan.relay.digest())
    supervisor = Supervisor(folder, plan)
    assert supervisor.adopt()
    assert supervisor.is_up("relay")
    assert supervisor.relay_url == "http://127.0.0.1:1"
    await supervisor.stop()
    assert not left.is_alive()


async def test_one_with_other_settings_is_refused_and_stays_noted(folder: DataFolder, left: Identity) -> None:
    running = note(folder, left, digest="other")
    supervisor = Supervisor(folder, a_plan(folder))
    with pytest.raises(CannotWriteError, match=rf"end it with `kill {left.pid}` \(it drains\)"):
        await supervisor.start()
    await supervisor.stop()
    assert left.is_alive()
    assert read_running(folder.running) == running


def test_one_that_has_died_is_nothing_to_take_over(folder: DataFolder, left: Identity) -> None:
    plan = a_plan(folder)
    note(folder, Identity(left.pid, left.started + 1), digest=plan.relay.digest())
    assert not Supervisor(folder, plan).adopt()


async def test_leaving_ends_nothing(folder: DataFolder, left: Identity) -> None:
    plan = a_plan(folder)
    note(folder, left, digest=plan.relay.digest(), observer=left)
    supervisor = Supervisor(folder, plan)
    await supervisor.start()
    await supervisor.leave()
    assert left.is_alive()
    assert read_running(folder.running) is not None


@pytest.fixture
def stubborn() -> Iterator[Identity]:
    """A process that does not mind SIGTERM."""
    code = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); print(1, flush=True); signal.pause()"
    process = subprocess.Popen([sys.executable, "-S", "-c", code], stdout=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.readline()
    identity = identity_of(process.pid)
    assert identity is not None
    yield identity
    process.kill()
    process.wait()
    process.stdout.close()


async def test_a_process_that_does_not_end_in_time_is_killed(folder: DataFolder, stubborn: Identity) -> None:
    plan = a_plan(folder)
    note(folder, stubborn, digest=plan.relay.digest())
    supervisor = Supervisor(folder, plan)
    assert supervisor.adopt()
    await supervisor._end("relay", signal.SIGTERM, 0.05)
    assert not stubborn.is_alive()
