"""The settings behind a command line. Commands that need none do not import this: pydantic takes its time."""

from __future__ import annotations

from typing import Any

from config.load import Loaded, load
from proxy.cli.invocation import Invocation


def read(invocation: Invocation, **options: tuple[str, Any]) -> Loaded:
    """Settings with their origins.

    Args:
        invocation: the global options.
        options: what the command's own options set: key with `__` for the dot, to (option, value); None leaves it.

    Raises:
        SettingsError: they cannot be used.
    """
    given = {"store__data": ("--data", invocation.data)} | options
    named = {key.replace("__", "."): said for key, said in given.items() if said[1] is not None}
    return load(invocation.config, options=named)
