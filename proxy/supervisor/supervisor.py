"""Starts relay and observer on one data folder, keeps them running, and lets them end in order."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import socket
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from proxy.journal.reader import reader_of
from proxy.model.errors import CannotWriteError, GateError
from proxy.supervisor.children import Child, ChildStartError, first_line, identity_of
from proxy.supervisor.running import Running, read_running
from proxy.wiring.folder import DataFolder, write_private
from proxy.wiring.spec import RelaySpec

LOG = logging.getLogger("supervisor")
FIRST_WAIT_S, LONGEST_WAIT_S = 0.5, 30.0
STEADY_S = 60.0
"""A process that ran for so long starts anew with the first wait."""
DRAIN_MARGIN_S = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What is to run."""

    by: str
    """`serve` or `wrap`."""
    relay: RelaySpec
    observer: str
    """The observer's spec, as its file."""
    log: Path | None = None
    """Where the children's log lines go; None = our stderr."""
    grace_s: float = 10.0
    """How long the observer may go on reading what the relay has left, when everything ends."""


class Supervisor:
    """One data folder's processes. Needs the folder's lock, which its caller holds."""

    def __init__(self, folder: DataFolder, plan: Plan, *, clock_us: Callable[[], int] | None = None) -> None:
        self._folder = folder
        self._plan = plan
        self._now_us = clock_us or (lambda: time.time_ns() // 1_000)
        self._since_us = self._now_us()
        self._socket: socket.socket | None = None
        self._children: dict[str, Child] = {}
        self._tasks: list[asyncio.Task[None]] = []
        self._admin_url = ""
        self.relay_url = ""
        self.restarts: Counter[str] = Counter()
        self._has_noted = False
        self.is_ending = False

    async def start(self, admin_url: str = "") -> None:
        """Adopt what an earlier supervisor left, or start it.

        Raises:
            CannotWriteError: the port cannot be used, or a relay with other settings runs on this folder.
            ChildStartError: a process ended before it was ready.
        """
        self._admin_url = admin_url
        if not self.adopt():
            self._socket = _listen(self._plan.relay.host, self._plan.relay.port)
            await self._start_relay()
        if "observer" not in self._children:
            await self._end_stray_observer()
            self._start_observer()
        self._note()
        self._tasks = [asyncio.create_task(self._keep(name)) for name in ("relay", "observer")]

    def is_up(self, name: str) -> bool:
        """Whether that process runs now."""
        child = self._children.get(name)
        return child is not None and child.identity.is_alive()

    async def stop(self) -> None:
        """Refuse new connections, let the relay drain, let the observer read the rest, end both."""
        self.is_ending = True
        await self._stop_keeping()
        if self._socket is not None:
            self._socket.close()
        await self._end("relay", signal.SIGTERM, self._plan.relay.drain_s + DRAIN_MARGIN_S)
        await self._end("observer", signal.SIGUSR1, self._plan.grace_s)
        if self._has_noted:  # else it is what an earlier supervisor wrote, and still true
            self._folder.running.unlink(missing_ok=True)

    def cut(self) -> None:
        """Do not wait for the drain: streams that still run are cut, and recorded as cut."""
        if "relay" in self._children:
            self._children["relay"].send(signal.SIGKILL)

    async def leave(self) -> None:
        """Go without ending anything: somebody else uses the relay."""
        await self._stop_keeping()
        if self._socket is not None:
            self._socket.close()

    async def _stop_keeping(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def adopt(self) -> bool:
        """Take over what an earlier supervisor left running; False when there is nothing.

        Raises:
            CannotWriteError: its relay was told something else.
        """
        found = read_running(self._folder.running)
        if found is None or not found.relay.is_alive():
            return False
        if found.relay_spec != self._plan.relay.digest():
            raise CannotWriteError(
                f"data folder {self._folder.path}: a relay that an earlier `{found.by}` started still runs with other "
                f"settings ({found.relay_url}); end it with `kill {found.relay.pid}` (it drains), then start again"
            )
        self._children["relay"] = Child("relay", found.relay, None)
        self.relay_url = found.relay_url
        if found.observer is not None and found.observer.is_alive():
            self._children["observer"] = Child("observer", found.observer, None)
        LOG.info("relay %s of an earlier supervisor taken over at %s", found.relay.pid, found.relay_url)
        return True

    async def _end_stray_observer(self) -> None:
        """End an observer that a supervisor left which died before it could note it: the journal has one reader."""
        pid = reader_of(self._folder.journal)
        identity = identity_of(pid) if pid else None
        if identity is None:
            return
        LOG.info("observer %s of an earlier supervisor is told to end", pid)
        self._children["observer"] = Child("observer", identity, None)
        await self._end("observer", signal.SIGTERM, self._plan.grace_s)
        self._children.pop("observer").close()

    async def _start_relay(self) -> None:
        assert self._socket is not None
        spec = replace(self._plan.relay, listen_fd=self._socket.fileno())
        write_private(self._folder.spec("relay"), spec.encode())
        reading, writing = os.pipe()
        try:
            child = Child.start(
                "relay",
                self._folder.spec("relay"),
                pass_fds=(self._socket.fileno(), writing),
                extra=("--ready-fd", str(writing)),
                log=self._plan.log,
            )
        finally:
            os.close(writing)
        self._children["relay"] = child
        self.relay_url = _url_of(self._socket)
        self._note()  # before it is ready: a supervisor that dies now must not leave a relay nobody knows of
        try:
            await first_line(reading, child)
        except ChildStartError:
            del self._children["relay"]
            raise
        LOG.info("relay %s listens at %s", child.identity.pid, self.relay_url)

    def _start_observer(self) -> None:
        write_private(self._folder.spec("observer"), self._plan.observer)
        child = Child.start("observer", self._folder.spec("observer"), log=self._plan.log)
        self._children["observer"] = child
        LOG.info("observer %s reads the journal", child.identity.pid)

    async def _keep(self, name: str) -> None:
        """Start a process again whenever it ends, waiting longer each time."""
        wait_s = FIRST_WAIT_S
        while True:
            began = time.monotonic()
            if child := self._children.get(name):
                code = await child.ended()
                del self._children[name]
                child.close()
                LOG.warning("%s %s ended with %s", name, child.identity.pid, "no code" if code is None else code)
            wait_s = FIRST_WAIT_S if time.monotonic() - began > STEADY_S else wait_s
            await asyncio.sleep(wait_s)
            wait_s = min(2 * wait_s, LONGEST_WAIT_S)
            try:
                await self._start_again(name)
                self.restarts[name] += 1
            except (GateError, OSError) as error:
                LOG.warning("%s cannot be started: %s", name, error)

    async def _start_again(self, name: str) -> None:
        if name == "relay":
            if self._socket is None:  # the adopted relay held the only one
                self._socket = _listen(self._plan.relay.host, self._plan.relay.port)
            await self._start_relay()
        else:
            self._start_observer()
        self._note()

    def _note(self) -> None:
        if "relay" not in self._children:
            return  # its own start will note both
        self._has_noted = True
        supervisor = identity_of(os.getpid())
        assert supervisor is not None
        Running(
            by=self._plan.by,
            since_us=self._since_us,
            supervisor=supervisor,
            relay=self._children["relay"].identity,
            relay_url=self.relay_url,
            relay_spec=self._plan.relay.digest(),
            observer=self._children["observer"].identity if "observer" in self._children else None,
            admin_url=self._admin_url,
        ).write(self._folder.running)

    async def _end(self, name: str, number: signal.Signals, patience_s: float) -> None:
        child = self._children.get(name)
        if child is None or not child.identity.is_alive():
            return
        child.send(number)
        try:
            async with asyncio.timeout(patience_s):
                await child.ended()
        except TimeoutError:
            LOG.warning("%s did not end in %.0f s and is killed", name, patience_s)
            child.send(signal.SIGKILL)
            await child.ended()


def _url_of(listening: socket.socket) -> str:
    host, port = listening.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=1024)
    except OSError as error:
        reason = (error.strerror or type(error).__name__).lower()
        raise CannotWriteError(f"{host}:{port}: cannot listen: {reason}") from None
