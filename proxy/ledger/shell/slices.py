"""Which lines a `head`, `tail`, `sed` or `awk` leaves of a text, told from its arguments."""

from __future__ import annotations

import re

from proxy.ledger.keys.spans import Lines, line_number
from proxy.ledger.shell.options import Options

HEAD_VALUED = frozenset({"-n", "-c", "--lines", "--bytes"})
DEFAULT_LINES = 10

_SED_SAFE = re.compile(
    r"""\s*(?:
        (?:(?:\d+|\$|/(?:[^/\\\n]|\\.)*/|\d+~\d+)(?:\s*,\s*(?:[+~]?\d+|\$|/(?:[^/\\\n]|\\.)*/))?\s*!?\s*)?
        (?:[pdqD=lnNhHgGx]|s([/|,\#:@!%_])(?:(?!\1)[^\\\n]|\\.)*\1(?:(?!\1)[^\\\n]|\\.)*\1[gpiIM0-9]*
          |y/[^/\n]*/[^/\n]*/|[aic]\s[^;\n]*)?
    )\s*(?:;|\n|\Z)""",
    re.VERBOSE,
)
"""One sed command that only prints, changes or leaves out; `w`, `e`, `r` and blocks are not among them."""

_SED_LINES = re.compile(r"(\d+)(?:\s*,\s*(\+?)(\d+|\$))?\s*p")
_SED_KEPT = re.compile(r"(\d+)\s*,\s*(\d+|\$)\s*!\s*d")
_SED_QUIT = re.compile(r"(\d+)\s*q")

_AWK_UNSAFE = re.compile(r"system\s*\(|getline|\|\s*&?\s*[\"\w]|>>|close\s*\(")
_AWK_STATEMENT = re.compile(r"[;}\n]")
_AWK_REDIRECT = re.compile(r">\s*[\"\w(/$]")
_AWK_BETWEEN = re.compile(
    r"\s*\(?\s*(?:F?NR\s*(>=?|==)\s*(\d+))?\s*(&&)?\s*(?:F?NR\s*(<=?)\s*(\d+))?\s*\)?\s*(?:\{\s*print(?:\s+\$0)?\s*;?\s*\})?\s*"
)
_AWK_COMMA = re.compile(r"\s*F?NR\s*==\s*(\d+)\s*,\s*F?NR\s*==\s*(\d+)\s*(?:\{\s*print(?:\s+\$0)?\s*;?\s*\})?\s*")


def head(options: Options) -> Lines | None:
    """What `head` leaves; None when it counts bytes or from the end."""
    if options.has("-c", "--bytes"):
        return None
    given = options.values("-n", "--lines", "-#")
    count = line_number(given[-1]) if given else DEFAULT_LINES
    return Lines(1, count) if count is not None and count >= 0 and given[-1:] != ["-0"] else None


def tail(options: Options, old_style: str = "") -> Lines | None:
    """What `tail` leaves; None when it counts bytes. `old_style` is a `+N` operand."""
    if options.has("-c", "--bytes", "-b"):
        return None
    given = options.values("-n", "--lines", "-#")
    text = old_style or (given[-1] if given else str(DEFAULT_LINES)) or ""
    count = line_number(text)
    if count is None or count == 0:
        return None
    return Lines(count, None) if text.strip().startswith("+") else Lines(-abs(count), None)


def sed(script: str, *, quiet: bool) -> tuple[Lines, ...] | None:
    """The pieces that a sed script prints, in order; None when it does anything else."""
    commands = [one.strip() for one in re.split(r"[;\n]", script) if one.strip()]
    if quiet:
        found = [_SED_LINES.fullmatch(re.sub(r"q$", "", one) if one.endswith("pq") else one) for one in commands]
        pieces = tuple(_sed_piece(one) for one in found if one is not None)
        return pieces if pieces and len(pieces) == len(found) and _ascending(pieces) else None
    if len(commands) != 1:
        return None
    kept, quit_at = _SED_KEPT.fullmatch(commands[0]), _SED_QUIT.fullmatch(commands[0])
    if kept:
        return (Lines(int(kept[1]), None if kept[2] == "$" else int(kept[2])),)
    return (Lines(1, int(quit_at[1])),) if quit_at else None


def sed_only_shows(script: str) -> bool:
    """True when every command of a sed script is known to write nothing and run nothing."""
    at = 0
    while at < len(script):
        found = _SED_SAFE.match(script, at)
        if found is None or found.end() == at:
            return False
        at = found.end()
    return True


def awk(program: str) -> Lines | None:
    """The piece that an awk program prints unchanged; None when it does anything else."""
    comma = _AWK_COMMA.fullmatch(program)
    if comma:
        return Lines(int(comma[1]), int(comma[2]))
    found = _AWK_BETWEEN.fullmatch(program)
    if found is None or not (found[2] or found[5]) or bool(found[3]) != bool(found[2] and found[5]):
        return None
    if found[1] == "==":
        return Lines(int(found[2]), int(found[2])) if not found[5] else None
    first = int(found[2]) + (found[1] == ">") if found[2] else 1
    last = int(found[5]) - (found[4] == "<") if found[5] else None
    return Lines(first, last)


def awk_only_shows(program: str) -> bool:
    """True when an awk program writes no file and runs no command."""
    if _AWK_UNSAFE.search(program):
        return False
    printed = (one.partition("print")[2] for one in _AWK_STATEMENT.split(program))
    return not any(map(_AWK_REDIRECT.search, printed))


def _sed_piece(found: re.Match[str]) -> Lines:
    first = int(found[1])
    if found[3] is None:
        return Lines(first, first)
    if found[3] == "$":
        return Lines(first, None)
    return Lines(first, first + int(found[3]) if found[2] else int(found[3]))


def _ascending(pieces: tuple[Lines, ...]) -> bool:
    """Only what sed prints in the order of the text is a piece list: disjoint ascending pieces are what they seem."""
    at = 0
    for piece in pieces:
        if piece.first <= at or (piece.last is not None and piece.last < piece.first):
            return False
        at = piece.first if piece.last is None else piece.last
    return all(piece.last is not None for piece in pieces[:-1])
