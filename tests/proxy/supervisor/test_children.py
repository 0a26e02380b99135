from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from proxy.supervisor.children import Child, ChildStartError, Identity, first_line, identity_of


def a_process(code: str = "import signal; signal.pause()") -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-S", "-c", code])


async def test_a_child_that_was_signalled_is_waited_for_with_its_code() -> None:
    process = a_process()
    identity = identity_of(process.pid)
    assert identity is not None
    assert identity.is_alive()
    child = Child("relay", identity, process)
    child.send(signal.SIGKILL)
    assert await child.ended() == -signal.SIGKILL
    assert not identity.is_alive()
    child.send(signal.SIGTERM)
    child.close()


async def test_a_process_of_an_earlier_supervisor_has_no_code() -> None:
    process = a_process("")
    identity = identity_of(process.pid)
    assert identity is not None
    child = Child("relay", identity, None)
    assert await child.ended() is None
    child.close()
    process.wait()


def test_the_same_number_is_another_process_when_it_started_at_another_time() -> None:
    own = identity_of(os.getpid())
    assert own is not None
    assert own.is_alive()
    assert not Identity(own.pid, own.started + 1).is_alive()
    assert identity_of(2**22 + 1) is None


async def test_a_child_that_ends_before_it_is_ready_is_told_with_the_last_line_of_its_log(tmp_path: Path) -> None:
    log = tmp_path / "log"
    child = Child.start("relay", tmp_path / "none.json", log=log)
    reading, writing = os.pipe()
    os.close(writing)
    with pytest.raises(ChildStartError) as caught:
        await first_line(reading, child)
    assert caught.value.exit_code == 65
    assert "the relay did not start: compaction-gate:" in str(caught.value)
    assert "none.json" in str(caught.value)
    child.close()


async def test_a_child_has_a_session_of_its_own_so_that_a_key_at_the_terminal_does_not_reach_it(tmp_path: Path) -> None:
    child = Child.start("relay", tmp_path / "none.json", log=tmp_path / "log")
    assert os.getsid(child.identity.pid) == child.identity.pid != os.getsid(0)
    async with asyncio.timeout(30):
        assert await child.ended() == 65
    child.close()
