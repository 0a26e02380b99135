"""What could not be read: each reason once, with the first place where it was met and how often."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(slots=True)
class Entry:
    """One reason."""

    reason: str
    file: str
    line: int | None
    """1-based; None when it is about the whole file."""
    count: int = 1

    @property
    def place(self) -> str:
        """`/a/b.jsonl:12`."""
        return self.file if self.line is None else f"{self.file}:{self.line}"


class Trouble:
    """Grows with the kinds of trouble, not with the troubles."""

    def __init__(self, entries: Iterable[Entry] = ()) -> None:
        self._entries: dict[tuple[str, str], Entry] = {}
        self.add(entries)

    def note(self, reason: str, file: str, line: int | None = None) -> None:
        """Once more of this reason in this file."""
        known = self._entries.get((reason, file))
        if known is None:
            self._entries[reason, file] = Entry(reason, file, line)
        else:
            known.count += 1

    def add(self, entries: Iterable[Entry]) -> None:
        """Take over what somebody else noted about other files."""
        for entry in entries:
            known = self._entries.setdefault((entry.reason, entry.file), entry)
            if known is not entry:
                known.count += entry.count

    def entries(self) -> list[Entry]:
        """All of them, by reason and then by file."""
        return sorted(self._entries.values(), key=lambda entry: (entry.reason, entry.file))
