from __future__ import annotations

import re
from decimal import Decimal
from pathlib import Path

from tests.support.typed import type_command

AMOUNT = re.compile(r"^ {4}(\S.*?) {2,}.*\$(\d+\.\d{4})$", re.MULTILINE)
"""Lines of the bill that were measured."""


def test_the_demo_shows_one_compaction_whose_bill_adds_up_and_ends_with_commands_that_work(tmp_path: Path) -> None:
    typed = type_command("demo", "--folder", tmp_path / "demo")
    assert typed.code == 0
    assert "SIMULATED" in typed.lines[0]
    assert "RE-READ exact" in typed.out
    amounts = {name: Decimal(usd) for name, usd in AMOUNT.findall(typed.out)}
    measured = amounts.pop("measured")
    assert sum(amounts.values()) == measured
    again = type_command("--data", tmp_path / "demo/data", "session", "last")
    assert again.code == 0
    assert "· simulated ·" in again.lines[0]
    assert f"--data {tmp_path}/demo/data session last" in typed.out
    assert type_command("--data", tmp_path / "demo/data", "store", "verify").code == 0


def test_a_folder_that_holds_something_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("")
    typed = type_command("demo", "--folder", tmp_path)
    assert typed.code == 73
    assert (tmp_path / "mine").exists()
