"""Which lines head, tail, sed and awk leave, checked against the programs themselves."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from proxy.ledger.keys import spans
from proxy.ledger.keys.spans import Lines
from proxy.ledger.shell import slices
from tests.support.shell import told

LINES = [f"line {number}" for number in range(1, 61)]

COMMANDS = [
    "head f",
    "head -7 f",
    "head -n 7 f",
    "tail -n +50 f",
    "tail +50 f",
    "sed -n '5p' f",
    "sed -n '10,20p' f",
    "sed -n '10,+5p' f",
    "sed -n '50,$p' f",
    "sed -n '1,5p;10,12p' f",
    "sed '10,20!d' f",
    "sed 20q f",
    "awk 'NR>=10 && NR<=20' f",
    "awk 'NR==5' f",
    "awk 'NR>5 && NR<8 {print}' f",
    "awk 'NR==5,NR==9' f",
    "cat f | head -50 | tail -10",
    "tail -n +10 f | head -20",
    "sed -n '10,50p' f | tail -5",
    "head -40 f | tail -n +35",
    "tail -n 20 f | tail -n 5",
    "tail -5 f",
]


@pytest.mark.skipif(not all(map(shutil.which, ("sh", "sed", "awk", "head", "tail"))), reason="no POSIX tools here")
@pytest.mark.parametrize("command", COMMANDS)
def test_the_span_names_the_lines_that_the_real_programs_print(command: str, tmp_path: object) -> None:
    text = "\n".join(LINES) + "\n"
    (folder := pytest.importorskip("pathlib").Path(str(tmp_path))).joinpath("f").write_text(text)
    printed = subprocess.run(["sh", "-c", command], cwd=folder, check=True, capture_output=True, text=True).stdout
    span = told(command).removeprefix("read:/w/f:")
    assert [line for piece in span.split(",") for line in cut(piece)] == printed.splitlines()


def cut(span: str) -> list[str]:
    piece = spans.parse(span)
    assert piece is not None, span
    if piece.first < 0:
        return LINES[piece.first :]
    return LINES[piece.first - 1 : piece.last]


@pytest.mark.parametrize(
    "script",
    ["s/a/b/w out", "w out", "1,5w out", "e rm x", "s/x/y/e", "r other", "1{p;w out}", "s/a/b/gw f", "W f", "R f", "F"],
)
def test_sed_scripts_that_write_run_or_are_not_known_do_not_only_show(script: str) -> None:
    assert not slices.sed_only_shows(script)


@pytest.mark.parametrize(
    "script",
    ["", "p", "1,5p", "$d", "/a/,/b/p", "s/a/b/g", "s|a/b|c|", "s/a\\/b/c/", "y/ab/cd/", "1d;2d", "/x/!d", "5q"],
)
def test_sed_scripts_that_only_show_are_known(script: str) -> None:
    assert slices.sed_only_shows(script)


def test_sed_prints_out_of_order_pieces_in_the_order_of_the_text() -> None:
    assert slices.sed("10,12p;1,5p", quiet=True) is None
    assert slices.sed("1,5p;3,8p", quiet=True) is None
    assert slices.sed("1,5p;8,9p", quiet=True) == (Lines(1, 5), Lines(8, 9))


@pytest.mark.parametrize(
    "program", ['{print > "f"}', "{print >> f}", 'BEGIN{system("x")}', '{print | "sh"}', "{print >$2}"]
)
def test_awk_programs_that_write_do_not_only_show(program: str) -> None:
    assert not slices.awk_only_shows(program)


@pytest.mark.parametrize("program", ["{print $1}", "$3 > 5", "$3 > 5 {print $1}", "/x/ {n++} END {print n}"])
def test_awk_programs_that_compare_and_print_only_show(program: str) -> None:
    assert slices.awk_only_shows(program)
