"""Where values come from: the shipped defaults, a file, the environment, the command line.

Each becomes a flat table of dotted keys, so that a later layer replaces single values and every value keeps its origin.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple

from config.errors import Problem, SettingsError
from config.keys import (
    CONFIG_VARIABLE,
    KEYS,
    PREFIX,
    is_known,
    is_table,
    key_of_variable,
    nearest,
    nearest_variable,
)

DEFAULT = "default"


class Value(NamedTuple):
    """A value before its type was checked."""

    raw: Any
    origin: str


Layer = Mapping[str, Value]


def defaults_text() -> str:
    """The settings file with every default, as `config init` writes it."""
    return (resources.files("config") / "defaults" / "compaction-gate.toml").read_text("utf-8")


def from_defaults() -> Layer:
    """What holds when nobody says anything."""
    return _known(tomllib.loads(defaults_text()), DEFAULT)


def from_file(path: Path) -> Layer:
    """The user's file.

    Raises:
        SettingsError: it cannot be read, is not TOML, or holds an unknown key.
    """
    origin = str(path)
    try:
        table = tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise SettingsError([Problem("--config", origin, "command line or environment", _reason(error))]) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError([Problem("file", origin, origin, f"not TOML: {error}")]) from None
    folder = path.absolute().parent
    return {key: _anchored(key, value, folder) for key, value in _known(table, origin).items()}


def from_environment(environment: Mapping[str, str]) -> Layer:
    """`COMPACTION_GATE_…` variables.

    Raises:
        SettingsError: a variable with our prefix sets nothing.
    """
    found: dict[str, Value] = {}
    problems: list[Problem] = []
    for name in sorted(environment):
        if not name.startswith(PREFIX) or name == CONFIG_VARIABLE:
            continue
        origin = f"environment {name}"
        key = key_of_variable(name)
        if key is None:
            wrong = f"unknown variable; nearest known: {nearest_variable(name)}"
            problems.append(Problem(name, environment[name], "environment", wrong))
        else:
            found[key] = Value(_from_text(key, environment[name]), origin)
    if problems:
        raise SettingsError(problems)
    return found


def from_command_line(values: Mapping[str, tuple[str, Any]]) -> Layer:
    """Options: the key each sets, the option's name, its value."""
    return {key: Value(value, f"command line {option}") for key, (option, value) in values.items()}


def _known(table: Mapping[str, Any], origin: str) -> dict[str, Value]:
    values = {key: value for key, value in _flat(table, "") if value != {} or not is_table(key)}
    unknown = [
        Problem(key, value, origin, f"unknown key; nearest known key: {nearest(key)}")
        for key, value in values.items()
        if not is_known(key)
    ]
    if unknown:
        raise SettingsError(unknown)
    return {key: Value(value, origin) for key, value in values.items()}


def _flat(table: Mapping[str, Any], above: str) -> Iterator[tuple[str, Any]]:
    for name, value in table.items():
        if isinstance(value, dict) and value:
            yield from _flat(value, f"{above}{name}.")
        else:
            yield f"{above}{name}", value


def _from_text(key: str, text: str) -> object:
    """A list is written as in the file (`["a", "b"]`); any other text is a list of one."""
    known = KEYS.get(key)
    if known is None or not known.is_list:
        return text
    if not text.startswith("["):
        return [text] if text else []
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text


def _anchored(key: str, value: Value, folder: Path) -> Value:
    known = KEYS.get(key)
    if known is None or not known.is_path:
        return value
    if isinstance(value.raw, list):
        return value._replace(raw=[_from_folder(item, folder) for item in value.raw])
    return value._replace(raw=_from_folder(value.raw, folder))


def _from_folder(raw: object, folder: Path) -> object:
    return str(folder / Path(raw).expanduser()) if isinstance(raw, str) and raw else raw


def _reason(error: OSError) -> str:
    return (error.strerror or type(error).__name__).lower()
