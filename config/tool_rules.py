"""Tool rules from YAML: the user's files first, then the shipped `defaults/tools.yaml`, checked to the last key.

Gives plain mappings with every default filled in; `proxy.ledger.rules` compiles them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

import yaml
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError
from pydantic_core import ErrorDetails

from config.errors import Problem, SettingsError

SHIPPED = "tools.yaml"
_Path = tuple[int | str, ...]


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
    script: Literal["", "javascript"] = ""
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
    fields: _Texts = ()
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


class _Program(_Strict):
    program: _Names
    program_class: Annotated[Literal["retrieval", "execution"], Field(alias="class")]


class _Rules(_Strict):
    version: Annotated[int, Field(ge=1, le=1)]
    tools: tuple[_Tool, ...] = ()
    results: tuple[_Result, ...] = ()
    programs: tuple[_Program, ...] = ()
    polling: _Polling = _Polling()
    directories: tuple[_Directories, ...] = ()


class RulesRead(NamedTuple):
    """What could be read, and what could not."""

    documents: tuple[dict[str, Any], ...]
    """The strongest first: the user's files in the order given, then the shipped one."""
    problems: tuple[Problem, ...]
    """Entries that were left out, by file, line and key; all others are in force."""


def load(files: Sequence[Path] = ()) -> tuple[dict[str, Any], ...]:
    """Validated rules, the strongest first: the user's files in the order given, then the shipped one.

    Raises:
        SettingsError: naming file, line and key of everything that is wrong.
    """
    found = read(files)
    if found.problems:
        raise SettingsError(found.problems)
    return found.documents


def read(files: Sequence[Path] = ()) -> RulesRead:
    """As `load`, but an entry that is wrong is left out and named; the rest is read.

    Raises:
        SettingsError: a file cannot be read, is no YAML, or no rules of this version.
    """
    found = [_document(str(file), file.name, _text(file)) for file in files]
    documents = (*(document for document, _ in found), _shipped())
    return RulesRead(documents, tuple(problem for _, problems in found for problem in problems))


@cache
def _shipped() -> dict[str, Any]:
    text = resources.files("config").joinpath("defaults").joinpath(SHIPPED).read_text(encoding="utf-8")
    document, problems = _document(f"shipped {SHIPPED}", SHIPPED, text)
    assert not problems
    return document


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "no UTF-8 text"
        raise SettingsError([Problem("tools", str(file), str(file), f"cannot be read: {reason}")]) from None


def _document(origin: str, name: str, text: str) -> tuple[dict[str, Any], list[Problem]]:
    try:
        loader = yaml.SafeLoader(text)
        node = loader.get_single_node()
        plain = None if node is None else _tuples(loader.construct_document(node))
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        raise SettingsError([Problem("tools", origin, _place(origin, error), "no YAML: " + _reason(error))]) from None
    rules, problems, left_out = _rules(origin, node, plain)
    document = rules.model_dump(mode="json", by_alias=True)
    places = [at for at in range(len(document["tools"]) + len(left_out)) if ("tools", at) not in left_out]
    for at, tool in zip(places, document["tools"], strict=False):
        tool["at"] = f"{name}:{_line(node, ('tools', at))}"
    return document, problems


def _rules(origin: str, node: yaml.Node | None, plain: object) -> tuple[_Rules, list[Problem], set[_Path]]:
    """The rules without the entries that are wrong.

    Raises:
        SettingsError: what is wrong is no entry, but the file.
    """
    try:
        return _Rules.model_validate(plain), [], set()
    except ValidationError as error:
        wrong = error.errors(include_url=False)
    problems = [_problem(origin, node, one) for one in wrong]
    left_out = {_entry(plain, tuple(one["loc"])) for one in wrong}
    try:
        return _Rules.model_validate(_without(plain, left_out)), problems, left_out
    except ValidationError:
        raise SettingsError(problems) from None


def _entry(plain: object, path: _Path) -> _Path:
    """What is left out for an error there: the entry of a list where there is one, else the deepest key."""
    for end, part in enumerate(path):
        if isinstance(plain, tuple):
            return path[: end + 1]
        if not isinstance(plain, dict) or part not in plain:
            return path[:end]
        plain = plain[part]
    return path


def _without(value: object, left_out: set[_Path], path: _Path = ()) -> object:
    if isinstance(value, tuple):
        return tuple(
            _without(one, left_out, (*path, at)) for at, one in enumerate(value) if (*path, at) not in left_out
        )
    if isinstance(value, dict):
        return {
            key: _without(one, left_out, (*path, key)) for key, one in value.items() if (*path, key) not in left_out
        }
    return value


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
