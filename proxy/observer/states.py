"""The latest state of sessions, so that it is not read again for every exchange."""

from __future__ import annotations

from collections import OrderedDict

from proxy.model.ids import SessionId
from proxy.store.writer import LoadedState, StateChange, Writer


class StateCache:
    """States by session; the least recently used ones leave when all together exceed `max_bytes`."""

    def __init__(self, writer: Writer, *, max_bytes: int = 64 << 20) -> None:
        self._writer = writer
        self._max_bytes = max_bytes
        self._held: OrderedDict[SessionId, LoadedState] = OrderedDict()
        self._bytes = 0

    def load(self, session: SessionId) -> LoadedState:
        """The session's state as of the last commit that this process knows of."""
        held = self._held.get(session)
        if held is None:
            held = self._writer.load_state(session)
            self._put(session, held)
        else:
            self._held.move_to_end(session)
        return held

    def advance(self, change: StateChange) -> None:
        """Remember what was committed."""
        if change.state is not None:
            self._put(change.session, LoadedState(change.version + 1, change.state))

    def drop(self, session: SessionId) -> None:
        """Forget a state that may no longer be the stored one."""
        held = self._held.pop(session, None)
        if held is not None:
            self._bytes -= _size(held)

    def _put(self, session: SessionId, state: LoadedState) -> None:
        self.drop(session)
        self._held[session] = state
        self._bytes += _size(state)
        while self._bytes > self._max_bytes:
            self._bytes -= _size(self._held.popitem(last=False)[1])


def _size(state: LoadedState) -> int:
    return len(state.state or b"") + 200  # the entry itself, roughly: sessions without state are bounded as well
