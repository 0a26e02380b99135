"""An intercept door's process: spec to settings, journal and page, then the loop."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from proxy.intercept.door import run_intercept
from proxy.intercept.settings import InterceptSettings
from proxy.relay.server import Listening
from proxy.wiring.folder import DataFolder
from proxy.wiring.relay import relay_settings, run_door
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
    run_door(spec, settings.relay, lambda journal, page: run_intercept(settings, journal, page, ready=ready))
