"""The error tree. Errors are raised for faults; outcomes (unmeasured, unparsed, unpriced) are values.

    GateError                      exit code
    ├── InputError                 65  a file or stream that cannot be read as what it claims to be
    │   └── NewerVersionError      65  written by a newer version of this product
    ├── UnreachableError           69  an upstream or service that does not answer
    ├── CannotWriteError           73  a folder, file or port that cannot be used
    └── UsageError                 64  a command line that makes no sense

`config.SettingsError` (78) stands beside it: `config` is a leaf and imports nobody.
"""

from __future__ import annotations


class GateError(Exception):
    """Something the user can act on. `str()` is the whole message; `exit_code` follows sysexits."""

    exit_code = 70


class InputError(GateError):
    """A file is not what it should be."""

    exit_code = 65

    def __init__(self, source: str, where: str, found: str, expected: str) -> None:
        place = f"{source}: {where}" if where else source
        super().__init__(f"{place}: found {found}, expected {expected}")
        self.source = source
        self.where = where


class NewerVersionError(InputError):
    """The file was written by a newer version; nothing of it was changed."""


class UnreachableError(GateError):
    """Nobody answers at an address."""

    exit_code = 69


class CannotWriteError(GateError):
    """A folder, file or port cannot be used; the message names it and the reason."""

    exit_code = 73


class UsageError(GateError):
    """The command line makes no sense."""

    exit_code = 64
