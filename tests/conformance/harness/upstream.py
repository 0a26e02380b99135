"""The upstream side: a listening socket whose connections a probe takes by hand, one after the other."""

from __future__ import annotations

import select
import socket
import time
from collections.abc import Sequence

from tests.conformance.harness.findings import REFUSED, RefusedError, SilentError, short
from tests.conformance.harness.wire import Deadline, Wire

INTERIM = (b"HTTP/1.1 1", b"HTTP/1.0 1")
AFTER_ANSWER_S = 0.05
"""How long a request may still come after the client was answered: what was forwarded first counts."""


class Upstream:
    """Listens for as long as the suite runs; each probe begins with no connection open."""

    def __init__(self, port: int = 0) -> None:
        self._listener = socket.create_server(("127.0.0.1", port), backlog=512)
        self._waiting: list[socket.socket] = []
        self.port: int = self._listener.getsockname()[1]

    @property
    def authority(self) -> bytes:
        """What a Host line has to say at the upstream."""
        return b"127.0.0.1:%d" % self.port

    def next_request(self, deadline: Deadline, client: Wire | None = None, used: Sequence[Wire] = ()) -> Wire:
        """The connection, one of `used` or a new one, on which bytes have come.

        Raises RefusedError when `client` is answered first, SilentError when neither happens in time.
        """
        used = [wire for wire in used if wire.is_open]
        for wire in used:
            if wire.has_unread:
                return wire
        answer = None
        until = time.monotonic() + deadline.wait_s()
        while (left := until - time.monotonic()) > 0:
            watched = [self._listener, *self._waiting, *(wire.sock for wire in used)]
            ready = select.select(watched + ([client.sock] if client else []), [], [], left)[0]
            if asking := self._asking(ready, used, deadline):
                return asking
            if client and client.sock in ready:
                answer, client = client.peek(), None
                if not answer.startswith(INTERIM):
                    until = time.monotonic() + AFTER_ANSWER_S
        if answer is None or answer.startswith(INTERIM):
            raise SilentError("upstream: a request due, no connection brought one")
        raise RefusedError(f"{REFUSED}, the upstream saw nothing: {short(answer) if answer else 'closed'}")

    def seen(self, deadline: Deadline) -> bytes:
        """Bytes that have come on connections not taken so far."""
        self._accept([self._listener])
        return b"".join(Wire(sock, deadline, "upstream").arrived() for sock in self._waiting)

    def connections(self) -> int:
        """How many connections wait, with or without bytes."""
        self._accept([self._listener])
        return len(self._waiting)

    def drop(self) -> None:
        """Close every connection that no probe has taken."""
        self._accept([self._listener])
        for sock in self._waiting:
            sock.close()
        self._waiting.clear()

    def close(self) -> None:
        self.drop()
        self._listener.close()

    def _asking(self, ready: list[socket.socket], used: list[Wire], deadline: Deadline) -> Wire | None:
        """The first connection in `ready` that brings bytes; those that have ended without any are forgotten."""
        self._accept(ready)
        for sock in [sock for sock in self._waiting if sock in ready]:
            self._waiting.remove(sock)
            wire = Wire(sock, deadline, "upstream")
            if wire.peek():
                return wire
            wire.close()
        for wire in [wire for wire in used if wire.sock in ready]:
            if wire.peek():
                return wire
            used.remove(wire)
        return None

    def _accept(self, ready: list[socket.socket]) -> None:
        if self._listener not in ready:
            return
        while select.select([self._listener], [], [], 0)[0]:
            self._waiting.append(self._listener.accept()[0])
