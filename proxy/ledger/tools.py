"""What a tool call asks for and what its answer holds, by the rules of `tools.yaml` and the text of shell commands."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from proxy.ledger.javascript import read_script
from proxy.ledger.keys.arguments import Target, targets
from proxy.ledger.keys.paths import digest, normalise_path
from proxy.ledger.results import ResultText, read_result
from proxy.ledger.rules import Document, ResultRule, ToolRule, compile_rules
from proxy.ledger.shell.access import Kind
from proxy.ledger.shell.reading import Reading, ShellRules
from proxy.ledger.shell.walk import knows_program, read_command
from proxy.model.facts import ToolClass

NO_RULE = "no rule"
_PLAIN_NAME = re.compile(r"[A-Za-z_][\w.-]{0,39}")
_MOST_NAMES = 12
SHELL_REVISION = 1
"""Counts up when the reading of shell commands changes what a call is; part of the digest."""

_CLASS_OF = {
    Kind.NEUTRAL: ToolClass.EXECUTION,
    Kind.READS: ToolClass.RETRIEVAL,
    Kind.UNKNOWN: ToolClass.UNKNOWN,
    Kind.RUNS: ToolClass.EXECUTION,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """What one tool call accesses."""

    tool_class: ToolClass
    action: str
    """`read`, `search`, `list`, `fetch`, `inspect`, `write`, `run`, …; empty for unknown tools."""
    resource: str = ""
    """Normalised path, URL, query or name; empty when there is none or the call does not say."""
    span: str = ""
    """`proxy.ledger.keys.spans`: lines and what narrows them; empty for the whole."""
    key: str
    """Canonical key without the content, `read:/a/b.py:10-20`; several joined by `|` (S0-56)."""
    more: tuple[Target, ...] = ()
    """Further resources of the same call (`cat a b`)."""
    mutates: tuple[str, ...] = ()
    """Resources written; the empty name = may change anything."""
    polling: bool = False
    """Asked again by rule because its answer changes: a refresh, never a re-read."""
    form: str = ""
    """How a shell command decorates its lines: `numbered`, `matches`, `paths`; hand it to `result`."""
    leaves_in: str | None = ""
    """Where the call leaves a shell that keeps its directory; empty = where it was, None = not said."""
    rule: str
    """Which rule decided, for `explain`: `tools.yaml:12`, `tools.yaml:40 shell: cat`, or `no rule`
    (with the names of the arguments, for `tools suggest`)."""


class ToolRules:
    """The rules in force. Reads nothing, keeps nothing; the same call always gives the same answer."""

    def __init__(self, documents: Sequence[Document]) -> None:
        self._book = compile_rules(documents, SHELL_REVISION)
        self._shell_rules = ShellRules(
            polls=lambda text: any(one.match(text) for one in self._book.polls),
            waits=lambda text: any(one.match(text) for one in self._book.waits),
            programs=self._book.programs,
        )
        self._named_of = lru_cache(maxsize=1024)(self._find_named)
        self._results_of = lru_cache(maxsize=1024)(self._find_results)
        self._cwd_in = lru_cache(maxsize=16)(self._find_cwd)

    @property
    def digest(self) -> str:
        """SHA-256 of the rules in force (V27)."""
        return self._book.digest

    def access(self, client: str, tool: str, arguments: Mapping[str, Any] | None, *, cwd: str, raw: str = "") -> Access:
        """What a call accesses. Never raises: what no rule knows is `ToolClass.UNKNOWN`.

        Args:
            client: `claude-code`, …; empty when unknown.
            tool: the tool's name.
            arguments: as parsed; None when they were no valid JSON object.
            cwd: the client's working directory; empty when not known.
            raw: the arguments' text, used only to tell calls apart that cannot be read.
        """
        given = arguments or {}
        rule = self._rule(client, tool, given)
        if rule is None:
            unknown = Target("", digest(raw) if raw else "")
            return _access(ToolClass.UNKNOWN, "", [unknown], _no_rule(given), mutates=("",))
        if rule.script:
            return self._script(rule, client, raw or next(filter(_is_text, given.values()), ""), cwd)
        if arguments is None:
            return _unreadable(rule, raw)
        if rule.shell:
            return self._shell(rule, given, cwd)
        found = targets(rule, given, cwd)
        written = {"nothing": (), "anything": ("",), "resource": tuple(one.resource for one in found)}[rule.mutates]
        return _access(rule.tool_class, rule.action, found, rule.name, mutates=written, polling=rule.polling)

    def decides_by_name(self, client: str, tool: str) -> bool:
        """Whether class and action of a tool follow from its name alone, whatever its arguments are."""
        rule = next(iter(self._named_of(client, tool)), None)
        return rule is None or not (rule.shell or rule.when)

    def knows_program(self, program: str) -> bool:
        """Whether a shell program is in a table or a rule, or needs none."""
        return program in self._book.programs or knows_program(program)

    def result(self, client: str, tool: str, text: str, *, is_error: bool, form: str = "") -> ResultText:
        """What an answer holds; `form` is the `Access.form` of its call."""
        return read_result(self._results_of(client, tool), text, is_error=is_error, form=form)

    def cwd(self, client: str, system_text: str) -> str:
        """The working directory that a client tells the model; empty when it tells none."""
        return self._cwd_in(client, system_text)

    def _find_cwd(self, client: str, system_text: str) -> str:
        for client_pattern, pattern in self._book.directories:
            found = pattern.search(system_text) if client_pattern.match(client) else None
            if found:
                return normalise_path(found[1].strip())
        return ""

    def _rule(self, client: str, tool: str, arguments: Mapping[str, Any]) -> ToolRule | None:
        for rule in self._named_of(client, tool):
            if all(arguments.get(name) in values for name, values in rule.when.items()):
                return rule
        return None

    def _find_named(self, client: str, tool: str) -> tuple[ToolRule, ...]:
        """Rules for a tool of that name, in the order in which they are asked."""
        return tuple(
            rule
            for rule in self._book.tools
            if rule.client.match(client) and any(one.match(tool) for one in rule.tools)
        )

    def _find_results(self, client: str, tool: str) -> tuple[ResultRule, ...]:
        return tuple(
            rule
            for rule in self._book.results
            if rule.client.match(client) and any(one.match(tool) for one in rule.tools)
        )

    def _shell(self, rule: ToolRule, arguments: Mapping[str, Any], cwd: str) -> Access:
        command = arguments.get(rule.shell)
        if not isinstance(command, str) and isinstance(command, Sequence):
            command = "\n".join(one for one in command if isinstance(one, str))
        if not isinstance(command, str):
            return _unreadable(rule, repr(command))
        folder = arguments.get(rule.resource[0]) if rule.resource else None
        if isinstance(folder, str) and folder:
            cwd = normalise_path(folder, cwd)
        found = read_command(command, cwd, self._shell_rules)
        shown = [Target(one.resource, one.span) for one in found.targets]
        name = f"{rule.name} shell: {', '.join(found.programs)}" if found.programs else f"{rule.name} shell"
        tool_class = _CLASS_OF[found.kind]
        return _access(
            tool_class,
            _shell_action(tool_class, found),
            shown,
            name,
            mutates=found.mutates,
            polling=found.polling,
            form=found.form,
            leaves_in="" if found.cwd == cwd else found.cwd,
        )

    def _script(self, rule: ToolRule, client: str, text: str, cwd: str) -> Access:
        """All that a script's calls access; what it makes of their answers is part of the span."""
        script = read_script(text)
        if script is None:
            return _unreadable(rule, text)
        inner = [self.access(client, call.tool, call.arguments, cwd=cwd) for call in script.calls]
        worst = max(inner, key=lambda one: _WORST.index(one.tool_class))
        made = "" if script.is_plain else f"via={digest(text)}"
        shown = [
            Target(one.resource, "&".join(filter(None, (one.span, made))))
            for access in inner
            for one in (Target(access.resource, access.span), *access.more)
        ]
        name = f"{rule.name} {rule.script}: {', '.join(one.rule for one in inner)}"
        return _access(
            worst.tool_class,
            worst.action,
            shown,
            name,
            mutates=tuple(dict.fromkeys(name for one in inner for name in one.mutates)),
            polling=any(one.polling for one in inner),
            form=inner[0].form if len(inner) == 1 and script.is_plain else "",
            leaves_in=inner[-1].leaves_in,
        )


_WORST = (ToolClass.RETRIEVAL, ToolClass.EXECUTION, ToolClass.UNKNOWN)
"""A script is what the least harmless of its calls is."""


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _access(
    tool_class: ToolClass,
    action: str,
    found: Sequence[Target],
    rule: str,
    **more: Any,  # noqa: ANN401 - fields of the access
) -> Access:
    first, *rest = found or [Target("", "")]
    return Access(
        tool_class=tool_class,
        action=action,
        resource=first.resource,
        span=first.span,
        key="|".join(f"{action}:{one.resource}:{one.span}" for one in (first, *rest)),
        more=tuple(rest),
        rule=rule,
        **more,
    )


def _no_rule(arguments: Mapping[str, Any]) -> str:
    """The names alone: what a rule for this tool would be written from."""
    names = sorted(name for name in arguments if _PLAIN_NAME.fullmatch(name))[:_MOST_NAMES]
    return f"{NO_RULE} for {', '.join(names)}" if names else NO_RULE


def _unreadable(rule: ToolRule, raw: str) -> Access:
    """A known tool with arguments that cannot be read: its class is known (of a program: not even it), nothing more."""
    tool_class = ToolClass.UNKNOWN if rule.runs_text else rule.tool_class
    target = Target("", f"arguments={digest(raw)}")
    access = _access(tool_class, "" if rule.runs_text else rule.action, [target], rule.name)
    return access if not rule.runs_text and rule.mutates == "nothing" else replace(access, mutates=("",))


def _shell_action(tool_class: ToolClass, found: Reading) -> str:
    if tool_class is ToolClass.RETRIEVAL:
        return found.targets[0].action
    if tool_class is ToolClass.UNKNOWN:
        return ""
    return "write" if found.mutates and all(found.mutates) else "run"
