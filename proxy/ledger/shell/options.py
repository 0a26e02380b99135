"""Flags and operands of one command, in the manner of getopt_long."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import NamedTuple

from proxy.ledger.shell.access import Argument

_COUNT = re.compile(r"-\d+", re.ASCII)


def words(text: str) -> frozenset[str]:
    """A table's entries, written as one text."""
    return frozenset(text.split())


class Flag(NamedTuple):
    """One option as given."""

    name: str
    """`-n`, `--include`; `-#` for a count given as `-50`."""
    value: Argument
    """Empty for a flag without one."""


class Options(NamedTuple):
    """A command's arguments, told apart."""

    flags: tuple[Flag, ...]
    operands: tuple[Argument, ...]

    def has(self, *names: str) -> bool:
        """True when any of these was given."""
        return any(flag.name in names for flag in self.flags)

    def values(self, *names: str) -> list[Argument]:
        """The values given under any of these names, in order."""
        return [flag.value for flag in self.flags if flag.name in names]

    def text(self, *without: str) -> str:
        """The flags as one line in a fixed order, each once, some left out."""
        shown = {
            f"{flag.name}={'…' if flag.value is None else flag.value}" if flag.value != "" else flag.name
            for flag in self.flags
            if flag.name not in without
        }
        return " ".join(sorted(shown))


def split(arguments: Sequence[Argument], valued: Collection[str] = (), *, stop: bool = False) -> Options:
    """Tell flags from operands.

    Args:
        arguments: what follows the program's name.
        valued: the options that take a value, as `-n` or `--include`.
        stop: everything from the first operand on is operands (wrappers such as `sudo`).
    """
    flags: list[Flag] = []
    operands: list[Argument] = []
    rest = list(reversed(arguments))
    while rest:
        one = rest.pop()
        if one == "--":
            operands += reversed(rest)
            break
        if one is None or len(one) < 2 or one[0] != "-":
            operands.append(one)
            if stop:
                operands += reversed(rest)
                break
        elif one.startswith("--"):
            name, equals, value = one.partition("=")
            flags.append(Flag(name, value if equals else _next(rest) if name in valued else ""))
        elif _COUNT.fullmatch(one):
            flags.append(Flag("-#", one[1:]))
        else:
            flags += _cluster(one[1:], rest, valued)
    return Options(tuple(flags), tuple(operands))


def _cluster(letters: str, rest: list[Argument], valued: Collection[str]) -> list[Flag]:
    flags = []
    for at, letter in enumerate(letters, start=1):
        name = f"-{letter}"
        if name in valued:
            flags.append(Flag(name, letters[at:] or _next(rest)))
            break
        flags.append(Flag(name, ""))
    return flags


def _next(rest: list[Argument]) -> Argument:
    return rest.pop() if rest else ""
