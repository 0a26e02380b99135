"""Rules for what no rule names: a guess from names, with the reason. What names do not tell is left to a person."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import yaml

from proxy.cli.rules.seen import SeenTool
from proxy.story import figures


class _Verb(NamedTuple):
    words: frozenset[str]
    tool_class: str
    action: str
    mutates: str = ""


def _verb(words: str, tool_class: str, action: str, mutates: str = "") -> _Verb:
    return _Verb(frozenset(words.split()), tool_class, action, mutates)


VERBS = (
    _verb("write create update edit set put save replace insert append patch delete remove rename move upload apply",
          "execution", "write", "anything"),
    _verb("run exec execute test build check lint deploy start stop restart send post submit call install commit push",
          "execution", "run", "anything"),
    _verb("search grep find query lookup match", "retrieval", "search"),
    _verb("list ls tree glob browse enumerate", "retrieval", "list"),
    _verb("fetch download crawl scrape", "retrieval", "fetch"),
    _verb("read get view open show cat load describe inspect retrieve peek", "retrieval", "read"),
)  # fmt: skip
"""The first row that holds a word of the tool's name decides: what may change something comes first."""

RESOURCES: tuple[tuple[str, tuple[str, ...]], ...] = (
    (
        "path",
        ("path", "file_path", "filePath", "filepath", "filename", "file", "absolute_path", "target_file", "paths"),
    ),
    ("url", ("url", "urls", "uri", "link", "href")),
    ("path", ("directory", "dir", "folder", "root")),
    ("query", ("query", "q", "pattern", "regex", "search", "keywords", "term")),
    ("name", ("id", "name", "key", "slug", "title", "ref", "number")),
)
"""Arguments that name a resource, by kind; the first that was seen counts."""
SPANS: tuple[tuple[str, str, str], ...] = (
    ("offset", "limit", "{offset: offset, limit: limit}"),
    ("start_line", "end_line", "{first: start_line, last: end_line}"),
    ("from_line", "to_line", "{first: from_line, last: to_line}"),
)
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_PLAIN = re.compile(r"[A-Za-z_][\w.-]*")
_KEYWORDS = frozenset({"true", "false", "yes", "no", "on", "off", "null", "y", "n"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Suggestion:
    """One rule that could be written, or what is missing to write it."""

    section: str
    """`tools` or `programs`."""
    subject: str
    reason: str
    rule: dict[str, str]
    """Key to YAML text, in order; empty when nothing can be guessed."""

    @property
    def comment(self) -> str:
        """The reason on one line, whatever a client calls itself."""
        return "".join(letter if letter.isprintable() else " " for letter in self.reason)


def suggestions(seen: Sequence[SeenTool], *, is_known: Callable[[str], bool]) -> list[Suggestion]:
    """Tools without a rule, then programs in no table; the most called first.

    Args:
        seen: what was called.
        is_known: whether a shell program is in a table or a rule.
    """
    return [*_tools(seen), *_programs(seen, is_known)]


def as_yaml(found: Iterable[Suggestion], indent: str = "  ") -> list[str]:
    """Entries of a list, with the reason above each."""
    lines: list[str] = []
    for one in found:
        head, *rest = [f"{key}: {text}" for key, text in one.rule.items()]
        lines += [f"{indent}# {one.comment}", f"{indent}- {head}", *(f"{indent}  {line}" for line in rest)]
    return lines


def _tools(seen: Sequence[SeenTool]) -> Iterator[Suggestion]:
    calls: Counter[str] = Counter()
    arguments: dict[str, Counter[str]] = {}
    clients: dict[str, set[str]] = {}
    for one in seen:
        if one.tool and not one.has_rule:
            calls[one.tool] += one.calls
            arguments.setdefault(one.tool, Counter()).update(one.arguments)
            clients.setdefault(one.tool, set()).add(one.client or "an unknown client")
    for tool, count in sorted(calls.items(), key=lambda pair: (-pair[1], pair[0])):
        by = ", ".join(sorted(clients[tool]))
        yield _tool(tool, f"{figures.plural(count, 'call')} by {by}", sorted(arguments[tool]))


def _tool(tool: str, evidence: str, arguments: Sequence[str]) -> Suggestion:
    words = {word.lower() for word in _WORD.findall(tool)}
    verb = next((one for one in VERBS if one.words & words), None)
    kind, resource = _resource(arguments)
    said = [evidence, f"arguments {', '.join(arguments)}" if arguments else "no argument names kept"]
    if verb is None and kind not in ("path", "url"):
        why = "; ".join([*said, "neither name nor arguments tell what it does: say class and resource yourself"])
        return Suggestion(section="tools", subject=tool, reason=why, rule={})
    if verb is None:
        verb = _verb("", "retrieval", "fetch" if kind == "url" else "read")
        said.append(f"guessed from the argument `{resource}` alone: check that it changes nothing")
    else:
        said.append(f"guessed from `{next(iter(sorted(verb.words & words)))}` in its name")
    rule = {"tool": _text(_pattern(tool)), "class": verb.tool_class, "action": verb.action}
    rule |= _target(verb, kind, resource, arguments)
    return Suggestion(section="tools", subject=tool, reason="; ".join(said), rule=rule)


def _resource(arguments: Sequence[str]) -> tuple[str, str]:
    """Kind and name of the argument that names the resource; empty when none does."""
    for kind, names in RESOURCES:
        for name in names:
            if name in arguments:
                return kind, name
    return next((("name", name) for name in arguments if name.endswith(("_id", "Id", "_key", "_name"))), ("", ""))


def _target(verb: _Verb, kind: str, resource: str, arguments: Sequence[str]) -> dict[str, str]:
    rule: dict[str, str] = {}
    if resource:
        rule["resource"] = _text(resource)
        rule |= {"kind": kind} if kind != "path" else {}
    used = {resource}
    if verb.mutates:
        names_it = resource and kind == "path" and verb.action == "write"
        return rule | {"mutates": "resource" if names_it else verb.mutates}
    for first, last, span in SPANS:
        if {first, last} <= set(arguments):
            rule["span"] = span
            used |= {first, last}
            break
    narrow = [_text(name) for name in arguments if name not in used]
    return rule | ({"narrow": f"[{', '.join(narrow)}]"} if narrow else {})


def _programs(seen: Sequence[SeenTool], is_known: Callable[[str], bool]) -> Iterator[Suggestion]:
    counted: Counter[str] = Counter()
    for one in seen:
        counted.update(one.programs)
    for program, count in sorted(counted.items(), key=lambda pair: (-pair[1], pair[0])):
        if is_known(program):
            continue
        words = {word.lower() for word in _WORD.findall(program)}
        reads = [one for one in VERBS if one.words & words and one.tool_class == "retrieval"]
        kind = "retrieval" if reads else "execution"
        why = "its name" if reads else "the safe side: execution is never a re-read; say retrieval if it only shows"
        reason = f"in {figures.plural(count, 'shell command')} that were not understood; {kind} from {why}"
        rule = {"program": _text(program), "class": kind}
        yield Suggestion(section="programs", subject=program, reason=reason, rule=rule)


def _pattern(tool: str) -> str:
    """The name as a shell pattern that fits nothing else."""
    return re.sub(r"([*?\[])", r"[\1]", tool)


def _text(value: str) -> str:
    """A YAML scalar that is read back as this text."""
    if _PLAIN.fullmatch(value) and value.lower() not in _KEYWORDS:
        return value
    return str(yaml.dump(value, Dumper=yaml.SafeDumper, default_style='"', width=10**9)).strip()
