"""A relay's process: spec to settings, journal and page, then the loop."""

from __future__ import annotations

import os
import ssl
import time
from collections.abc import Callable, Coroutine
from hashlib import sha256
from pathlib import Path
from typing import Any

import uvloop

from proxy.journal.limits import JournalLimits
from proxy.journal.writer import JournalWriter
from proxy.model.errors import InputError
from proxy.page.memory import Page
from proxy.page.table import DATA_FLOOR
from proxy.relay.counters import vocabulary
from proxy.relay.dial import client_tls
from proxy.relay.server import Listening, run_relay
from proxy.relay.settings import Egress, RelaySettings, Upstream
from proxy.wiring.folder import DataFolder
from proxy.wiring.spec import RelaySpec

LEAST_TOKEN = 16
"""Characters; a shorter token could be guessed."""


def relay_settings(spec: RelaySpec) -> RelaySettings:
    """What the relay itself is told.

    Raises:
        InputError: a file that the spec names is not what it should be.
    """
    return RelaySettings(
        host=spec.host,
        port=spec.port,
        listen_fd=spec.listen_fd,
        upstreams={name: Upstream.from_url(name, url) for name, url in spec.upstreams.items()},
        default_upstream=spec.default_upstream,
        token_sha256=token_digest(Path(spec.token_file)) if spec.token_file else "",
        run_tags=DataFolder(Path(spec.data)).run_tags,
        connect_timeout_s=spec.connect_timeout_s,
        drain_s=spec.drain_s,
        egress=_egress(spec.egress_proxy),
        ca_bundle=_bundle(Path(spec.ca_bundle)) if spec.ca_bundle else None,
    )


def _bundle(path: Path) -> Path:
    try:
        client_tls(path)
    except (OSError, ssl.SSLError) as error:
        reason = error.reason if isinstance(error, ssl.SSLError) else error.strerror
        found = (reason or type(error).__name__).replace("_", " ").lower()
        raise InputError(str(path), "", found, "a PEM file of certificates") from None
    return path


def token_digest(path: Path) -> str:
    """Digest of the token that a file holds; the token itself goes nowhere.

    Raises:
        InputError: no such file, or no token in it.
    """
    return sha256(read_token(path).encode()).hexdigest()


def read_token(path: Path) -> str:
    """The token that a file holds.

    Raises:
        InputError: no such file, or no token in it.
    """
    expected = f"one line with a token of at least {LEAST_TOKEN} characters"
    try:
        token = path.read_text("ascii").strip()
    except (OSError, UnicodeDecodeError) as error:
        found = error.strerror if isinstance(error, OSError) and error.strerror else "something else than ASCII"
        raise InputError(str(path), "", found.lower(), expected) from None
    if len(token) < LEAST_TOKEN or len(token.split()) != 1:
        raise InputError(str(path), "", "less or more", expected)
    return token


def _egress(proxy: str) -> Egress:
    try:
        match proxy:
            case "env":
                return Egress.from_environment(os.environ)
            case "none":
                return Egress()
            case _:
                return Egress.through(proxy)
    except ValueError as error:
        source = "HTTPS_PROXY" if proxy == "env" else "egress.proxy"
        raise InputError(source, "", "something else", str(error)) from None


def serve_relay(spec: RelaySpec, ready: Callable[[Listening], None]) -> None:
    """Relay until SIGTERM, then drain.

    Raises:
        CannotWriteError: port, journal or page cannot be used.
    """
    settings = relay_settings(spec)
    run_door(spec, settings, lambda journal, page: run_relay(settings, journal, page, ready=ready))


def run_door(
    spec: RelaySpec, settings: RelaySettings, run: Callable[[JournalWriter, Page], Coroutine[Any, Any, None]]
) -> None:
    """Run a live door's loop with a journal and a page of its own.

    Raises:
        CannotWriteError: journal or page cannot be used.
    """
    folder = DataFolder(Path(spec.data))
    limits = JournalLimits(body_cap_bytes=spec.body_cap_bytes, free_floor_bytes=spec.free_floor_bytes)
    page = Page(folder.page, vocabulary(settings.upstreams))
    try:
        page.set(page.slot(DATA_FLOOR), spec.free_floor_bytes)
        journal = JournalWriter(folder.journal, settings=limits, clock=time)
        try:
            uvloop.run(run(journal, page))
        finally:
            journal.close()
    finally:
        page.close()
