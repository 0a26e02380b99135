"""`explain` of every class, on calls that the real journey classed."""

from __future__ import annotations

from datetime import UTC
from functools import cache

import pytest

from proxy.cli.views.explain import MEANING, call_lines
from proxy.ledger.classify import REREADS
from proxy.model.facts import Label
from proxy.story.story import Story
from tests.support.classes import EXPECTED, a_session_of_every_class, call_of


@cache
def told() -> Story:
    return a_session_of_every_class()


def page(name: str) -> dict[str, str]:
    """Rows by name; the sentence stands at the empty one."""
    lines = call_lines(told(), call_of(told(), name), zone=UTC)
    rows = dict(line.strip().split("  ", 1) for line in lines[2:] if "  " in line.strip())
    return {key: text.strip() for key, text in rows.items()} | {
        "": lines[1].strip(),
        "head": lines[0],
        "foot": lines[-1],
    }


def test_the_session_holds_every_class() -> None:
    assert set(EXPECTED.values()) == set(Label) == set(MEANING)


@pytest.mark.parametrize("name", EXPECTED)
def test_a_page_says_the_class_the_reason_and_what_it_means(name: str) -> None:
    label, shown = EXPECTED[name], page(name)
    assert shown["class"].startswith(f"{label}: ")
    assert "no reason recorded" not in shown["class"]
    assert shown[""].endswith(".")
    assert shown["tool rule"] != "none"
    assert len(shown["arguments"].split()[1].rstrip(",")) == 64
    assert name in shown["asked"]


@pytest.mark.parametrize("name", [name for name, label in EXPECTED.items() if label in REREADS])
def test_a_re_read_shows_both_hashes_the_boundary_and_what_was_charged(name: str) -> None:
    shown = page(name)
    assert shown["repeats"].startswith("observation main/")
    assert shown["its content"].startswith("sha256 ")
    assert shown["dropped by"].startswith("b1, ")
    assert "turns before" in shown["dropped by"] or "1 turn before" in shown["dropped by"]
    assert "reference tokens: " in shown["charged"]
    assert shown["foot"].strip() == f"next: compaction-gate explain {told().session.session[:8]}:b1"
    same = shown["its content"].split()[1] in shown["answer"]
    assert same is (EXPECTED[name] in (Label.REACQUISITION, Label.VARIANT)), "what is the same is seen to be the same"


def test_a_part_is_charged_by_the_lines_that_came_back() -> None:
    assert page("subset")["charged"] == "36 reference tokens: the 4 lines that came back"
    assert page("exact")["charged"].endswith("arguments and whole answer")


def test_what_only_was_compared_is_not_called_a_repeat() -> None:
    shown = page("refresh")
    assert "compared with" in shown
    assert "repeats" not in shown


def test_a_tool_without_a_rule_leads_to_the_command_that_proposes_one() -> None:
    shown = page("unknown")
    assert shown[""].startswith("No rule knows this tool")
    assert shown["tool rule"] == "no rule for thing"
    assert shown["foot"].strip() == "next: compaction-gate tools suggest"


def test_without_an_answer_none_is_made_up() -> None:
    for name in ("pending", "unanswered"):
        assert page(name)["answer"] == "none"
        assert page(name)["copy visible"] == "not asked"
