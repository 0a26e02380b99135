"""What a shell command is told to access, as one line that a table of cases can hold."""

from __future__ import annotations

import re

from proxy.ledger.shell.access import Kind
from proxy.ledger.shell.reading import Reading, ShellRules
from proxy.ledger.shell.walk import read_command

CWD = "/w"
_DIGEST = re.compile(r"#[0-9a-f]{16}")
_POLLED = ("ps", "git status", "date")
_WAITS = ("sleep", "watch", "tail -f")
WAITING = ShellRules(polls=lambda text: text.startswith(_POLLED), waits=lambda text: text.startswith(_WAITS))


def told(command: str, cwd: str = CWD) -> str:
    """`read:/w/f:1-5`, `writes /w/f`, `runs anything`, `nothing`, `unknown`; more joined by ` | `, digests as `#…`."""
    return line_of(read_command(command, cwd, WAITING))


def line_of(found: Reading) -> str:
    """A reading as one line."""
    if found.kind is Kind.READS:
        shown = " | ".join(f"{one.action}:{one.resource}:{_DIGEST.sub('#…', one.span)}" for one in found.targets)
        form = f" ({found.form})" if found.form else ""
        return ("poll " if found.polling else "") + shown + form
    if found.kind is Kind.RUNS:
        if found.mutates and all(found.mutates):
            return "writes " + " ".join(found.mutates)
        return "runs anything" if found.mutates else "runs"
    return "unknown" if found.kind is Kind.UNKNOWN else "nothing"
