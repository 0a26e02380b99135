"""The real journey under an observer that dies anywhere: the same session leaves the same store, byte for byte."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from proxy.journal.payloads import OpenHead
from proxy.journal.writer import JournalWriter
from proxy.model.exchange import Exchange
from proxy.store import open_database, verify
from tests.support.journal import StillClock, small
from tests.support.journey import a_journey
from tests.support.observer import Fuse, canonical, observe
from tests.support.sessions import SESSION


def record(writer: JournalWriter, exchange: Exchange, pieces: int) -> None:
    """Relay an exchange into a journal, its bodies in that many pieces."""
    start = exchange.opened_us * 1000
    recorder = writer.begin(
        OpenHead(
            wall_us=exchange.opened_us,
            mono_ns=start,
            upstream=exchange.upstream,
            door=exchange.door,
            tag=exchange.tag,
            method=exchange.method,
            target=exchange.target,
            headers=exchange.request_headers,
        )
    )
    for piece in cut(exchange.request_body, pieces):
        recorder.request_piece(piece, start)
    recorder.request_done()
    recorder.response_head(exchange.status or 0, exchange.response_headers, start + 10_000_000)
    for piece in cut(exchange.response_body, pieces):
        recorder.response_piece(piece, start + 10_000_000)
    recorder.close(exchange.outcome, start + 1_000_000_000, response_complete=True)


def cut(body: bytes, pieces: int) -> Sequence[bytes]:
    size = len(body) // pieces + 1
    return [body[at : at + size] for at in range(0, len(body), size)]


def expected() -> bytes:
    with tempfile.TemporaryDirectory() as name, open_database(f"sqlite:///{name}/store.db") as database:
        writer = JournalWriter(Path(name) / "journal", settings=small(), clock=StillClock())
        for exchange in SESSION:
            record(writer, exchange, 1)
        writer.close()
        assert observe(Path(name) / "journal", database, a_journey())
        assert verify(database) == []
        return canonical(database)


EXPECTED = expected()


@settings(max_examples=6, deadline=None)
@given(
    lives=st.lists(st.tuples(st.integers(0, 6), st.integers(0, 25)), min_size=2, max_size=8),
    pieces=st.integers(1, 9),
)
def test_any_deaths_and_any_pieces_leave_the_same_dump(lives: list[tuple[int, int]], pieces: int) -> None:
    """The journal grows before each life of the observer, which ends after some of its steps."""
    with tempfile.TemporaryDirectory() as name, open_database(f"sqlite:///{name}/store.db") as database:
        folder = Path(name) / "journal"
        writer = JournalWriter(folder, settings=small(), clock=StillClock())
        rest = list(SESSION)
        for growth, length in lives:
            for exchange in rest[:growth]:
                record(writer, exchange, pieces)
            rest = rest[growth:]
            observe(folder, database, a_journey(), Fuse(length))
        for exchange in rest:
            record(writer, exchange, pieces)
        writer.close()
        assert observe(folder, database, a_journey())
        assert canonical(database) == EXPECTED
        assert verify(database) == []
