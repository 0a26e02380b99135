"""A relay in a thread, and raw sockets on both of its sides: a test plays client and upstream itself, step by step."""

from __future__ import annotations

import asyncio
import socket
import struct
import threading
import time
from collections.abc import Callable, Coroutine, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from queue import Queue
from typing import Any, Protocol

import uvloop

from proxy.journal.limits import JournalLimits
from proxy.journal.reader import JournalReader
from proxy.journal.writer import JournalWriter
from proxy.model.exchange import Exchange
from proxy.page.memory import Page, PageReader, Sample
from proxy.relay.counters import vocabulary
from proxy.relay.server import Listening, run_relay
from proxy.relay.settings import RelaySettings, Upstream

PATIENCE_S = 10.0
"""Nothing here takes this long; it only ends tests that would hang."""
LIMITS = JournalLimits(free_floor_bytes=0, slow_write_s=60, segment_bytes=1 << 20)


class Peer:
    """One end of a connection, spoken and listened to by hand."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._connection.settimeout(PATIENCE_S)
        self._heard = b""

    def send(self, data: bytes) -> None:
        self._connection.sendall(data)

    def offer(self, data: bytes, within_s: float = 0.3) -> int:
        """Send as much of it as is taken in that time, 0 when nobody takes anything."""
        self._connection.settimeout(within_s)
        try:
            return self._connection.send(data)
        except TimeoutError:
            return 0
        finally:
            self._connection.settimeout(PATIENCE_S)

    def until(self, mark: bytes = b"\r\n\r\n") -> bytes:
        """Everything up to and with `mark`."""
        while mark not in self._heard:
            self._hear()
        end = self._heard.index(mark) + len(mark)
        taken, self._heard = self._heard[:end], self._heard[end:]
        return taken

    def take(self, size: int) -> bytes:
        while len(self._heard) < size:
            self._hear()
        taken, self._heard = self._heard[:size], self._heard[size:]
        return taken

    def message(self) -> bytes:
        """A head and a body with Content-Length."""
        head = self.until()
        lengths = [line[15:] for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")]
        return head + (self.take(int(lengths[0])) if lengths else b"")

    def rest(self) -> bytes:
        """Everything until an orderly end. Raises ConnectionResetError for a reset."""
        while True:
            try:
                self._hear()
            except EOFError:
                taken, self._heard = self._heard, b""
                return taken

    def is_ended(self) -> bool:
        """Waits for the other side to end, in whatever way."""
        try:
            self.rest()
        except ConnectionResetError:
            return True
        return True

    def has_heard(self, within_s: float = 0.2) -> bool:
        """Whether anything comes; only for showing that nothing does."""
        self._connection.settimeout(within_s)
        try:
            self._hear()
        except (TimeoutError, EOFError):
            return False
        finally:
            self._connection.settimeout(PATIENCE_S)
        return True

    def done(self) -> None:
        """Say that nothing more will come."""
        self._connection.shutdown(socket.SHUT_WR)

    def close(self) -> None:
        self._connection.close()

    def reset(self) -> None:
        self._connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._connection.close()

    def _hear(self) -> None:
        data = self._connection.recv(1 << 18)
        if not data:
            raise EOFError(f"ended after {self._heard!r}")
        self._heard += data


class Listener:
    """Where the relay's upstream connections arrive."""

    def __init__(self) -> None:
        self._socket = socket.create_server(("127.0.0.1", 0))
        self._socket.settimeout(PATIENCE_S)
        self.port: int = self._socket.getsockname()[1]
        self._peers: list[Peer] = []

    def accept(self) -> Peer:
        return self.know(Peer(self.accept_socket()))

    def accept_socket(self) -> socket.socket:
        return self._socket.accept()[0]

    def know(self, peer: Peer) -> Peer:
        """Close it with the listener."""
        self._peers.append(peer)
        return peer

    def nobody_comes(self, within_s: float = 0.2) -> bool:
        self._socket.settimeout(within_s)
        try:
            self._socket.accept()[0].close()
        except TimeoutError:
            return True
        finally:
            self._socket.settimeout(PATIENCE_S)
        return False

    def close(self) -> None:
        for peer in self._peers:
            peer.close()
        self._socket.close()


@dataclass
class Running:
    """A relay that runs."""

    listening: Listening
    folder: Path
    stop: Callable[[], None]
    """Begin the drain."""
    thread: threading.Thread
    peers: list[Peer] = field(default_factory=list)

    def connect(self) -> Peer:
        peer = Peer(socket.create_connection(("127.0.0.1", self.listening.port)))
        self.peers.append(peer)
        return peer

    def journalled(self, count: int = 1) -> list[Exchange]:
        """Exchanges in the journal, once there are `count`."""
        reader = JournalReader(self.folder / "journal")
        found: list[Exchange] = []

        def enough() -> bool:
            found.extend(reader.poll())
            return len(found) >= count

        until(enough)
        reader.close()
        return found

    def value(self, metric: str, **labels: str) -> int | float:
        """A counter or gauge on the page."""
        for sample in PageReader(self.folder / "relay.page").read():
            if isinstance(sample, Sample) and sample.metric.name == metric and dict(sample.labels) == labels:
                return sample.value
        raise KeyError(metric)

    def written(self) -> bytes:
        """Every byte it has on disk."""
        return b"".join(path.read_bytes() for path in sorted(self.folder.rglob("*")) if path.is_file())


class Start(Protocol):
    """Runs a live door until it is told to stop: `run_relay`, `run_intercept`."""

    def __call__(
        self, journal: JournalWriter, page: Page, /, *, ready: Callable[[Listening], None], stop: asyncio.Event
    ) -> Coroutine[Any, Any, None]: ...


@contextmanager
def live(folder: Path, upstreams: Mapping[str, Upstream], start: Start) -> Iterator[Running]:
    """A live door in a thread of its own, with a journal and a page in the folder."""
    journal = JournalWriter(folder / "journal", settings=LIMITS, clock=time)
    page = Page(folder / "relay.page", vocabulary(upstreams))
    began: Queue[tuple[asyncio.AbstractEventLoop, asyncio.Event, Listening]] = Queue()

    async def main() -> None:
        loop, stop = asyncio.get_running_loop(), asyncio.Event()
        await start(journal, page, ready=lambda it: began.put((loop, stop, it)), stop=stop)

    thread = threading.Thread(target=uvloop.run, args=(main(),), daemon=True)
    thread.start()
    loop, stop, listening = began.get(timeout=PATIENCE_S)

    def end() -> None:
        if thread.is_alive():
            loop.call_soon_threadsafe(stop.set)

    running = Running(listening, folder, end, thread)
    try:
        yield running
    finally:
        for peer in running.peers:
            peer.close()
        end()
        thread.join(PATIENCE_S)
        journal.close()
        page.close()


@contextmanager
def relay(folder: Path, upstream: int | str, **changes: Any) -> Iterator[Running]:
    """A relay whose default upstream `a` listens on a loopback port, or at an URL."""
    url = upstream if isinstance(upstream, str) else f"http://127.0.0.1:{upstream}"
    usual = RelaySettings(
        upstreams={"a": Upstream.from_url("a", url)}, default_upstream="a", drain_s=0.1, connect_timeout_s=2
    )
    settings = replace(usual, **changes)
    with live(folder, settings.upstreams, partial(run_relay, settings)) as running:
        yield running


def until(is_so: Callable[[], Any]) -> None:
    """Wait for something that happens by itself."""
    deadline = time.monotonic() + PATIENCE_S
    while not is_so():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.005)
