"""An intercept door's process: spec to settings, journal and page, then the loop."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import uvloop

from proxy.intercept.door import run_intercept
from proxy.intercept.settings import InterceptSettings
from proxy.journal.limits import JournalLimits
from proxy.journal.writer import JournalWriter
from proxy.page.memory import Page
from proxy.page.table import DATA_FLOOR
from proxy.relay.counters import vocabulary
from proxy.relay.server import Listening
from proxy.wiring.folder import DataFolder
from proxy.wiring.relay import relay_settings
from proxy.wiring.spec import RelaySpec


def intercept_settings(spec: RelaySpec) -> InterceptSettings:
    """What the door itself is told.

    Raises:
        InputError: a file that the spec names is not what it should be.
    """
    reverse = spec.intercept.removeprefix("reverse:") if spec.intercept.startswith("reverse:") else ""
    authority = DataFolder(Path(spec.data)).authority
    return InterceptSettings(relay=relay_settings(spec), reverse=reverse, authority=authority)


def serve_intercept(spec: RelaySpec, ready: Callable[[Listening], None]) -> None:
    """Intercept until SIGTERM, then drain.

    Raises:
        CannotWriteError: port, journal, page or authority cannot be used.
        InputError: the authority is not what it should be.
    """
    settings = intercept_settings(spec)
    folder = DataFolder(Path(spec.data))
    limits = JournalLimits(body_cap_bytes=spec.body_cap_bytes, free_floor_bytes=spec.free_floor_bytes)
    page = Page(folder.page, vocabulary(settings.relay.upstreams))
    try:
        page.set(page.slot(DATA_FLOOR), spec.free_floor_bytes)
        journal = JournalWriter(folder.journal, settings=limits, clock=time)
        try:
            uvloop.run(run_intercept(settings, journal, page, ready=ready))
        finally:
            journal.close()
    finally:
        page.close()
