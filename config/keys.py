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
_UPSTREAM = re.compile(r"upstreams\.[a-z0-9][a-z0-9_-]*\.url")
_UPSTREAM_VARIABLE = re.compile(PREFIX + r"UPSTREAMS_([A-Z0-9][A-Z0-9_]*)_URL")


class Key(NamedTuple):
    """What a key accepts, as far as reading it needs to know."""

    is_list: bool
    is_path: bool


def _leaves(model: type[BaseModel], above: str) -> Iterator[tuple[str, FieldInfo]]:
    for name, field in model.model_fields.items():
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
            yield from _leaves(field.annotation, f"{above}{name}.")
        elif name != "upstreams":  # its names are the user's
            yield f"{above}{name}", field


KEYS: dict[str, Key] = {
    name: Key(is_list=str(field.annotation).startswith("tuple["), is_path=RELATIVE in field.metadata)
    for name, field in _leaves(Settings, "")
}
"""Every fixed key, dotted, in the order of the settings file."""


def is_known(key: str) -> bool:
    """True for a fixed key, and for `upstreams.<name>.url`."""
    return key in KEYS or _UPSTREAM.fullmatch(key) is not None


def variable(key: str) -> str:
    """The environment's name of a key."""
    return PREFIX + key.replace(".", "_").replace("-", "_").upper()


_BY_VARIABLE = {variable(key): key for key in KEYS}


def key_of_variable(name: str) -> str | None:
    """The key that an environment variable sets; None when it names none."""
    if upstream := _UPSTREAM_VARIABLE.fullmatch(name):
        return f"upstreams.{upstream[1].lower()}.url"
    return _BY_VARIABLE.get(name)


def nearest(key: str) -> str:
    """The known key a misspelled one most likely meant."""
    last = key.rpartition(".")[2]
    same_name = [known for known in KEYS if known.rpartition(".")[2] == last]
    return same_name[0] if same_name else difflib.get_close_matches(key, [*KEYS, "upstreams.NAME.url"], 1, 0.0)[0]


def nearest_variable(name: str) -> str:
    """The variable a misspelled one most likely meant."""
    return difflib.get_close_matches(name, [*_BY_VARIABLE, CONFIG_VARIABLE], 1, 0.0)[0]
