"""Flags and operands, in the manner of getopt_long."""

from __future__ import annotations

import pytest

from proxy.ledger.shell.options import Flag, Options, split


@pytest.mark.parametrize(
    ("arguments", "flags", "operands"),
    [
        (["-rn", "x", "f"], [("-r", ""), ("-n", "")], ["x", "f"]),
        (["-A5", "x"], [("-A", "5")], ["x"]),
        (["-A", "5", "x"], [("-A", "5")], ["x"]),
        (["-rA", "5", "x"], [("-r", ""), ("-A", "5")], ["x"]),
        (["--max=3", "x"], [("--max", "3")], ["x"]),
        (["--max", "3", "x"], [("--max", "3")], ["x"]),
        (["--other", "x"], [("--other", "")], ["x"]),
        (["-50", "f"], [("-#", "50")], ["f"]),
        (["--", "-x", "f"], [], ["-x", "f"]),
        (["-", "f"], [], ["-", "f"]),
        (["f", "-r"], [("-r", "")], ["f"]),
        ([None, "-A"], [("-A", "")], [None]),
        (["-A", None], [("-A", None)], []),
        ([""], [], [""]),
    ],
)
def test_arguments_are_told_apart(
    arguments: list[str | None], flags: list[tuple[str, str | None]], operands: list[str | None]
) -> None:
    found = split(arguments, {"-A", "--max"})
    assert found == Options(tuple(Flag(*flag) for flag in flags), tuple(operands))


def test_a_wrapper_s_options_end_where_its_command_begins() -> None:
    assert split(["-u", "bob", "cat", "-n", "f"], {"-u"}, stop=True).operands == ("cat", "-n", "f")


def test_flags_in_any_order_are_one_text() -> None:
    assert split(["-l", "-a", "-a"]).text() == split(["-al"]).text() == "-a -l"
