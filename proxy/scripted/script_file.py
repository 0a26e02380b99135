"""Scripts from a TOML file.

Its keys are the fields of `Script`, `Step`, `Need` and `Fault`; actions are tables of one key, their name in lower
case: `{ read = "a.py" }`, `{ edit = { path = "a.py", old = "x", new = "y" } }`.
"""

from __future__ import annotations

import re
import tomllib
import types
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, Union, get_args, get_origin, get_type_hints

from proxy.model.errors import InputError
from proxy.scripted.script import NAME, Script

WORDS: Mapping[type, str] = {str: "a text", int: "a whole number", float: "a number", bool: "true or false"}
_PLACE = re.compile(r" \(at (?P<place>[^)]+)\)$")


@dataclass(frozen=True, slots=True)
class _File:
    """The whole document."""

    scripts: tuple[Script, ...]


class _Mismatch(Exception):  # noqa: N818  it becomes an InputError as soon as the file is known
    """A value that does not fit its place."""

    def __init__(self, where: str, found: str, expected: str) -> None:
        super().__init__(where)
        self.where, self.found, self.expected = where, found, expected


def load_scripts(path: Path) -> tuple[Script, ...]:
    """The scripts of a file.

    Raises:
        InputError: The file cannot be read, is no TOML, or a key is wrong; places in lists are counted from 1.
    """
    document = _toml(path)
    try:
        file: _File = _decoded(_File, document, "")
        _check_names(file.scripts)
    except _Mismatch as wrong:
        raise InputError(str(path), wrong.where.removeprefix("."), wrong.found, wrong.expected) from None
    return file.scripts


def _toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(str(path), "", (error.strerror or "unreadable").lower(), "a readable file") from None
    except UnicodeDecodeError:
        raise InputError(str(path), "", "bytes that are not UTF-8", "TOML") from None
    except tomllib.TOMLDecodeError as error:
        place = _PLACE.search(str(error))
        said = _PLACE.sub("", str(error))
        raise InputError(str(path), place["place"] if place else "", f"no TOML ({said})", "TOML") from None


def _check_names(scripts: tuple[Script, ...]) -> None:
    for at, script in enumerate(scripts, start=1):
        where = f"scripts[{at}].name"
        if NAME.fullmatch(script.name) is None:
            raise _Mismatch(where, repr(script.name), "lower-case letters, digits and hyphens")
        if any(other.name == script.name for other in scripts[: at - 1]):
            raise _Mismatch(where, f"a second {script.name!r}", "a name of its own")


def _decoded(kind: Any, value: object, where: str) -> Any:  # noqa: ANN401  whatever the field is of
    """A value as its field's type has it. Raises _Mismatch."""
    origin = get_origin(kind)
    if origin in {Union, types.UnionType}:
        return _one_of(kind, value, where)
    if origin is tuple:
        return _tuple(get_args(kind), value, where)
    if is_dataclass(kind) and isinstance(kind, type):
        return _record(kind, value, where)
    if isinstance(kind, type) and issubclass(kind, StrEnum):
        return _member(kind, value, where)
    return _plain(kind, value, where)


def _plain(kind: Any, value: object, where: str) -> object:  # noqa: ANN401  whatever the field is of
    wanted = get_origin(kind) or kind
    if wanted is Mapping:
        return _table(value, where)
    fits = isinstance(value, (int, float) if wanted is float else wanted)
    if not fits or (isinstance(value, bool) and wanted is not bool):
        raise _Mismatch(where, _described(value), WORDS[wanted])
    return value


def _member(kind: type[StrEnum], value: object, where: str) -> StrEnum:
    if value not in list(kind):
        raise _Mismatch(where, _described(value), " or ".join(kind))
    return kind(str(value))


def _tuple(kinds: tuple[Any, ...], value: object, where: str) -> tuple[Any, ...]:
    if not isinstance(value, list):
        raise _Mismatch(where, _described(value), "a list")
    if kinds[-1] is Ellipsis:
        return tuple(_decoded(kinds[0], each, f"{where}[{at}]") for at, each in enumerate(value, start=1))
    if len(value) != len(kinds):
        raise _Mismatch(where, f"{len(value)} values", f"{len(kinds)} values")
    return tuple(
        _decoded(kind, each, f"{where}[{at}]") for at, (kind, each) in enumerate(zip(kinds, value, strict=True), 1)
    )


def _one_of(kind: Any, value: object, where: str) -> Any:  # noqa: ANN401  whatever the field is of
    """One of several actions by its name, or a value that may be left out."""
    choices = [each for each in get_args(kind) if each is not types.NoneType]
    if len(choices) == 1:
        return _decoded(choices[0], value, where)
    actions = {action.__name__.lower(): action for action in choices}
    table = _table(value, where)
    if len(table) != 1 or not table.keys() <= actions.keys():
        raise _Mismatch(where, " and ".join(sorted(table)) or "an empty table", f"one of {', '.join(sorted(actions))}")
    ((name, inner),) = table.items()
    action = actions[name]
    if not isinstance(inner, dict):
        inner = {fields(action)[0].name: inner}
    return _record(action, inner, f"{where}.{name}")


def _record(kind: type, value: object, where: str) -> Any:  # noqa: ANN401  the dataclass
    table, hints = _table(value, where), get_type_hints(kind)
    declared = {field.name: field for field in fields(kind)}
    for name in table:
        if name not in declared:
            raise _Mismatch(f"{where}.{name}", "an unknown key", f"one of {', '.join(declared)}")
    for name, field in declared.items():
        if name not in table and field.default is MISSING and field.default_factory is MISSING:
            raise _Mismatch(f"{where}.{name}", "nothing", WORDS.get(hints[name], "a value"))
    return kind(**{name: _decoded(hints[name], each, f"{where}.{name}") for name, each in table.items()})


def _table(value: object, where: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise _Mismatch(where, _described(value), "a table")
    return value


def _described(value: object) -> str:
    """A value of the user's own file, short."""
    if value is None:
        return "nothing"
    if isinstance(value, dict | list):
        return "a table" if isinstance(value, dict) else "a list"
    return repr(value)[:40]
