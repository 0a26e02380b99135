"""Starts a live door and an observer on one data folder, keeps them running, and lets them end in order."""

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

from proxy.export.progress import begin_progress
from proxy.journal.reader import reader_of
from proxy.model.errors import CannotWriteError, GateError
from proxy.supervisor.children import Child, ChildStartError, first_line, identity_of
from proxy.supervisor.listening import listen, url_of
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
    """The live door's: a relay, or an intercept door."""
    observer: str
    """The observer's spec, as its file."""
    listener: socket.socket | None = None
    """The door's listening socket when it was handed over to us; None = we make one."""
    export: str = ""
    """The exporter's spec; empty = none runs."""
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
        self.door = plan.relay.process
        """Name of the live door's process."""
        self._socket = plan.listener
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
            await self._start_door()
        if "observer" not in self._children:
            await self._end_stray_observer()
            self._start_follower("observer")
        if self._plan.export:
            begin_progress(self._folder.export, self._since_us)
            self._start_follower("export")
        self._note()
        self._tasks = [asyncio.create_task(self._keep(name)) for name in self.names]

    @property
    def names(self) -> tuple[str, ...]:
        """The processes that are kept running."""
        return (self.door, "observer", "export") if self._plan.export else (self.door, "observer")

    def is_up(self, name: str) -> bool:
        """Whether that process runs now."""
        child = self._children.get(name)
        return child is not None and child.identity.is_alive()

    async def stop(self) -> None:
        """Refuse new connections, let the door drain, let the observer read the rest, end both."""
        self.is_ending = True
        await self._stop_keeping()
        if self._socket is not None:
            self._socket.close()
        await self._end(self.door, signal.SIGTERM, self._plan.relay.drain_s + DRAIN_MARGIN_S)
        await self._end("observer", signal.SIGUSR1, self._plan.grace_s)
        await self._end("export", signal.SIGTERM, self._plan.grace_s)
        if self._has_noted:  # else it is what an earlier supervisor wrote, and still true
            self._folder.running.unlink(missing_ok=True)

    def cut(self) -> None:
        """Do not wait for the drain: streams that still run are cut, and recorded as cut."""
        if self.door in self._children:
            self._children[self.door].send(signal.SIGKILL)

    async def leave(self) -> None:
        """Go without ending anything: somebody else uses the door."""
        await self._stop_keeping()
        await self._end("export", signal.SIGTERM, self._plan.grace_s)
        if self._socket is not None:
            self._socket.close()

    async def _stop_keeping(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def adopt(self) -> bool:
        """Take over what an earlier supervisor left running; False when there is nothing.

        Raises:
            CannotWriteError: its door was told something else.
        """
        found = read_running(self._folder.running)
        if found is None or not found.relay.is_alive():
            return False
        if found.relay_spec != self._plan.relay.digest():
            raise CannotWriteError(
                f"data folder {self._folder.path}: what an earlier `{found.by}` started still runs with other "
                f"settings ({found.relay_url}); end it with `kill {found.relay.pid}` (it drains), then start again"
            )
        self._children[self.door] = Child(self.door, found.relay, None)
        self.relay_url = found.relay_url
        if found.observer is not None and found.observer.is_alive():
            self._children["observer"] = Child("observer", found.observer, None)
        told = {"process": self.door, "pid": found.relay.pid, "url": found.relay_url}
        LOG.info("%(process)s %(pid)s of an earlier supervisor taken over at %(url)s", told)
        return True

    async def _end_stray_observer(self) -> None:
        """End an observer that a supervisor left which died before it could note it: the journal has one reader."""
        pid = reader_of(self._folder.journal)
        identity = identity_of(pid) if pid else None
        if identity is None:
            return
        LOG.info("observer %(pid)s of an earlier supervisor is told to end", {"pid": pid})
        self._children["observer"] = Child("observer", identity, None)
        await self._end("observer", signal.SIGTERM, self._plan.grace_s)
        self._children.pop("observer").close()

    async def _start_door(self) -> None:
        if self._socket is None:  # the first start, or the adopted door held the only one
            self._socket = listen(self._plan.relay.host, self._plan.relay.port)
        spec, file = replace(self._plan.relay, listen_fd=self._socket.fileno()), self._folder.spec(self.door)
        write_private(file, spec.encode())
        reading, writing = os.pipe()
        fds, extra = (self._socket.fileno(), writing), ("--ready-fd", str(writing))
        try:
            child = Child.start(self.door, file, pass_fds=fds, extra=extra, log=self._plan.log)
        finally:
            os.close(writing)
        self._children[self.door] = child
        self.relay_url = url_of(self._socket)
        self._note()  # before it is ready: a supervisor that dies now must not leave a door nobody knows of
        try:
            await first_line(reading, child)
        except ChildStartError:
            del self._children[self.door]
            raise
        told = {"process": self.door, "pid": child.identity.pid, "url": self.relay_url}
        LOG.info("%(process)s %(pid)s listens at %(url)s", told)

    def _start_follower(self, name: str) -> None:
        """Start a process that only reads what others wrote: the observer the journal, the exporter the store."""
        write_private(self._folder.spec(name), {"observer": self._plan.observer, "export": self._plan.export}[name])
        child = Child.start(name, self._folder.spec(name), log=self._plan.log)
        self._children[name] = child
        LOG.info("%(process)s %(pid)s has started", {"process": name, "pid": child.identity.pid})

    async def _keep(self, name: str) -> None:
        """Start a process again whenever it ends, waiting longer each time."""
        wait_s = FIRST_WAIT_S
        while True:
            began = time.monotonic()
            if child := self._children.get(name):
                code = await child.ended()
                del self._children[name]
                child.close()
                told = {"process": name, "pid": child.identity.pid, "code": "no code" if code is None else code}
                LOG.warning("%(process)s %(pid)s ended with %(code)s", told)
            wait_s = FIRST_WAIT_S if time.monotonic() - began > STEADY_S else wait_s
            await asyncio.sleep(wait_s)
            wait_s = min(2 * wait_s, LONGEST_WAIT_S)
            try:
                await self._start_again(name)
                self.restarts[name] += 1
            except (GateError, OSError) as error:
                LOG.warning("%(process)s cannot be started: %(reason)s", {"process": name, "reason": error})

    async def _start_again(self, name: str) -> None:
        if name == self.door:
            await self._start_door()
        else:
            self._start_follower(name)
        self._note()

    def _note(self) -> None:
        if self.door not in self._children:
            return  # its own start will note both
        self._has_noted = True
        supervisor = identity_of(os.getpid())
        assert supervisor is not None
        Running(
            by=self._plan.by,
            since_us=self._since_us,
            supervisor=supervisor,
            door=self.door,
            relay=self._children[self.door].identity,
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
            told = {"process": name, "seconds": patience_s}
            LOG.warning("%(process)s did not end in %(seconds).0f s and is killed", told)
            child.send(signal.SIGKILL)
            await child.ended()
