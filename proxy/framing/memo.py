"""A bounded memory of what small byte strings mean."""

from __future__ import annotations

from collections.abc import Callable


class Memo[V](dict[bytes, V]):
    """`memo[key]` is `read(key)`, remembered for keys of at most `longest` bytes.

    When `entries` are remembered it forgets all of them: that is rare and cheaper than counting uses.
    What `read` raises is raised, and not remembered.
    """

    def __init__(self, read: Callable[[bytes], V], *, entries: int = 4096, longest: int = 1024) -> None:
        super().__init__()
        self._read = read
        self._entries = entries
        self._longest = longest

    def __missing__(self, key: bytes) -> V:
        value = self._read(key)
        if len(key) <= self._longest:
            if len(self) >= self._entries:
                self.clear()
            self[key] = value
        return value
