"""Compiled rules."""

from __future__ import annotations

from config.tool_rules import load
from proxy.ledger.rules import compile_rules, glob


def test_names_are_matched_whole_and_case_sensitively() -> None:
    assert glob("mcp__*__read").match("mcp__fs__read")
    assert not glob("Read").match("ReadMore")
    assert not glob("Read").match("read")


def test_the_digest_holds_the_revision_of_the_shell_reading() -> None:
    assert compile_rules(load(), 1).digest != compile_rules(load(), 2).digest
    assert compile_rules(load(), 1).digest == compile_rules(load(), 1).digest


def test_rules_keep_their_order() -> None:
    names = [int(rule.name.rpartition(":")[2]) for rule in compile_rules(load(), 1).tools]
    assert names == sorted(names)
