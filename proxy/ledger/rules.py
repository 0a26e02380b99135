"""The tool rules in force, compiled from plain mappings that `config.tool_rules` has validated."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import translate
from hashlib import sha256
from typing import Any

from proxy.ledger.shell.access import Kind
from proxy.model.facts import ToolClass

PROGRAM_KINDS = {"retrieval": Kind.READS, "execution": Kind.RUNS}
Document = Mapping[str, Any]
"""One rules file as validated: `config.tool_rules.load` gives them, the user's first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SpanRule:
    """Which arguments say what part of the resource is asked for."""

    offset: str
    """First line; with `zero_based` counted from 0."""
    limit: str
    """Number of lines."""
    first: str
    last: str
    """First and last line, both included."""
    range: str
    """A pair `[first, last]`; a last of -1 is the end."""
    zero_based: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolRule:
    """What a call of certain tools is. The first rule that fits client, name and `when` decides."""

    name: str
    """Where it stands, for `explain`: `tools.yaml:12`."""
    client: re.Pattern[str]
    tools: tuple[re.Pattern[str], ...]
    when: Mapping[str, tuple[str | bool | int, ...]]
    """Argument values that must stand in the call."""
    tool_class: ToolClass
    action: str
    shell: str
    """Argument that holds a shell command, which then decides everything else; empty for other tools."""
    script: str
    """Language of a free text in which the model calls other tools (`javascript`); empty for other tools."""
    items: str
    """Argument that holds a list of objects, each with resource and span of its own; empty for plain tools."""
    resource: tuple[str, ...]
    """Arguments that name the resource; the first that is given counts."""
    default: str
    """The resource when none is given (`.` for a search)."""
    kind: str
    """How the resource is normalised: `path`, `url`, `query`, `name`."""
    span: SpanRule
    narrow: tuple[str, ...]
    """Arguments that narrow what is asked and become part of the span."""
    mutates: str
    """`nothing`, `resource`, or `anything`."""
    polling: bool

    @property
    def runs_text(self) -> bool:
        """What a call does stands in the text of a program, not in the rule."""
        return bool(self.shell or self.script)


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultRule:
    """How the answers of certain tools are read. All that fit are joined, the user's first."""

    client: re.Pattern[str]
    tools: tuple[re.Pattern[str], ...]
    form: str
    """How lines are decorated where the call does not say: `matches`, `paths`; empty for plain lines."""
    fields: tuple[str, ...]
    """Fields of a JSON answer (an object, or a list of them) that hold the content; the first that is text counts."""
    line_numbers: re.Pattern[str] | None
    """The prefix of each line; its first group is the number."""
    tags: tuple[str, ...]
    """Names of tags the client adds around the content: removed with what they hold."""
    unwrap: tuple[str, ...]
    """Names of tags that hold the content: only the tags are removed."""
    strip: tuple[re.Pattern[str], ...]
    """Decoration to remove."""
    shell_cwd: re.Pattern[str] | None
    """Where the client says that its shell was put back to a directory; the first group is the path."""
    unchanged: tuple[re.Pattern[str], ...]
    demand: tuple[re.Pattern[str], ...]
    errors: tuple[tuple[str, re.Pattern[str]], ...]
    """Error type (S0-72) and the pattern that shows it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleBook:
    """All rules in force, in the order in which they are tried."""

    tools: tuple[ToolRule, ...]
    results: tuple[ResultRule, ...]
    polls: tuple[re.Pattern[str], ...]
    waits: tuple[re.Pattern[str], ...]
    programs: Mapping[str, Kind]
    """Shell programs that the shipped tables do not know, or know otherwise."""
    directories: tuple[tuple[re.Pattern[str], re.Pattern[str]], ...]
    """Client pattern, and the pattern whose first group is the working directory."""
    digest: str
    """SHA-256 of the rules, their order included, whatever file and line they stand in (V27)."""


def compile_rules(documents: Sequence[Document], revision: int) -> RuleBook:
    """Compile validated documents; `revision` names the built-in reading of shell commands in the digest."""
    return RuleBook(
        tools=tuple(_tool_rule(one) for document in documents for one in document["tools"]),
        results=tuple(_result_rule(one) for document in documents for one in document["results"]),
        polls=_texts(text for document in documents for text in document["polling"]["commands"]),
        waits=_texts(text for document in documents for text in document["polling"]["waiting"]),
        programs=_programs(documents),
        directories=tuple(
            (glob(one["client"]), re.compile(text, re.MULTILINE))
            for document in documents
            for one in document["directories"]
            for text in one["patterns"]
        ),
        digest=_digest(documents, revision),
    )


def _programs(documents: Sequence[Document]) -> dict[str, Kind]:
    """The first document that names a program decides."""
    found: dict[str, Kind] = {}
    for document in documents:
        for one in document["programs"]:
            for name in one["program"]:
                found.setdefault(name, PROGRAM_KINDS[one["class"]])
    return found


def glob(pattern: str) -> re.Pattern[str]:
    """A shell pattern over names, case-sensitive."""
    return re.compile(translate(pattern))


def _tool_rule(one: Mapping[str, Any]) -> ToolRule:
    return ToolRule(
        name=one["at"],
        client=glob(one["client"]),
        tools=tuple(map(glob, one["tool"])),
        when={name: tuple(values) for name, values in one["when"].items()},
        tool_class=ToolClass(one["class"]),
        action=one["action"],
        shell=one["shell"],
        script=one["script"],
        items=one["items"],
        resource=tuple(one["resource"]),
        default=one["default"],
        kind=one["kind"],
        span=SpanRule(**one["span"]),
        narrow=tuple(one["narrow"]),
        mutates=one["mutates"],
        polling=one["polling"],
    )


def _result_rule(one: Mapping[str, Any]) -> ResultRule:
    return ResultRule(
        client=glob(one["client"]),
        tools=tuple(map(glob, one["tool"])),
        form=one["form"],
        fields=tuple(one["fields"]),
        line_numbers=re.compile(one["line_numbers"]) if one["line_numbers"] else None,
        tags=tuple(one["tags"]),
        unwrap=tuple(one["unwrap"]),
        strip=_texts(one["strip"]),
        shell_cwd=re.compile(one["shell_cwd"]) if one["shell_cwd"] else None,
        unchanged=_texts(one["unchanged"]),
        demand=_texts(one["demand"]),
        errors=tuple((name, re.compile(text)) for name, texts in one["errors"].items() for text in texts),
    )


def _texts(patterns: Iterable[str]) -> tuple[re.Pattern[str], ...]:
    return tuple(map(re.compile, patterns))


def _digest(documents: Sequence[Document], revision: int) -> str:
    plain = [
        {**document, "tools": [{k: v for k, v in one.items() if k != "at"} for one in document["tools"]]}
        for document in documents
    ]
    text = json.dumps([revision, plain], ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
