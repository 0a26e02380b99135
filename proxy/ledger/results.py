"""A tool's answer without what the client wrote around it: what kind of answer it is, and the bare content.

Answers that show the same text compare equal whichever tool showed it: line ends are line feeds, blank lines in front
and white space at the end are gone (a shell tool trims them, a file tool does not).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from proxy.ledger.keys.paths import normalise_path
from proxy.ledger.rules import ResultRule
from proxy.wire.json_values import BadJsonError, read_json

_SHELL_NUMBERS = re.compile(r" *(\d+)\t")
_PLACES = {
    "matches": re.compile(r"(?:[^\s:]{1,400}?[:-])?\d{1,9}[:-]"),
    "paths": re.compile(r"[^\s:]{1,400}:"),
}
"""What a search writes in front of each line, by form: a line number and perhaps a path; a path alone."""

_MOST_TAGS = 30
_BLANK_FRONT = re.compile(r"(?:[^\S\n]*\n)+")


class ResultKind(StrEnum):
    """What a harness answered."""

    CONTENT = "content"
    UNCHANGED_STUB = "unchanged_stub"
    """"Unchanged since you read it" in place of the content."""
    DEMAND = "demand"
    """A refusal that asks for the file to be read again."""
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class ResultText:
    """One answer, read."""

    kind: ResultKind
    error_type: str
    """`unknown_tool`, `schema_mismatch`, `permission`, `timeout`, `test_failure`, … (S0-72); empty for content."""
    text: str
    """The content without decoration; of stubs, demands and errors what the harness said."""
    lines: tuple[str, ...]
    """The content's lines; those of a search without `path:number:` in front, so that they compare with a file's."""
    first_line: int | None
    """The number the client put before the first line; None when lines were not numbered."""
    shell_cwd: str = ""
    """Where the client says its shell was put back to; empty when it says nothing."""


def read_result(rules: Sequence[ResultRule], text: str, *, is_error: bool, form: str = "") -> ResultText:
    """Read an answer by the rules that fit its tool.

    Args:
        rules: the result rules of this client and tool, the stronger first.
        text: the answer as the model saw it.
        is_error: the client marked it as an error.
        form: how a shell command decorated its lines (`Access.form`).
    """
    text = text.replace("\r\n", "\n").removeprefix("\ufeff")
    bare = _unwrapped(text, [name for rule in rules for name in rule.unwrap])
    wrapped = bare != text
    if _matches(bare, (one for rule in rules for one in rule.unchanged)):
        return _said(ResultKind.UNCHANGED_STUB, bare)
    if _matches(bare, (one for rule in rules for one in rule.demand)):
        return _said(ResultKind.DEMAND, bare)
    put_back = _put_back(rules, bare)
    if is_error or wrapped:
        return replace(_said(ResultKind.ERROR, bare, _error_type(rules, bare)), shell_cwd=put_back)
    bare = _held(bare, [name for rule in rules for name in rule.fields])
    bare = _without_tags(bare, [name for rule in rules for name in rule.tags])
    for rule in rules:
        for pattern in rule.strip:
            bare = pattern.sub("", bare)
    numbers = next((rule.line_numbers for rule in rules if rule.line_numbers is not None), None)
    form = form or next((rule.form for rule in rules if rule.form), "")
    if form == "numbered":
        numbers = _SHELL_NUMBERS
    bare, first = (bare, None) if numbers is None else without_numbers(bare, numbers)
    bare = trimmed(bare)
    lines = tuple(bare.split("\n")) if bare else ()
    if form in _PLACES:
        lines = tuple(_without_place(line, _PLACES[form]) for line in lines)
    return ResultText(ResultKind.CONTENT, "", bare, lines, first, put_back)


def _held(text: str, names: Sequence[str]) -> str:
    """The content inside an answer that is JSON; the answer itself when it is none, or has no such field."""
    if not names or text.lstrip()[:1] not in ("{", "["):
        return text
    try:
        found = read_json(text.encode("utf-8", "surrogatepass"))
    except BadJsonError:
        return text
    objects = [one for one in (found if isinstance(found, list) else [found]) if isinstance(one, dict)]
    held = [next((one[name] for name in names if isinstance(one.get(name), str)), None) for one in objects]
    return "\n".join(part for part in held if part is not None) if any(held) else text


def trimmed(text: str) -> str:
    """A text without blank lines in front and white space at its end."""
    found = _BLANK_FRONT.match(text)
    return text[found.end() if found else 0 :].rstrip()


def without_numbers(text: str, prefix: re.Pattern[str]) -> tuple[str, int | None]:
    """A text without its line numbers, and the first of them.

    Numbers must count up by one; the rest from the first line that has no right number on stays as it is. Blank
    lines may stand without one (`nl`).
    """
    lines = text.split("\n")
    first: int | None = None
    expected: int | None = None
    for at, line in enumerate(lines):
        found = prefix.match(line)
        if found is None:
            if line.strip():
                break
            continue
        number = int(found[1][:12])
        if expected is not None and number != expected:
            break
        first = number if first is None else first
        expected = number + 1
        lines[at] = line[found.end() :]
    return "\n".join(lines), first


def _said(kind: ResultKind, text: str, error_type: str = "") -> ResultText:
    text = trimmed(text)
    return ResultText(kind, error_type, text, tuple(text.split("\n")) if text else (), None)


def _matches(text: str, patterns: Iterable[re.Pattern[str]]) -> bool:
    return any(pattern.match(text) for pattern in patterns)


def _put_back(rules: Sequence[ResultRule], text: str) -> str:
    found = next((hit for rule in rules if rule.shell_cwd and (hit := rule.shell_cwd.search(text))), None)
    return normalise_path(found[1].strip()) if found else ""


def _error_type(rules: Sequence[ResultRule], text: str) -> str:
    for rule in rules:
        for name, pattern in rule.errors:
            if pattern.search(text):
                return name
    return "other"


def _unwrapped(text: str, names: Sequence[str]) -> str:
    bare = text.strip()
    for name in names:
        if bare.startswith(f"<{name}>"):
            return bare.removeprefix(f"<{name}>").removesuffix(f"</{name}>")
    return text


def _without_tags(text: str, names: Sequence[str]) -> str:
    """Whole tags in front and at the end, each on lines of their own; those inside are the content's."""
    for name in names:
        start, end = f"<{name}>", f"</{name}>"
        for _ in range(_MOST_TAGS):
            if not text.lstrip().startswith(start) or end not in text:
                break
            text = text.partition(end)[2]
        for _ in range(_MOST_TAGS):
            at = text.rfind(start) if text.rstrip().endswith(end) else -1
            if at < 0 or (at > 0 and text[at - 1] != "\n"):
                break
            text = text[:at]
    return text


def _without_place(line: str, place: re.Pattern[str]) -> str:
    found = place.match(line)
    return line[found.end() :] if found else line
