"""The known keys: what each accepts, its name in the environment, and which one a misspelling meant."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from typing import NamedTuple

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from config.settings import RELATIVE, Settings

PREFIX = "COMPACTION_GATE_"
CONFIG_VARIABLE = "COMPACTION_GATE_CONFIG"
"""Names the settings file; it is no setting."""
_NAMED = (
    (
        re.compile(r"upstreams\.[a-z0-9][a-z0-9_-]*\.url"),
        re.compile(PREFIX + r"(UPSTREAMS)_([A-Z0-9][A-Z0-9_]*)_(URL)"),
    ),
    (re.compile(r"labels\.[a-z][a-z0-9_]*"), re.compile(PREFIX + r"(LABELS)_([A-Z][A-Z0-9_]*)")),
)
"""Keys whose names are the user's, and their variables."""
OPEN_TABLES = ("upstreams", "labels")


class Key(NamedTuple):
    """What a key accepts, as far as reading it needs to know."""

    is_list: bool
    is_path: bool


def _leaves(model: type[BaseModel], above: str) -> Iterator[tuple[str, FieldInfo]]:
    for name, field in model.model_fields.items():
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
            yield from _leaves(field.annotation, f"{above}{name}.")
        elif name not in OPEN_TABLES:
            yield f"{above}{name}", field


KEYS: dict[str, Key] = {
    name: Key(is_list=str(field.annotation).startswith("tuple["), is_path=RELATIVE in field.metadata)
    for name, field in _leaves(Settings, "")
}
"""Every fixed key, dotted, in the order of the settings file."""


def is_known(key: str) -> bool:
    """True for a fixed key, and for `upstreams.<name>.url` and `labels.<name>`."""
    return key in KEYS or any(pattern.fullmatch(key) for pattern, _ in _NAMED)


def is_table(key: str) -> bool:
    """True for a table that may stand there empty."""
    return key in OPEN_TABLES or any(known.startswith(f"{key}.") for known in KEYS)


def variable(key: str) -> str:
    """The environment's name of a key."""
    return PREFIX + key.replace(".", "_").replace("-", "_").upper()


_BY_VARIABLE = {variable(key): key for key in KEYS}


def key_of_variable(name: str) -> str | None:
    """The key that an environment variable sets; None when it names none."""
    for _, pattern in _NAMED:
        if found := pattern.fullmatch(name):
            return ".".join(found.groups()).lower()
    return _BY_VARIABLE.get(name)


def nearest(key: str) -> str:
    """The known key a misspelled one most likely meant."""
    last = key.rpartition(".")[2]
    same_name = [known for known in KEYS if known.rpartition(".")[2] == last]
    return (
        same_name[0]
        if same_name
        else difflib.get_close_matches(key, [*KEYS, "upstreams.NAME.url", "labels.NAME"], 1, 0.0)[0]
    )


def nearest_variable(name: str) -> str:
    """The variable a misspelled one most likely meant."""
    return difflib.get_close_matches(name, [*_BY_VARIABLE, CONFIG_VARIABLE], 1, 0.0)[0]
