"""A whole script: lists, pipelines, directories, wrappers and inner shells, to one access."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from proxy.ledger.keys.paths import digest
from proxy.ledger.keys.spans import join, narrowing
from proxy.ledger.shell import programs
from proxy.ledger.shell.access import (
    ANYTHING,
    NOTHING,
    UNKNOWN,
    UNNAMED,
    Argument,
    Call,
    Effect,
    Kind,
    Target,
    reads,
    text_of,
    through,
    with_inner,
)
from proxy.ledger.shell.editors import EDITORS
from proxy.ledger.shell.options import split
from proxy.ledger.shell.readers import READERS, filtered
from proxy.ledger.shell.reading import Reading, ShellRules, sum_up
from proxy.ledger.shell.script import Group, Pipeline, Redirect, Simple, parse
from proxy.ledger.shell.words import Variable, Word

_DEEPEST = 40
"""Wrappers, shells and groups inside each other; what lies deeper is taken to run anything."""
_BUDGET = 1 << 19
"""Characters that are parsed for one command, inner scripts again included: bounds hostile nesting."""
_HARMLESS_FILES = frozenset({"/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty", "-"})
_HANDLERS = READERS | EDITORS
_OF_OWN_RULE: dict[Kind, Callable[[Call], Effect]] = {Kind.READS: filtered, Kind.RUNS: lambda _: ANYTHING}
"""How a program is read that a rule of the user names: it shows its files or its input, or may change anything."""
_ASKS_VERSION = frozenset({"--version", "--help", "-version"})


def read_command(command: str, cwd: str, rules: ShellRules) -> Reading:
    """Tell what a shell command accesses. Never raises; what cannot be read is `Kind.UNKNOWN`.

    Args:
        command: the command line as the model wrote it.
        cwd: the directory it runs in; empty when not known.
        rules: which commands are polls, and what further programs do.
    """
    walk = _Walk(cwd or "", rules)
    walk.script(command)
    return walk.reading(command)


def knows_program(program: str) -> bool:
    """Whether the tables say what a program does; a path is taken to run anything."""
    return program in _HANDLERS or "/" in program


@dataclass(slots=True)
class _Walk:
    cwd: str | None
    rules: ShellRules
    depth: int = 0
    budget: list[int] = field(default_factory=lambda: [_BUDGET])
    """What is left of it, shared by all inner walks."""
    variables: dict[str, str | None] = field(default_factory=dict)
    functions: set[str] = field(default_factory=set)
    effects: list[Effect] = field(default_factory=list)
    polls: list[bool] = field(default_factory=list)
    waits: bool = False
    programs: dict[str, None] = field(default_factory=dict)

    def reading(self, command: str) -> Reading:
        """What was walked, in one."""
        polling = self.waits or (bool(self.polls) and all(self.polls))
        return sum_up(self.effects, command, polling=polling, cwd=self.cwd, programs=tuple(self.programs))

    def script(self, text: str) -> None:
        """Walk a command line; what is no shell text is unknown."""
        self.budget[0] -= len(text)
        found = parse(text) if self.depth <= _DEEPEST and self.budget[0] >= 0 else None
        if found is None:
            self.effects.append(UNKNOWN)
            return
        for pipeline in found:
            self.effects.append(self.pipeline(pipeline))

    def pipeline(self, pipeline: Pipeline) -> Effect:
        """The effect of some stages, of which only the last one's output is shown."""
        kind = Kind.NEUTRAL
        mutates: tuple[str, ...] = ()
        effect: Effect | None = None
        piped = len(pipeline.stages) > 1
        for stage in pipeline.stages:
            effect = self._stage(stage, effect, piped=piped)
            kind = max(kind, effect.kind)
            mutates += effect.mutates
        last = effect or NOTHING
        return Effect(kind, last.targets, mutates, last.form)

    def _stage(self, stage: Simple | Group, stdin: Effect | None, *, piped: bool) -> Effect:
        if isinstance(stage, Group):
            return self._group(stage, stdin, piped=piped)
        before = len(self.effects)
        self._inside(stage.inner)
        substituted = self.effects[before:]
        del self.effects[before:]
        for name, value in stage.assignments:
            self.variables[name] = self._expand(value)
        arguments = [self._expand(word) for word in stage.words]
        effect = self._redirected(stage.redirects, stdin, lambda given: self._command(arguments, given))
        return with_inner(effect, substituted)

    def _group(self, group: Group, stdin: Effect | None, *, piped: bool) -> Effect:
        if group.function:
            self.functions.add(group.function)
        inner = self if not (group.subshell or piped or group.function) else self._copy()
        before = len(inner.effects)
        for pipeline in group.body:
            inner.effects.append(inner.pipeline(pipeline))
        found = inner.effects[before:]
        del inner.effects[before:]
        self.waits = self.waits or inner.waits
        whole = Effect(
            max((one.kind for one in found), default=Kind.NEUTRAL),
            tuple(target for one in found for target in one.targets),
            tuple(name for one in found for name in one.mutates),
            found[0].form if len({one.form for one in found if one.targets}) == 1 else "",
        )
        via = narrowing({"via": digest(repr(group.body))})
        return self._redirected(group.redirects, stdin, lambda given: through(whole, given, via))

    def _inside(self, body: Sequence[Pipeline]) -> None:
        if body:
            self.effects.append(self._group(Group(tuple(body), subshell=True), None, piped=True))

    def _copy(self) -> _Walk:
        return _Walk(
            self.cwd,
            self.rules,
            depth=self.depth + 1,
            budget=self.budget,
            variables=dict(self.variables),
            functions=set(self.functions),
            polls=self.polls,
            programs=self.programs,
        )

    def _redirected(
        self, redirects: Sequence[Redirect], stdin: Effect | None, run: Callable[[Effect | None], Effect]
    ) -> Effect:
        written: list[str] = []
        silent = False
        for one in redirects:
            target = self._expand(one.target) if one.target is not None else None
            if one.operator in ("<<", "<<<"):
                stdin = NOTHING
            elif one.operator == "<":
                stdin = Effect(Kind.READS, (Target("read", self._call("", (), None).path(target), ""),))
            elif one.operator in (">&", "<&") and (target is None or target.isdigit() or target == "-"):
                continue
            elif target in _HARMLESS_FILES:
                silent = silent or (target == "/dev/null" and not one.to_errors)
            else:
                written.append(self._call("", (), None).path(target))
                silent = silent or not one.to_errors
        effect = run(stdin)
        if written:
            effect = effect._replace(kind=Kind.RUNS, mutates=effect.mutates + tuple(written))
        return effect._replace(targets=()) if silent else effect

    def _expand(self, word: Word) -> Argument:
        text = ""
        for part in word.parts:
            value = self._variable(part) if isinstance(part, Variable) else part
            if value is None:
                return None
            text += value
        return text

    def _variable(self, variable: Variable) -> str | None:
        if variable.name == "PWD":
            return self.cwd or None
        value = self.variables.get(variable.name)
        return value if value is not None and not value.split()[1:] else None

    def _call(self, program: str, arguments: Sequence[Argument], stdin: Effect | None) -> Call:
        return Call(program, tuple(arguments), self.cwd, stdin, lambda inner: self._command(inner, None))

    def _command(self, words: Sequence[Argument], stdin: Effect | None) -> Effect:
        """The effect of one simple command."""
        if not words:
            return NOTHING if stdin is None else stdin._replace(kind=Kind.NEUTRAL, targets=())
        if words[0] is None:
            return UNKNOWN
        program = words[0].rpartition("/")[2] if words[0].startswith(("/bin/", "/usr/")) else words[0].lstrip("\\")
        arguments = words[1:]
        if self.rules.waits(text_of(program, arguments)):
            self.waits = True
        if self.depth > _DEEPEST:
            return ANYTHING
        self.depth += 1
        effect = self._special(program, arguments, stdin) or self._program(program, arguments, stdin)
        self.depth -= 1
        return effect

    def _special(self, program: str, arguments: Sequence[Argument], stdin: Effect | None) -> Effect | None:
        """Commands that change how others are read; None for all else."""
        if program in ("cd", "pushd", "popd"):
            return self._change_directory(program, arguments)
        if program in ("read", "mapfile", "readarray", "unset", "getopts"):
            self.variables.update(dict.fromkeys((one for one in arguments if one), None))
            return NOTHING
        if program in (".", "source"):
            return NOTHING if arguments and (arguments[0] or "").endswith("/activate") else ANYTHING
        if program in programs.SHELLS:
            return self._shell(arguments)
        if program == "eval":
            return self._inner_script(None if None in arguments else " ".join(one or "" for one in arguments))
        if program == "xargs":
            return self._xargs(arguments, stdin)
        if program == "command" and arguments[:1] in (["-v"], ["-V"]):
            return self._program("command-v", arguments[1:], None)
        if program in programs.WRAPPERS:
            return self._wrapped(program, arguments, stdin)
        if program in self.functions or program in programs.NEUTRAL:
            return NOTHING
        return None

    def _program(self, program: str, arguments: Sequence[Argument], stdin: Effect | None) -> Effect:
        self.programs.setdefault(program)
        handler = _OF_OWN_RULE.get(self.rules.programs.get(program, Kind.UNKNOWN)) or _HANDLERS.get(program)
        if handler is None:
            return ANYTHING if "/" in program else UNKNOWN
        if len(arguments) == 1 and arguments[0] in _ASKS_VERSION:
            effect = reads("inspect", [""], narrowing({"via": text_of(program, arguments)}))
        else:
            effect = handler(self._call(program, arguments, stdin))
        if effect.kind is Kind.READS and (stdin is None or not stdin.targets):
            self.polls.append(self.rules.polls(text_of(program, arguments)))
        return effect

    def _change_directory(self, program: str, arguments: Sequence[Argument]) -> Effect:
        operands = [one for one in arguments if one not in ("-P", "-L", "-e", "--")]
        if program == "popd" or len(operands) > 1:
            self.cwd = None
        elif not operands:
            self.cwd = "~"
        else:
            to = self._call("", (), None).path(operands[0] if operands[0] != "-" else None)
            self.cwd = None if to == UNNAMED else to
        return NOTHING

    def _shell(self, arguments: Sequence[Argument]) -> Effect:
        """`bash -lc '…'`; a shell without `-c` runs a file or its input."""
        for at, one in enumerate(arguments):
            if one is None or not one.startswith("-"):
                break
            if not one.startswith("--") and "c" in one:
                return self._inner_script(arguments[at + 1] if at + 1 < len(arguments) else None)
        return ANYTHING

    def _inner_script(self, text: str | None) -> Effect:
        if text is None:
            return ANYTHING
        inner = self._copy()
        inner.script(text)
        self.waits = self.waits or inner.waits
        found = inner.reading(text)
        return Effect(found.kind, found.targets, found.mutates, found.form)

    def _wrapped(self, program: str, arguments: Sequence[Argument], stdin: Effect | None) -> Effect:
        options = split(arguments, programs.WRAPPERS[program], stop=True)
        if options.has("-S", "-C", "--chdir", "-D", "-i", "-s", "--split-string") and program in ("env", "sudo"):
            return ANYTHING
        words = list(options.operands)[programs.OPERANDS_BEFORE_COMMAND.get(program, 0) :]
        while program == "env" and words and words[0] is not None and "=" in words[0]:
            words.pop(0)
        if not words:
            return self._program(program, arguments, stdin) if program == "env" else NOTHING
        return self._command(words, stdin)

    def _xargs(self, arguments: Sequence[Argument], stdin: Effect | None) -> Effect:
        options = split(arguments, programs.XARGS_VALUED, stop=True)
        words: list[Argument] = [None if one is not None and "{}" in one else one for one in options.operands]
        if not words:
            return stdin or NOTHING
        effect = self._command([*words, None], None)
        via = narrowing({"via": text_of("xargs", words)})
        if effect.kind is not Kind.READS or not effect.targets:
            return through(effect, stdin, via)
        sources = stdin.targets if stdin is not None and stdin.targets else (Target("", UNNAMED, ""),)
        return effect._replace(
            targets=tuple(Target(effect.targets[0].action, one.resource, join(one.span, via)) for one in sources)
        )
