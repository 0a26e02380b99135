"""An exporter's process: settings to store, collector and follower, then the loop."""

from __future__ import annotations

import os
import signal
import time
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import urlsplit

from config.settings import Settings
from proxy.export.collector import Collector
from proxy.export.follower import Follower, Following
from proxy.observer.loop import now_us
from proxy.store import open_database
from proxy.wiring.folder import Lock, take_lock
from proxy.wiring.settings import data_folder, loop_limits
from proxy.wiring.version import product_version

LOCK_POLL_S = 0.5


def serve_export(settings: Settings) -> None:
    """Send spans until SIGTERM or SIGINT, or until the process that started this one is gone.

    Raises:
        GateError: the store or the data folder cannot be used.
    """
    folder = data_folder(settings)
    parent = os.getppid()
    resource = {
        "service.name": "compaction-gate",
        "service.version": product_version(),
        "deployment.environment.name": settings.environment,
    }
    lock = _lock_of(folder.export_lock, parent)
    if lock is None:
        return
    with ExitStack() as stack:
        stack.callback(lock.close)
        database = stack.enter_context(open_database(settings.store.database))
        collector = Collector(settings.export.otlp.endpoint, resource)
        hosts = {name: urlsplit(upstream.url).hostname or "" for name, upstream in settings.upstreams.items()}
        following = Following(
            progress=folder.export,
            hosts=hosts,
            contents=settings.export.otlp.contents,
            idle_us=loop_limits(settings).idle_us,
            now_us=now_us,
        )
        follower = Follower(database, collector, following)
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, follower.stop)
        follower.run(is_orphan=lambda: os.getppid() != parent)


def _lock_of(path: Path, parent: int) -> Lock | None:
    """One exporter at a time; that of a supervisor that died ends by itself. None = we are not needed any more."""
    while (lock := take_lock(path)) is None:
        if os.getppid() != parent:
            return None
        time.sleep(LOCK_POLL_S)
    return lock
