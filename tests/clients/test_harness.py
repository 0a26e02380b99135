"""The harness itself: what it compares, how it says so, and that a missing client is told and never skipped."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.clients.catalogue import SCENARIOS
from tests.clients.check import Finding
from tests.clients.programs.install import NotAvailableError, install
from tests.clients.programs.packages import Npm
from tests.clients.report import FAILED, NOT_RUN, Outcome, exit_status, lines_of
from tests.clients.scenario import Kind, Scenario, is_needed, place_of

GOOD, BAD = Finding("calls", 2, 2), Finding("calls", 2, 3)


def outcome(*findings: Finding, not_run: str = "") -> Outcome:
    return Outcome(client="client", scenario="scenario", findings=findings, not_run=not_run)


@pytest.mark.parametrize(
    ("outcomes", "status"),
    [
        ([outcome(GOOD)], 0),
        ([outcome(GOOD), outcome(GOOD, BAD)], FAILED),
        ([outcome(GOOD), outcome(not_run="npm is not installed")], NOT_RUN),
        ([outcome(BAD), outcome(not_run="npm is not installed")], FAILED),
        ([], NOT_RUN),
    ],
)
def test_nothing_run_is_never_a_success(outcomes: list[Outcome], status: int) -> None:
    assert exit_status(outcomes) == status


def test_what_does_not_hold_is_printed_with_both_sides() -> None:
    assert lines_of(outcome(GOOD, BAD))[1].strip() == "calls: expected 2, found 3"
    assert lines_of(outcome(not_run="npm is not installed"))[1].strip() == "npm is not installed"


async def test_without_npm_a_client_is_not_available(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(NotAvailableError, match="npm is not installed"):
        await install(Npm.CLAUDE_CODE_197, tmp_path)


async def test_a_program_of_another_version_is_not_taken(tmp_path: Path) -> None:
    program = tmp_path / "claude-code-2.1.197/node_modules/.bin/claude"
    program.parent.mkdir(parents=True)
    (tmp_path / "claude-code-2.1.197/.ready").write_text(Npm.CLAUDE_CODE_197.value.specs[0], encoding="utf-8")
    program.write_text("#!/bin/sh\necho 9.9.9\n", encoding="utf-8")
    program.chmod(0o755)
    with pytest.raises(NotAvailableError, match=r"9\.9\.9"):
        await install(Npm.CLAUDE_CODE_197, tmp_path)


def test_a_call_id_names_its_place_in_the_script() -> None:
    assert place_of("toolu_read-twice_3_n0_0123abcd") == "read-twice.3.n0"
    assert place_of("toolu_01foreign") == "toolu_01foreign"
    assert is_needed("read-twice.3.n0")
    assert not is_needed("read-twice.3.a0")


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
def test_labels_name_steps_that_exist(scenario: Scenario, tmp_path: Path) -> None:
    steps = {f"{script.name}.{at}" for script in scenario.scripts(tmp_path) for at in range(len(script.steps))}
    assert {label.rpartition(".")[0] for label in scenario.labels} <= steps


def test_scenario_names_are_unique_and_every_client_has_some() -> None:
    assert len({scenario.name for scenario in SCENARIOS}) == len(SCENARIOS)
    assert {kind for scenario in SCENARIOS for kind in scenario.clients} == set(Kind)
