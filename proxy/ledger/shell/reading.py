"""What a whole script accesses, summed up from what its commands do."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from proxy.ledger.keys.paths import digest
from proxy.ledger.keys.spans import join
from proxy.ledger.shell.access import UNNAMED, Effect, Kind, Target


class ShellRules(NamedTuple):
    """What rules say of commands: which are repeated because their answer changes, and what further programs do."""

    polls: Callable[[str], bool]
    """True for a source of output that is polled: `git status`, `ps`."""
    waits: Callable[[str], bool]
    """True for a command that makes its whole script a poll: `sleep`."""
    programs: Mapping[str, Kind] = MappingProxyType({})
    """Programs that the user's own rules name; they are asked before the tables."""


class Reading(NamedTuple):
    """What a script accesses."""

    kind: Kind
    targets: tuple[Target, ...]
    mutates: tuple[str, ...]
    form: str
    polling: bool
    cwd: str | None
    """The directory the shell is left in; None when the text does not say."""
    programs: tuple[str, ...]
    """The programs that were recognised or not, in order, each once."""


def sum_up(
    effects: Sequence[Effect], command: str, *, polling: bool, cwd: str | None, programs: tuple[str, ...]
) -> Reading:
    """A script does the greatest of what its commands do, and shows what they show in order."""
    shown = [one for one in effects if one.targets]
    kind = max((one.kind for one in effects), default=Kind.NEUTRAL)
    if kind is Kind.READS and not shown:
        kind = Kind.NEUTRAL
    targets = dict.fromkeys(_told_apart(target, command) for one in shown for target in one.targets)
    return Reading(
        kind=kind,
        targets=tuple(targets) if kind is Kind.READS else (),
        mutates=tuple(dict.fromkeys(_written(name) for one in effects for name in one.mutates)),
        form=shown[0].form if len({one.form for one in shown}) == 1 else "",
        polling=polling,
        cwd=cwd,
        programs=programs,
    )


def _told_apart(target: Target, command: str) -> Target:
    """Unnamed resources of different commands are different: the command's digest stands in the span."""
    if target.resource != UNNAMED:
        return target
    return Target(target.action, "", join(target.span, f"command={digest(command)}"))


def _written(resource: str) -> str:
    return "" if resource == UNNAMED else resource
