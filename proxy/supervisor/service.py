"""`serve` from start to end: lock, admin listener, processes, signals, drain."""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
import os
import signal
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from config.errors import Problem, SettingsError
from config.settings import Endpoint, Settings, contradictions
from proxy.metrics.readings import Readings
from proxy.model.errors import CannotWriteError, GateError
from proxy.page.memory import PageReader, Sample
from proxy.page.table import JOURNAL_OFF
from proxy.supervisor.admin import Admin
from proxy.supervisor.listening import handed_over
from proxy.supervisor.running import read_running
from proxy.supervisor.scrape import Scrape, Sources
from proxy.supervisor.supervisor import Plan, Supervisor
from proxy.wiring.folder import DataFolder, write_private
from proxy.wiring.inputs import check_inputs
from proxy.wiring.relay import read_token
from proxy.wiring.settings import data_folder, export_spec, loop_limits, relay_spec

LOG = logging.getLogger("supervisor")


class Serving(NamedTuple):
    """Where a service can be reached."""

    relay_url: str
    admin_url: str
    data: Path


async def serve(
    settings: Settings,
    *,
    version: str,
    announce: Callable[[Serving], None],
    ready_file: Path | None = None,
    intercept: str = "",
) -> None:
    """Run a live door and an observer until SIGTERM or SIGINT, then drain; a second signal cuts what still streams.

    Args:
        settings: Whose data folder, upstreams and listeners.
        version: What is installed.
        announce: Called when everything listens.
        ready_file: Where the addresses are written then.
        intercept: Mode of the intercept door; empty: the door is a relay.

    Raises:
        CannotWriteError: folder or port cannot be used, or another `serve` uses the folder.
        ChildStartError: a process ended before it was ready.
        UsageError: a socket was handed over that cannot be used.
        SettingsError: the socket that was handed over can be reached from elsewhere, and there is no token.
    """
    plan = _plan(settings, intercept)
    folder = data_folder(settings)
    folder.prepare()
    lock = folder.take()
    if lock is None:
        raise CannotWriteError(f"data folder {folder.path}: {_who(folder)} uses it; give this one another --data")
    try:
        check_inputs(settings)
        await _serve(settings, folder, plan, version=version, announce=announce, ready_file=ready_file)
    finally:
        lock.close()


def _who(folder: DataFolder) -> str:
    running = read_running(folder.running)
    return f"another {running.by} (pid {running.supervisor.pid})" if running else "another serve or wrap"


def _plan(settings: Settings, intercept: str) -> Plan:
    """What is to run, in the socket that was handed over to us if there is one."""
    spec = replace(relay_spec(settings), intercept=intercept)
    listener = handed_over(os.environ)
    if listener is not None:
        host, port = listener.getsockname()[:2]
        spec = replace(spec, host=host, port=port)
        _refuse_strangers(settings, Endpoint(host, port))
    by, observer, export = "intercept" if intercept else "serve", settings.model_dump_json(), export_spec(settings)
    return Plan(by=by, relay=spec, observer=observer, export=export, listener=listener)


def _refuse_strangers(settings: Settings, listen: Endpoint) -> None:
    """The rule of `relay.listen` holds for a socket that somebody else has bound, too."""
    there = settings.model_copy(update={"relay": settings.relay.model_copy(update={"listen": listen})})
    wrong = [Problem(key, str(listen), "LISTEN_FDS", why) for key, why in contradictions(there)]
    if wrong:
        raise SettingsError(wrong)


async def _serve(
    settings: Settings,
    folder: DataFolder,
    plan: Plan,
    *,
    version: str,
    announce: Callable[[Serving], None],
    ready_file: Path | None,
) -> None:
    supervisor = Supervisor(folder, plan)
    scrape = Scrape(_sources(settings, folder, version, supervisor))
    token = read_token(settings.admin.token_file) if settings.admin.token_file else ""
    admin = Admin(metrics=scrape.page, ready=lambda: readiness(supervisor, folder), token=token)
    stopping = _signals(supervisor)
    admin_url = await admin.start(settings.admin.listen.host, settings.admin.listen.port)
    try:
        await supervisor.start(admin_url)
        serving = Serving(supervisor.relay_url, admin_url, folder.path)
        if ready_file is not None:
            told = {"relay": serving.relay_url, "admin": admin_url, "data": str(folder.path), "pid": os.getpid()}
            write_private(ready_file, json.dumps(told))
        announce(serving)
        await stopping.wait()
        told = {"seconds": settings.relay.drain_s}
        LOG.info("ending: no new connections; streams have %(seconds).0f s", told)
    finally:
        await supervisor.stop()
        await admin.stop()
        await asyncio.to_thread(scrape.close)


def _signals(supervisor: Supervisor) -> asyncio.Event:
    """The first signal ends in order, the next one at once."""
    stopping = asyncio.Event()

    def on_signal() -> None:
        if stopping.is_set():
            supervisor.cut()
        stopping.set()

    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        asyncio.get_running_loop().add_signal_handler(number, on_signal)
    return stopping


def readiness(supervisor: Supervisor, folder: DataFolder) -> dict[str, bool]:
    """What must be true: the door accepts, and the journal can be written. A lagging observer is a metric."""
    is_accepting = supervisor.is_up(supervisor.door) and not supervisor.is_ending
    return {supervisor.door: is_accepting, "journal": is_accepting and _is_recording(folder)}


def _is_recording(folder: DataFolder) -> bool:
    try:
        values = PageReader(folder.page).read()
    except GateError:
        return False
    return any(isinstance(value, Sample) and value.metric is JOURNAL_OFF and not value.value for value in values)


def _sources(settings: Settings, folder: DataFolder, version: str, supervisor: Supervisor) -> Sources:
    def processes() -> Readings:
        return {
            "compaction_process_up": {(name,): int(supervisor.is_up(name)) for name in supervisor.names},
            "compaction_process_restarts_total": {(name,): supervisor.restarts[name] for name in supervisor.names},
        }

    return Sources(
        folder=folder,
        database=settings.store.database,
        loops=loop_limits(settings),
        environment=settings.environment,
        version=version,
        settings_digest=hashlib.sha256(settings.model_dump_json().encode()).hexdigest()[:8],
        labels=tuple(settings.labels),
        processes=processes,
        now_us=lambda: time.time_ns() // 1_000,
    )
