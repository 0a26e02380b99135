"""A recorded session with a bit of everything."""

from __future__ import annotations

from dataclasses import replace

from proxy.model.exchange import Exchange
from proxy.model.ids import ExchangeId
from tests.support.compaction import compact
from tests.support.journey import Client, Driver, a_file, numbered, read, text

APP, DB = a_file("app"), a_file("db")


class Recorder(Driver):
    """Keeps the exchanges instead of observing them."""

    def __init__(self) -> None:
        super().__init__()
        self.exchanges: list[Exchange] = []

    def observe(self, exchange: Exchange) -> None:  # type: ignore[override]
        self.exchanges.append(replace(exchange, id=ExchangeId(exchange.id.writer, len(self.exchanges) + 1)))


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
    compact(main)
    main.does(read("c3", "/repo/app.py"), numbered(APP))
    main.does(read("c4", "/repo/db.py", offset=3, limit=4), numbered(DB[2:6], 3))
    main.turn()
    main.messages = main.messages[:3]
    main.user(text("another way"))
    main.does(read("c5", "/repo/db.py"), numbered(DB))
    main.turn()
    return recorder.exchanges


SESSION = a_session()
