"""The product as a user runs it, `serve` on a data folder of its own, and `kill -9` for each of its processes."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import sys
import time
from enum import StrEnum
from pathlib import Path

from proxy.supervisor.running import Running, read_running

ROOT = Path(__file__).resolve().parents[2]
START_S = 30.0
PATIENCE_S = 2.5
"""After so long without a relay the supervisor's pause is cut short by killing it too."""
END_S = 30.0


class Victim(StrEnum):
    """A process to be killed."""

    RELAY = "relay"
    OBSERVER = "observer"
    SUPERVISOR = "supervisor"


class ServeFailedError(Exception):
    """`serve` ended before it was ready; its last line."""


class System:
    """One data folder and what runs on it."""

    def __init__(self, folder: Path, upstream_port: int) -> None:
        self.data = folder / "data"
        self.port = _free_port()
        self.log = folder / "serve.log"
        self.ended_by_itself = True
        self.faults: list[str] = []
        self.left_behind = 0
        """Processes that outlived the `serve` that was told to end."""
        self._config = folder / "gate.toml"
        self._serve: subprocess.Popen[bytes] | None = None
        self._config.write_text(
            f'[relay]\nlisten = "127.0.0.1:{self.port}"\ndefault_upstream = "scripted"\ndrain_s = 5\n'
            f'[admin]\nlisten = "127.0.0.1:0"\n[egress]\nproxy = "none"\n[capture]\nfree_disk_floor_gib = 0\n'
            f'[upstreams.scripted]\nurl = "http://127.0.0.1:{upstream_port}"\n[store]\ndata = "{self.data}"\n'
        )

    async def start(self) -> None:
        """Start `serve` and wait until it says that it is ready."""
        ready = self._config.with_name("ready")
        ready.unlink(missing_ok=True)
        self._serve = self._spawn("serve", "--ready-file", str(ready))
        until = time.monotonic() + START_S
        while not ready.exists():
            if self._serve.poll() is not None or time.monotonic() > until:
                raise ServeFailedError(self.log.read_text().splitlines()[-1])
            await asyncio.sleep(0.02)

    async def kill(self, victim: Victim) -> bool:
        """Kill it; a supervisor is started again. False when it was not running just now."""
        if victim is Victim.SUPERVISOR:
            assert self._serve is not None
            self._serve.kill()
            self._serve.wait()
            await self._start_again()
            return True
        running = self.running()
        identity = None if running is None else running.relay if victim is Victim.RELAY else running.observer
        if identity is None or not identity.is_alive():
            return False
        os.kill(identity.pid, signal.SIGKILL)
        return True

    async def _start_again(self) -> None:
        """A user starts `serve` again; when it refuses, ends what is left and tries once more."""
        try:
            await self.start()
        except ServeFailedError as fault:
            self.faults.append(f"serve did not start again after its supervisor was killed: {fault}")
            await asyncio.to_thread(self._kill_leftovers)
            await self.start()

    async def is_accepting(self) -> bool:
        """Wait a while for a relay that accepts."""
        until = time.monotonic() + PATIENCE_S
        while time.monotonic() < until:
            running = self.running()
            if running is not None and running.relay.is_alive():
                return True
            await asyncio.sleep(0.02)
        return False

    def running(self) -> Running | None:
        """What runs, as the supervisor has noted it."""
        return read_running(self.data / "running.json")

    async def stop(self) -> None:
        """End everything as a user does; what does not end is killed, and counted."""
        assert self._serve is not None
        self._serve.terminate()
        try:
            await asyncio.to_thread(self._serve.wait, END_S)
        except subprocess.TimeoutExpired:
            self.ended_by_itself = False
            self._serve.kill()
            self._serve.wait()
        self.left_behind = await asyncio.to_thread(self._kill_leftovers)

    async def observe_the_rest(self) -> str:
        """Read what is left in the journal; what it complained about, empty when it ended well."""
        command = self._command("observe", "--until-idle")
        done = await asyncio.to_thread(subprocess.run, command, cwd=ROOT, capture_output=True, timeout=600, check=False)
        return "" if done.returncode == 0 else done.stderr.decode()[-2000:]

    def _kill_leftovers(self) -> int:
        left = self._processes()
        for pid in left:
            os.kill(pid, signal.SIGKILL)
        while self._processes():
            time.sleep(0.02)
        return len(left)

    def _processes(self) -> list[int]:
        """Relays and observers that were told to use this data folder, whoever started them."""
        ours = str(self.data).encode()
        found = []
        for process in Path("/proc").glob("[0-9]*"):
            try:
                command = process.joinpath("cmdline").read_bytes()
            except OSError:
                continue
            if ours in command and b"--spec" in command and _is_running(process):
                found.append(int(process.name))
        return found

    def _spawn(self, *arguments: str) -> subprocess.Popen[bytes]:
        with self.log.open("ab") as log:
            return subprocess.Popen(
                self._command(*arguments),
                cwd=ROOT,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def _command(self, *arguments: str) -> list[str]:
        return [sys.executable, "-m", "gate", "--config", str(self._config), *arguments]


def _is_running(process: Path) -> bool:
    try:
        return process.joinpath("stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
