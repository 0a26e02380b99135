from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.typed import type_command


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_of_each_shell_asks_this_program(shell: str) -> None:
    typed = type_command("completion", shell)
    assert typed.code == 0
    assert "_COMPACTION_GATE_COMPLETE" in typed.out
    assert typed.lines[0].startswith("# ")


def test_another_shell_is_wrong_use() -> None:
    assert type_command("completion", "tcsh").code == 64


def test_a_real_bash_is_given_our_commands() -> None:
    script = Path(sys.executable).with_name("compaction-gate")
    environment = os.environ | {
        "_COMPACTION_GATE_COMPLETE": "bash_complete", "COMP_WORDS": "compaction-gate se", "COMP_CWORD": "1",
    }  # fmt: skip
    found = subprocess.run([script], env=environment, capture_output=True, text=True, check=False)
    assert set(found.stdout.split()) >= {"plain,session", "plain,sessions", "plain,serve"}


def test_bash_itself_takes_the_script(tmp_path: Path) -> None:
    file = tmp_path / "completion.bash"
    file.write_text(type_command("completion", "bash").out)
    subprocess.run(["bash", "-n", file], check=True)
