"""Tool rules from YAML: the user's files first, then the shipped `defaults/tools.yaml`, checked to the last key.

Gives plain mappings with every default filled in; `proxy.ledger.rules` compiles them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError
from pydantic_core import ErrorDetails

from config.errors import Problem, SettingsError

SHIPPED = "tools.yaml"


def _compiles(text: str) -> str:
    try:
        re.compile(text)
    except (re.error, RecursionError, OverflowError) as error:
        raise ValueError(f"no regular expression: {error}") from None
    return text


def _has_group(text: str) -> str:
    if re.compile(text).groups < 1:
        raise ValueError("its first group must say the value; it has none")
    return text


def _listed(value: object) -> object:
    return value if isinstance(value, tuple) else (value,)


_Pattern = Annotated[str, AfterValidator(_compiles)]
_Capturing = Annotated[str, AfterValidator(_compiles), AfterValidator(_has_group)]
_Texts = Annotated[tuple[str, ...], BeforeValidator(_listed)]
_Patterns = Annotated[tuple[_Pattern, ...], BeforeValidator(_listed)]
_Names = Annotated[tuple[str, ...], BeforeValidator(_listed), Field(min_length=1)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, populate_by_name=True)


class _Span(_Strict):
    offset: str = ""
    limit: str = ""
    first: str = ""
    last: str = ""
    range: str = ""
    zero_based: bool = False


class _Tool(_Strict):
    client: str = "*"
    tool: _Names
    when: dict[str, Annotated[tuple[str | bool | int, ...], BeforeValidator(_listed)]] = {}
    tool_class: Annotated[Literal["retrieval", "execution", "unknown"], Field(alias="class")] = "unknown"
    action: str = ""
    shell: str = ""
    items: str = ""
    resource: _Texts = ()
    default: str = ""
    kind: Literal["path", "url", "query", "name"] = "path"
    span: _Span = _Span()
    narrow: _Texts = ()
    mutates: Literal["nothing", "resource", "anything"] = "nothing"
    polling: bool = False


class _Result(_Strict):
    client: str = "*"
    tool: _Names = ("*",)
    form: Literal["", "matches", "paths"] = ""
    line_numbers: _Capturing | None = None
    tags: _Texts = ()
    unwrap: _Texts = ()
    strip: _Patterns = ()
    shell_cwd: _Capturing | None = None
    unchanged: _Patterns = ()
    demand: _Patterns = ()
    errors: dict[str, _Patterns] = {}


class _Polling(_Strict):
    commands: _Patterns = ()
    waiting: _Patterns = ()


class _Directories(_Strict):
    client: str = "*"
    patterns: Annotated[tuple[_Capturing, ...], BeforeValidator(_listed)]


class _Rules(_Strict):
    version: Annotated[int, Field(ge=1, le=1)]
    tools: tuple[_Tool, ...] = ()
    results: tuple[_Result, ...] = ()
    polling: _Polling = _Polling()
    directories: tuple[_Directories, ...] = ()


def load(files: Sequence[Path] = ()) -> tuple[dict[str, Any], ...]:
    """Validated rules, the strongest first: the user's files in the order given, then the shipped one.

    Raises:
        SettingsError: naming file, line and key of everything that is wrong in the first file that is.
    """
    found = [_document(str(file), file.name, _text(file)) for file in files]
    return (*found, _shipped())


@cache
def _shipped() -> dict[str, Any]:
    text = resources.files("config").joinpath("defaults").joinpath(SHIPPED).read_text(encoding="utf-8")
    return _document(f"shipped {SHIPPED}", SHIPPED, text)


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "no UTF-8 text"
        raise SettingsError([Problem("tools", str(file), str(file), f"cannot be read: {reason}")]) from None


def _document(origin: str, name: str, text: str) -> dict[str, Any]:
    try:
        loader = yaml.SafeLoader(text)
        node = loader.get_single_node()
        plain = None if node is None else _tuples(loader.construct_document(node))
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        raise SettingsError([Problem("tools", origin, _place(origin, error), "no YAML: " + _reason(error))]) from None
    try:
        rules = _Rules.model_validate(plain)
    except ValidationError as error:
        raise SettingsError([_problem(origin, node, one) for one in error.errors(include_url=False)]) from None
    document = rules.model_dump(mode="json", by_alias=True)
    for at, tool in enumerate(document["tools"]):
        tool["at"] = f"{name}:{_line(node, ('tools', at))}"
    return document


def _tuples(value: object) -> object:
    """YAML lists as tuples: the models are strict."""
    if isinstance(value, list):
        return tuple(map(_tuples, value))
    if isinstance(value, dict):
        return {key: _tuples(one) for key, one in value.items()}
    return value


def _problem(origin: str, node: yaml.Node | None, error: ErrorDetails) -> Problem:
    path = tuple(error["loc"])
    key = ".".join(map(str, path)) or "(file)"
    wrong = "unknown key" if error["type"] == "extra_forbidden" else error["msg"].removeprefix("Value error, ")
    return Problem(key, error["input"], f"{origin}:{_line(node, path)}", wrong[:1].lower() + wrong[1:])


def _line(node: yaml.Node | None, path: Sequence[int | str]) -> int:
    """The line on which the deepest known part of a path begins."""
    line = 1
    for found in _along(node, path):
        line = found.start_mark.line + 1
    return line


def _along(node: yaml.Node | None, path: Sequence[int | str]) -> Iterator[yaml.Node]:
    for part in path:
        if isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
            node = node.value[part]
            yield node
        elif isinstance(node, yaml.MappingNode):
            pair = next((pair for pair in node.value if pair[0].value == part), None)
            if pair is None:
                return
            yield pair[0]
            node = pair[1]


def _place(origin: str, error: Exception) -> str:
    mark = getattr(error, "problem_mark", None)
    return f"{origin}:{mark.line + 1}" if mark is not None else origin


def _reason(error: Exception) -> str:
    return str(getattr(error, "problem", None) or type(error).__name__)
