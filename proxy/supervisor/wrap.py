"""`wrap` from start to end: a live door (its own, or the one that serves already), one child, one clean end.

Several wraps on one data folder share the door of the first; who leaves last ends it.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import os
import shutil
import signal
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from config.settings import Settings
from proxy.model.errors import UnreachableError, UsageError
from proxy.observer.tally import observer_snapshot
from proxy.supervisor.running import Running, read_running
from proxy.supervisor.supervisor import Plan, Supervisor
from proxy.supervisor.ways.base_url import BASE_URL
from proxy.supervisor.ways.proxied import Certificates
from proxy.supervisor.ways.wish import Way, Wish
from proxy.wiring.folder import DataFolder, Lock, take_lock
from proxy.wiring.inputs import check_inputs
from proxy.wiring.settings import data_folder, export_spec
from proxy.wiring.spec import RelaySpec, read_relay_spec

DIGEST = 32
"""Hex digits of a tag's SHA-256 by which the relay and the store know it."""
PATIENCE_S = 5.0
GRACE_S = 60.0
"""How long the observer may read on: its figures are what the user waits for."""
FORWARDED = (signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2)
FROM_THE_TERMINAL = (signal.SIGINT, signal.SIGQUIT)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wrapped:
    """How it went."""

    status: int
    """The child's own, 128 + n when signal n ended it."""
    run: str
    """Digest by which the store knows the run's sessions."""
    way: Way


async def wrap(
    settings: Settings,
    command: Sequence[str],
    *,
    environment: Mapping[str, str],
    before: Callable[[Way], None],
    certificates: Callable[[DataFolder], Certificates] | None = None,
) -> Wrapped:
    """Run a command whose requests go through a live door.

    Args:
        settings: Whose data folder and upstreams.
        command: The child's program and arguments.
        environment: What the child would have without us.
        before: Called when everything is ready and the child has not been started.
        certificates: Makes what the child must trust when the door intercepts; None: the door is a relay.

    Raises:
        UsageError: there is no such command, or what runs on the data folder is not what it needs.
        CannotWriteError: the data folder cannot be used.
    """
    if shutil.which(command[0], path=environment.get("PATH")) is None:
        raise UsageError(f"{command[0]}: no such command")
    folder = data_folder(settings)
    folder.prepare()
    settings = _with_the_users_upstream(settings, environment)
    check_inputs(settings)
    trusted = certificates(folder) if certificates else None
    wish = Wish(settings=settings, folder=folder, environment=environment, certificates=trusted)
    async with _door(wish) as way:
        digest = hashlib.sha256(way.tag.encode()).hexdigest()[:DIGEST]
        _register(folder, digest)
        before(way)
        given = way.command(command, environment, Path.home())
        status = await _run(given, {**environment, **way.variables(environment)})
    return Wrapped(status=status, run=digest, way=way)


def _with_the_users_upstream(settings: Settings, environment: Mapping[str, str]) -> Settings:
    """A base URL that the user has set is where the key belongs: it becomes the default upstream."""
    url = environment.get(BASE_URL, "").rstrip("/")
    if not url or url in {upstream.url for upstream in settings.upstreams.values()}:
        return settings
    default = settings.relay.default_upstream or "anthropic"
    upstreams = {**settings.upstreams, default: settings.upstreams["anthropic"].model_copy(update={"url": url})}
    relay = settings.relay.model_copy(update={"default_upstream": default})
    return settings.model_copy(update={"upstreams": upstreams, "relay": relay})


@contextlib.asynccontextmanager
async def _door(wish: Wish) -> AsyncIterator[Way]:
    folder = wish.folder
    users = await _join(folder)
    try:
        if lock := folder.take():
            try:
                async with _own(wish, users) as spec_and_url:
                    yield wish.way(*spec_and_url)
            finally:
                lock.close()
        else:
            running = await _of_another(folder)
            wish.require(running)
            yield wish.way(read_relay_spec(folder.spec(running.door)), running.relay_url)
            await _caught_up(folder)
            if running.by == "wrap" and users.take_alone():
                await _end_what_is_left(wish)
    finally:
        users.close()


async def _join(folder: DataFolder) -> Lock:
    """Count as a user of the door; waits for one that is just being ended."""
    while (users := take_lock(folder.users, shared=True)) is None:  # noqa: ASYNC110  another process has it
        await asyncio.sleep(0.1)
    return users


@contextlib.asynccontextmanager
async def _own(wish: Wish, users: Lock) -> AsyncIterator[tuple[RelaySpec, str]]:
    folder = wish.folder
    left = read_running(folder.running)
    left = left if left is not None and left.relay.is_alive() else None
    if left is not None:
        wish.require(left)
    spec = read_relay_spec(folder.spec(wish.door)) if left else wish.spec()
    by, log = left.by if left else "wrap", folder.path / "wrap.log"
    observer, export = wish.settings.model_dump_json(), export_spec(wish.settings)
    plan = Plan(by=by, relay=spec, observer=observer, export=export, log=log, grace_s=GRACE_S)
    supervisor = Supervisor(folder, plan)
    try:
        await supervisor.start()
        yield spec, supervisor.relay_url
    finally:
        if by == "wrap" and (users.take_alone() or await _nobody_is_left(users, folder)):
            await supervisor.stop()
        else:
            await supervisor.leave()


async def _nobody_is_left(users: Lock, folder: DataFolder) -> bool:
    """Others use the door: what our child did is read before it is left to them, unless they have gone by then."""
    await _caught_up(folder)
    return users.take_alone()


async def _of_another(folder: DataFolder) -> Running:
    """The door of a `serve` or `wrap` that has the folder; it may be just starting."""
    ends = time.monotonic() + PATIENCE_S
    while time.monotonic() < ends:
        running = read_running(folder.running)
        if running is not None and running.relay.is_alive():
            return running
        await asyncio.sleep(0.1)
    raise UnreachableError(f"data folder {folder.path}: in use, but no relay answers; see compaction-gate status")


async def _end_what_is_left(wish: Wish) -> None:
    """The wrap that started the door has left before us."""
    folder = wish.folder
    if lock := folder.take():
        spec = read_relay_spec(folder.spec(wish.door))
        supervisor = Supervisor(folder, Plan(by="wrap", relay=spec, observer=wish.settings.model_dump_json()))
        if supervisor.adopt():
            await supervisor.stop()
        lock.close()


def _register(folder: DataFolder, digest: str) -> None:
    """Let the door know the run, by the tag's digest alone."""
    with os.fdopen(os.open(folder.run_tags, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "w") as out:
        out.write(f"{digest}\n")


async def _run(command: Sequence[str], environment: Mapping[str, str]) -> int:
    try:
        child = await asyncio.create_subprocess_exec(*command, env=dict(environment))
    except OSError as error:  # nothing there, no right, no program at all, too many arguments
        raise UsageError(f"{command[0]}: {(error.strerror or 'cannot be run').lower()}") from None
    with _forwarding(child, [*FORWARDED, *FROM_THE_TERMINAL]):
        code = await child.wait()
    return 128 - code if code < 0 else code


@contextlib.contextmanager
def _forwarding(child: asyncio.subprocess.Process, numbers: Sequence[signal.Signals]) -> Iterator[None]:
    """Hand signals on. What a key at the terminal sends reaches the child without us: it is in our group."""
    loop = asyncio.get_running_loop()

    def forward(number: signal.Signals) -> None:
        if number in FROM_THE_TERMINAL and _has_the_terminal():
            return
        with contextlib.suppress(ProcessLookupError):
            child.send_signal(number)

    for number in numbers:
        loop.add_signal_handler(number, forward, number)
    try:
        yield
    finally:
        for number in numbers:
            loop.remove_signal_handler(number)


def _has_the_terminal() -> bool:
    for stream in (sys.__stdin__, sys.__stderr__):
        try:
            if stream is not None and os.tcgetpgrp(stream.fileno()) == os.getpgrp():
                return True
        except (OSError, ValueError):
            continue
    return False


async def _caught_up(folder: DataFolder) -> None:
    """Give a running observer a moment to read what the child has just done."""
    ended_us = time.time_ns() // 1_000
    ends = time.monotonic() + PATIENCE_S
    while time.monotonic() < ends:
        told = observer_snapshot(folder.observer)
        if told is not None and told["written_us"] > ended_us and told["behind_since_us"] is None:
            return
        await asyncio.sleep(0.1)
