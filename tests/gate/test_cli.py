from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from gate.cli import foreign_packages

ROOT = Path(__file__).parents[2]


def test_our_own_packages_are_recognised() -> None:
    assert foreign_packages() == []


def test_a_package_of_the_same_name_from_elsewhere_is_refused_before_it_runs(tmp_path: Path) -> None:
    (tmp_path / "config").mkdir()
    (tmp_path / "config/__init__.py").write_text("raise SystemExit('foreign code ran')")
    program = f"import sys; sys.path[:0] = [{str(tmp_path)!r}, {str(ROOT)!r}]; from gate.cli import main; main()"
    typed = subprocess.run([sys.executable, "-c", program, "version"], capture_output=True, text=True, check=False)
    assert typed.returncode == 70
    assert "another distribution's package hides ours: config" in typed.stderr


def test_python_minus_m_runs_the_same_command_line() -> None:
    typed = subprocess.run(
        [sys.executable, "-m", "gate", "nothing"], capture_output=True, text=True, cwd=ROOT, check=False
    )
    assert typed.returncode == 64


def test_standard_streams_that_are_closed_are_no_fault_and_no_file_of_ours_takes_their_place(tmp_path: Path) -> None:
    command = f"{sys.executable} -m gate --data {tmp_path} config show <&- >&- 2>&-"
    assert subprocess.run(["/bin/sh", "-c", command], cwd=ROOT, check=False).returncode == 0
