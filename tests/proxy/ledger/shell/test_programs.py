"""The tables of programs agree with each other."""

from __future__ import annotations

from proxy.ledger.shell import programs
from proxy.ledger.shell.editors import EDITORS
from proxy.ledger.shell.readers import READERS


def test_no_program_both_shows_and_changes() -> None:
    assert READERS.keys() & EDITORS.keys() == set()


def test_what_does_nothing_and_what_wraps_has_no_other_reader() -> None:
    assert programs.NEUTRAL & (READERS.keys() | EDITORS.keys()) == set()
    assert (programs.WRAPPERS.keys() | programs.SHELLS) & (READERS.keys() | EDITORS.keys()) <= {"env"}


def test_options_with_a_value_are_options() -> None:
    tables = [*programs.VALUED.values(), *programs.WRAPPERS.values(), programs.XARGS_VALUED, programs.GIT_VALUED]
    assert all(name.startswith("-") for table in tables for name in table)
