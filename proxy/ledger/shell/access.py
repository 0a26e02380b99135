"""The values that commands are read into: what one command of a script accesses, and in what setting it stands."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import IntEnum
from typing import NamedTuple

from proxy.ledger.keys import spans
from proxy.ledger.keys.paths import is_absolute, normalise_path

_MOST = 200

UNNAMED = "\0"
"""The resource that only the running shell can name; no path holds a NUL."""

Argument = str | None
"""One argument after expansion; None when only the running shell knows it."""


class Kind(IntEnum):
    """What a command does; a script does the greatest of what its commands do."""

    NEUTRAL = 0
    """Neither shows a resource nor changes one: `cd`, `echo`, `true`."""
    READS = 1
    UNKNOWN = 2
    """Nothing is known of the program."""
    RUNS = 3
    """Writes, or runs something that may."""


class Target(NamedTuple):
    """One resource that a command shows."""

    action: str
    resource: str
    """Normalised; empty for facts of no resource, `UNNAMED` when only the running shell knows it."""
    span: str


class Effect(NamedTuple):
    """What one command does."""

    kind: Kind
    targets: tuple[Target, ...] = ()
    mutates: tuple[str, ...] = ()
    """Resources written; the empty name = may change anything."""
    form: str = ""
    """How its output decorates lines: `numbered` (`cat -n`), `matches` (`path:number:`), `paths`, or empty."""


NOTHING = Effect(Kind.NEUTRAL)
UNKNOWN = Effect(Kind.UNKNOWN, mutates=("",))
ANYTHING = Effect(Kind.RUNS, mutates=("",))
"""Runs what may change anything."""


class Call(NamedTuple):
    """One simple command, as its reader sees it."""

    program: str
    arguments: tuple[Argument, ...]
    cwd: str | None
    """Empty when not told, None when a `cd` went where the text does not say."""
    stdin: Effect | None
    """What is piped or redirected into it; None for nothing."""
    effect_of: Callable[[Sequence[Argument]], Effect]
    """Reads an inner command (`find -exec`)."""

    def path(self, argument: Argument) -> str:
        """The resource that an argument names; `UNNAMED` when that cannot be said."""
        if argument is None or (self.cwd is None and not is_absolute(argument)):
            return UNNAMED
        return normalise_path(argument, self.cwd or "")

    def here(self) -> str:
        """The working directory as a resource."""
        return UNNAMED if self.cwd is None else normalise_path(self.cwd or ".")


def reads(action: str, paths: Sequence[str], span: str = "", form: str = "") -> Effect:
    """The effect of showing the same part of some resources, of which the first `_MOST` are named."""
    return Effect(Kind.READS, tuple(Target(action, path, span) for path in dict.fromkeys(paths[:_MOST])), form=form)


def passes(call: Call, via: str, action: str = "") -> Effect:
    """What is piped in leaves changed by `via`; without input nothing is shown."""
    if call.stdin is None or not call.stdin.targets:
        return NOTHING
    found = call.stdin.targets
    return Effect(
        Kind.READS,
        tuple(Target(action or one.action, one.resource, narrowed(one.span, via)) for one in found),
        form="" if via else call.stdin.form,
    )


def narrowed(span: str, via: str) -> str:
    """A span after a command that is named by its text."""
    return spans.join(span, spans.narrowing({"via": via})) if via else span


def text_of(program: str, arguments: Sequence[Argument]) -> str:
    """A command as one line; what only the running shell knows stands as `…`."""
    return " ".join([program, *("…" if one is None else one for one in arguments)])


def through(whole: Effect, stdin: Effect | None, via: str) -> Effect:
    """What is piped into a loop that only prints leaves it changed: `while read line; do echo "$line"; done`."""
    if stdin is None or whole.kind is not Kind.NEUTRAL:
        return whole
    return Effect(stdin.kind, tuple(one._replace(span=spans.join(one.span, via)) for one in stdin.targets))


def with_inner(effect: Effect, inner: Sequence[Effect]) -> Effect:
    """A command and what its substitutions run: their output is an argument, not shown."""
    if not inner:
        return effect
    kind = max(effect.kind, *(one.kind if one.kind is not Kind.READS else Kind.NEUTRAL for one in inner))
    return effect._replace(kind=kind, mutates=effect.mutates + tuple(name for one in inner for name in one.mutates))
