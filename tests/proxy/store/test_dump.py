from __future__ import annotations

import io
import json
from dataclasses import replace
from pathlib import Path

from proxy.model.ids import SessionId
from proxy.store import Commit, Database, Writer, dump, open_database
from tests.support.store import a_commit, an_empty_store, an_exchange


def dumped(database: Database) -> bytes:
    out = io.BytesIO()
    lines = dump(database, out)
    assert out.getvalue().count(b"\n") == lines + 1
    return out.getvalue()


def traffic(first: str, second: str) -> list[Commit]:
    """Two writers with sessions of their own."""
    return [
        *(a_commit(number, writer=first, session=SessionId("a" * 32)) for number in (1, 2)),
        *(a_commit(number, writer=second, session=SessionId("b" * 32)) for number in (3, 4)),
    ]


def stored(tmp_path: Path, changes: list[Commit]) -> bytes:
    with open_database(an_empty_store(tmp_path / "store.db")) as database:
        writer = Writer(database)
        for change in changes:
            assert writer.commit(replace(change, state=None))
        return dumped(database)


def test_lines_are_facts_in_the_order_of_their_classes_and_keys(database: Database, writer: Writer) -> None:
    for change in traffic("e" * 32, "d" * 32):
        writer.commit(replace(change, state=None))
    header, *lines = map(json.loads, dumped(database).splitlines())
    assert header == {"format": "compaction-gate facts", "version": 1}
    assert [line["fact"] for line in lines] == (
        ["sessions"] * 2
        + ["threads"] * 2
        + ["exchanges"] * 4
        + ["turns"] * 4
        + ["iterations"] * 4
        + ["calls"] * 8
        + ["observations"] * 8
    )
    exchanges = [(line["writer"], line["number"]) for line in lines if line["fact"] == "exchanges"]
    assert exchanges == [("w1", 1), ("w1", 2), ("w2", 3), ("w2", 4)]
    assert {line["writer"] for line in lines if line["fact"] == "turns"} == {"w1", "w2"}


def test_every_database_gives_the_same_bytes(database: Database, writer: Writer, tmp_path: Path) -> None:
    for change in traffic("e" * 32, "d" * 32):
        writer.commit(replace(change, state=None))
    assert dumped(database) == stored(tmp_path / "other", traffic("e" * 32, "d" * 32))


def test_neither_writer_ids_nor_the_order_between_writers_show(tmp_path: Path) -> None:
    one, two, three, four = traffic("7" * 32, "1" * 32)
    expected = stored(tmp_path / "first", traffic("e" * 32, "f" * 32))
    for place, order in enumerate([(one, three, two, four), (three, four, one, two), (three, one, four, two)]):
        assert stored(tmp_path / str(place), list(order)) == expected


def test_an_unread_exchange_is_a_line(database: Database, writer: Writer) -> None:
    writer.commit(replace(a_commit(1), exchange=an_exchange(1, session=None), facts=(), state=None))
    assert [json.loads(line).get("fact") for line in dumped(database).splitlines()] == [None, "exchanges"]
