"""`.ci/bootstrap` with an interpreter that is too old beside one that is not, and a uv that only takes notes."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

BOOTSTRAP = Path(__file__).parents[2] / ".ci" / "bootstrap"

UV = """#!/bin/sh
if [ "$1" = --version ]; then echo "uv 0.13.9"; else echo "$@" >> "$NOTES"; fi
case "$1" in venv) mkdir -p .venv ;; esac
"""

OLD_PYTHON = """#!/bin/sh
case "$1 $2" in
    "-c "*) exit 1 ;;
    "-m venv") mkdir -p "$3/bin"; cp "$0" "$3/bin/python" ;;
    "-m pip") cp "$NOTED_UV" .tools/uv/bin/uv ;;
esac
"""

NEW_PYTHON = """#!/bin/sh
case "$2" in *executable*) echo "$0" ;; esac
"""


def program(path: Path, text: str) -> Path:
    path.write_text(text, "utf-8")
    path.chmod(0o755)
    return path


@pytest.fixture
def machine(tmp_path: Path) -> dict[str, str]:
    """Variables of a machine whose `python3` is older than 3.12."""
    (tmp_path / "bin").mkdir()
    program(tmp_path / "bin" / "python3", OLD_PYTHON)
    path = f"{tmp_path / 'bin'}:/usr/bin:/bin"
    noted_uv, notes = program(tmp_path / "uv", UV), tmp_path / "notes"
    return {"PATH": path, "HOME": str(tmp_path), "NOTED_UV": str(noted_uv), "NOTES": str(notes)}


def bootstrap(folder: Path, variables: dict[str, str]) -> list[str]:
    """What uv was told, line by line."""
    subprocess.run(["/bin/sh", BOOTSTRAP, ".venv"], cwd=folder, env=variables, check=True)
    return Path(variables["NOTES"]).read_text("utf-8").splitlines()


@pytest.mark.parametrize("has_uv", [False, True])
def test_the_environment_gets_the_new_interpreter_also_when_an_old_one_had_to_bring_uv(
    tmp_path: Path, machine: dict[str, str], *, has_uv: bool
) -> None:
    new = program(tmp_path / "bin" / "python3.14", NEW_PYTHON)
    if has_uv:
        os.link(machine["NOTED_UV"], tmp_path / "bin" / "uv")
    told = bootstrap(tmp_path, machine)
    assert told[0] == f"venv -q --clear --python {new} .venv"
