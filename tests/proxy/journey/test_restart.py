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
from tests.support.journey import Client, Driver, a_file, a_journey, numbered, read, text
from tests.support.observer import Fuse, canonical, observe

APP, DB = a_file("app"), a_file("db")
SUMMARY = "The user wants the timeout changed.\nTwo files were looked at in detail.\nNext the value is edited."
CONTINUATION = "This session is being continued from a previous conversation that ran out of context.\n\nSummary:\n"


class Recorder(Driver):
    """Keeps the exchanges instead of observing them."""

    def __init__(self) -> None:
        super().__init__()
        self.exchanges: list[Exchange] = []

    def observe(self, exchange: Exchange) -> None:  # type: ignore[override]
        self.exchanges.append(exchange)


def a_session() -> list[Exchange]:
    """Reads, a sub-agent beside them, a 529, a compaction, re-reads, a part, a rewind."""
    recorder = Recorder()
    main, child = Client(recorder), Client(recorder, agent="a1")
    main.user(text("change the timeout"))
    main.does(read("c1", "/repo/app.py"), numbered(APP))
    child.user(text("look at the app"))
    child.does(read("d1", "/repo/app.py"), numbered(APP))
    main.does(read("c2", "/repo/db.py"), numbered(DB))
    overloaded = {"type": "error", "error": {"type": "overloaded_error", "message": "busy"}}
    main.turn(status=529, answer=overloaded, keep=False)
    main.turn()
    child.turn()
    main.user(text("CRITICAL: Respond with TEXT ONLY. Do NOT call any tools."))
    main.turn(text(f"<summary>\n{SUMMARY}\n</summary>"), keep=False)
    main.messages = [{"role": "user", "content": CONTINUATION + SUMMARY}]
    main.does(read("c3", "/repo/app.py"), numbered(APP))
    main.does(read("c4", "/repo/db.py", offset=3, limit=4), numbered(DB[2:6], 3))
    main.turn()
    main.messages = main.messages[:3]
    main.user(text("another way"))
    main.does(read("c5", "/repo/db.py"), numbered(DB))
    main.turn()
    return recorder.exchanges


SESSION = a_session()


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
