"""Remembers, over the death of the process, which exchange was being worked on.

An exception costs an exchange its facts; a crash of the interpreter or the kernel's memory killer costs the process,
and the next one would die of the same exchange. After some deaths in a row it is therefore left unread.
"""

from __future__ import annotations

import os
from pathlib import Path

from proxy.model.ids import ExchangeId

DEADLY = 5
"""Deaths of one exchange after which it is not tried again."""
_LENGTH = 80
"""Of the line, padded: an exchange's name with the longest numbers, and its deaths."""


class Attempts:
    """One line in one small file: `writer number part attempts`, or blank between two exchanges.

    Files of versions that knew no parts have no `part`.
    """

    def __init__(self, path: Path) -> None:
        """Opens the file (mode 0600). Raises OSError."""
        self._fd = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        self._died = self._read()

    def begin(self, exchange: ExchangeId) -> bool:
        """Note that it is being tried; False when that was deadly too often."""
        died_of, times = self._died
        deaths = times if died_of == exchange else 0
        if deaths >= DEADLY:
            return False
        self._write(f"{exchange.writer} {exchange.number} {exchange.part} {deaths + 1}")
        return True

    def end(self) -> None:
        """The process has lived through it."""
        self._died = (None, 0)
        self._write("")

    def _read(self) -> tuple[ExchangeId | None, int]:
        words = os.pread(self._fd, _LENGTH, 0).decode("ascii", "replace").split()
        numbers = words[1:]
        if len(numbers) not in (2, 3) or not all(number.isdecimal() for number in numbers):
            return None, 0
        *of_exchange, deaths = map(int, numbers)
        return ExchangeId(words[0], *of_exchange), deaths

    def _write(self, line: str) -> None:
        os.pwrite(self._fd, line.ljust(_LENGTH).encode("ascii"), 0)
