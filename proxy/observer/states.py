"""The states of sessions, alive between their exchanges so that they are not loaded for each one."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass

from proxy.model.ids import SessionId
from proxy.observer.ports import Journey
from proxy.store.writer import StateChange, Writer


@dataclass(slots=True)
class Held[S]:
    """One session's state."""

    version: int
    """As stored."""
    state: S
    sizes: dict[str, int]
    """Bytes of each part in its stored form, unpacked: what the state roughly takes."""


class StateCache[S]:
    """Takes states out and back in; the least recently used ones leave when together they exceed `max_bytes`.

    A state that was taken and not given back is loaded again: it may have been changed without being stored.
    """

    def __init__(self, journey: Journey[S], writer: Writer, *, max_bytes: int = 64 << 20) -> None:
        self._journey = journey
        self._writer = writer
        self._max_bytes = max_bytes
        self._held: OrderedDict[SessionId, Held[S]] = OrderedDict()
        self._bytes = 0

    def take(self, session: SessionId) -> Held[S]:
        """The session's state as of the last commit that this process knows of."""
        held = self._held.pop(session, None)
        if held is not None:
            self._bytes -= _size(held.sizes)
            return held
        version, parts = self._writer.load_state(session)
        return Held(version, self._journey.load(session, parts), {name: len(part) for name, part in parts.items()})

    def give_back(self, held: Held[S], change: StateChange) -> None:
        """Keep a state whose change was committed."""
        if change.parts:
            held.version = change.version + 1
            held.sizes.update((name, len(part)) for name, part in change.parts.items())
        self._held[change.session] = held
        self._bytes += _size(held.sizes)
        while self._bytes > self._max_bytes:
            self._bytes -= _size(self._held.popitem(last=False)[1].sizes)


def _size(sizes: dict[str, int]) -> int:
    return sum(sizes.values()) + 1000  # the entry itself, roughly: states without parts are bounded as well
