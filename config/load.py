"""Layers to settings: the later layer wins, every value keeps its origin, and all that is wrong is said at once."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from config.errors import Problem, SettingsError
from config.keys import CONFIG_VARIABLE, OPEN_TABLES
from config.layers import Layer, Value, from_command_line, from_defaults, from_environment, from_file
from config.settings import Settings, contradictions


class Loaded(NamedTuple):
    """Settings, and where each value came from."""

    settings: Settings
    values: Mapping[str, Value]
    """Every key in the order of the file, as given, with its origin."""
    file: Path | None
    """The settings file that was read, if any."""


def user_file(environment: Mapping[str, str]) -> Path:
    """The settings file that is read when none is named.

    Never one of the current folder: a folder that somebody else filled could then send your keys to its own upstream.
    """
    base = environment.get("XDG_CONFIG_HOME") or "~/.config"
    return Path(base).expanduser() / "compaction-gate" / "compaction-gate.toml"


def load(
    file: Path | None = None,
    *,
    environment: Mapping[str, str] | None = None,
    options: Mapping[str, tuple[str, Any]] | None = None,
) -> Loaded:
    """Defaults < file < environment < command line.

    Args:
        file: the file named on the command line; without one `COMPACTION_GATE_CONFIG`, then `user_file`.
        environment: the process's own when None.
        options: dotted key to (option name, value) from the command line.

    Raises:
        SettingsError: with every problem of the first layer or of the whole that has any.
    """
    env = os.environ if environment is None else environment
    path = _settings_file(file, env)
    values: dict[str, Value] = dict(from_defaults())
    layers: tuple[Layer, ...] = (
        from_file(path) if path else {},
        from_environment(env),
        from_command_line(options or {}),
    )
    for layer in layers:
        values.update(layer)
    return Loaded(_checked(values), values, path)


def _settings_file(named: Path | None, environment: Mapping[str, str]) -> Path | None:
    if named is not None:
        return named
    if variable := environment.get(CONFIG_VARIABLE):
        return Path(variable)
    usual = user_file(environment)
    return usual if usual.is_file() else None


def _checked(values: Mapping[str, Value]) -> Settings:
    try:
        settings = Settings.model_validate(_nested(values))
    except ValidationError as error:
        raise SettingsError([_problem(entry, values) for entry in error.errors(include_url=False)]) from None
    problems = [
        Problem(key, value.raw, value.origin, wrong)
        for key, wrong in contradictions(settings)
        for value in [values[key]]
    ]
    if problems:
        raise SettingsError(problems)
    return settings


def _nested(values: Mapping[str, Value]) -> dict[str, Any]:
    tree: dict[str, Any] = {name: {} for name in OPEN_TABLES}
    for key, value in values.items():
        *above, last = key.split(".")
        node = tree
        for name in above:
            node = node.setdefault(name, {})
        node[last] = value.raw
    return tree


def _problem(entry: ErrorDetails, values: Mapping[str, Value]) -> Problem:
    """The pydantic error as key, value, origin. A list's element or an upstream's name is told by its key."""
    where = [str(part) for part in entry["loc"]]
    key = next((".".join(where[:end]) for end in range(len(where), 0, -1) if ".".join(where[:end]) in values), None)
    if key is None:
        name = ".".join(part for part in where if part != "[key]")
        key = next((known for known in values if known.startswith(f"{name}.")), name)
    value = values.get(key, Value(entry["input"], "nowhere"))
    wrong = entry["msg"].removeprefix("Value error, ").replace("Input should be", "expected")
    return Problem(key, value.raw, value.origin, wrong)
