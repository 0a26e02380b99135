from __future__ import annotations

import errno
import io
import os
import subprocess
import sys
from pathlib import Path

import click
import pytest

from config.errors import Problem, SettingsError
from proxy.cli.failures import report
from proxy.cli.invocation import Invocation
from proxy.model.errors import CannotWriteError, InputError, NewerVersionError, UnreachableError, UsageError
from tests.support.typed import type_command

CANARY = "sk-ant-canary-0123456789"


def raising(error: BaseException, data: Path | None = None) -> click.Command:
    @click.command()
    @click.pass_obj
    def command(invocation: Invocation) -> None:
        invocation.data = data
        raise error

    return command


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (UsageError("x"), 64),
        (click.UsageError("x"), 64),
        (click.BadParameter("x"), 64),
        (InputError("f", "line 2", "a", "b"), 65),
        (NewerVersionError("f", "", "a", "b"), 65),
        (click.FileError("f"), 65),
        (UnreachableError("x"), 69),
        (CannotWriteError("x"), 73),
        (PermissionError(errno.EACCES, "x", "/f"), 73),
        (OSError(errno.ENOSPC, "x", "/f"), 73),
        (OSError(errno.EBADF, "x"), 70),
        (SettingsError([Problem("k", 1, "default", "w")]), 78),
        (KeyboardInterrupt(), 130),
        (click.Abort(), 130),
    ],
)
def test_each_error_leaves_with_its_code(error: BaseException, code: int) -> None:
    assert type_command(command=raising(error)).code == code


def test_what_an_error_quotes_does_not_steer_the_terminal() -> None:
    typed = type_command(command=raising(InputError("f", "line 2", "\x1b]0;owned\x07\rall is well", "b")))
    assert not set("\x1b\x07\r") & set(typed.err)


def test_an_error_of_the_user_is_one_line_and_no_report(tmp_path: Path) -> None:
    typed = type_command(command=raising(CannotWriteError("/x: no space left on device"), tmp_path))
    assert typed.err == "compaction-gate: /x: no space left on device\n"
    assert list(tmp_path.iterdir()) == []


def test_our_own_fault_is_70_with_a_report_in_the_data_folder_that_quotes_no_value(tmp_path: Path) -> None:
    fault = KeyError(CANARY)
    fault.__cause__ = RuntimeError(f"while reading {CANARY}")
    typed = type_command(command=raising(fault, tmp_path))
    (path,) = tmp_path.iterdir()
    assert typed.code == 70
    assert f"report: {path}" in typed.err
    assert path.stat().st_mode & 0o777 == 0o600
    text = path.read_text()
    assert "builtins.KeyError" in text
    assert "builtins.RuntimeError" in text
    assert "test_failures.py" in text
    assert CANARY not in text + typed.err + typed.out


def test_a_report_names_no_folder_above_our_packages() -> None:
    with pytest.raises(ValueError, match=CANARY) as caught:
        raising(ValueError(CANARY)).main([], standalone_mode=False, obj=Invocation())
    text = report(caught.value)
    assert str(Path(__file__).parents[3]) not in text


def test_the_commands_own_status_is_returned() -> None:
    @click.command()
    @click.pass_context
    def command(context: click.Context) -> None:
        context.exit(139)

    assert type_command(command=command).code == 139


@pytest.mark.parametrize("words", ["config show", "--help", "status --help"])
def test_a_reader_that_stops_reading_is_no_error(words: str) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    typed = subprocess.run(
        [sys.executable, "-m", "gate", *words.split()], stdout=writing, stderr=subprocess.PIPE, check=False
    )
    os.close(writing)
    assert (typed.returncode, typed.stderr) == (0, b"")


@pytest.mark.parametrize("words", ["config show", "--help", "metrics"])
def test_an_output_without_room_is_no_fault_of_ours(words: str) -> None:
    with Path("/dev/full").open("w") as full:
        typed = subprocess.run(
            [sys.executable, "-m", "gate", *words.split()], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert typed.returncode == 73
    assert typed.stderr == "compaction-gate: output: no space left on device\n"


def test_output_that_a_terminal_cannot_show_is_replaced_not_refused() -> None:
    environment = os.environ | {"PYTHONIOENCODING": "ascii"}
    typed = subprocess.run([sys.executable, "-m", "gate", "version"], capture_output=True, env=environment, check=False)
    assert (typed.returncode, typed.stderr) == (0, b"")
    assert isinstance(io.BytesIO(typed.stdout).read(), bytes)
