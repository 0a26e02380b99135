"""A WebSocket in a journal, said piece by piece."""

from __future__ import annotations

from proxy.journal.recorder import ExchangeRecorder
from proxy.journal.writer import JournalWriter
from proxy.model.exchange import Outcome
from tests.support.journal import MS, StillClock, open_head
from tests.support.websocket import from_client, from_server

SOCKET_TARGET = "/v1/responses"


class RecordedSocket:
    """One accepted upgrade; every step takes a millisecond and is in the kernel at once, unless held back."""

    def __init__(
        self, writer: JournalWriter, clock: StillClock, *, target: str = SOCKET_TARGET, status: int = 101
    ) -> None:
        self._writer, self._clock = writer, clock
        self.recorder: ExchangeRecorder = writer.begin(
            open_head(method="GET", target=target, mono_ns=clock.mono_ns, wall_us=clock.wall_ns // 1000)
        )
        self.recorder.request_done()
        self.recorder.response_head(status, (("upgrade", "websocket"),), self._tick())
        self.flush()

    def client(self, *texts: bytes, hold: bool = False) -> None:
        """The client sends these messages as one piece."""
        self.client_piece(from_client(*texts), hold=hold)

    def client_piece(self, data: bytes, *, hold: bool = False) -> None:
        self.recorder.request_piece(data, self._tick())
        self._pass_on(hold)

    def server(self, *texts: bytes, hold: bool = False) -> None:
        """The server sends these messages as one piece."""
        self.recorder.response_piece(from_server(*texts), self._tick())
        self._pass_on(hold)

    def end(self, outcome: Outcome = Outcome.COMPLETE) -> None:
        self.recorder.close(outcome, self._tick(), response_complete=outcome is Outcome.COMPLETE)

    def flush(self) -> None:
        """Have everything in the kernel."""
        self._writer.flush(self.recorder)

    def _pass_on(self, hold: bool) -> None:
        if not hold:
            self.flush()

    def _tick(self) -> int:
        self._clock.advance(MS / 1e9)
        return self._clock.mono_ns
