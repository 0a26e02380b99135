"""The canonical dump: every fact as one line of JSON, byte for byte the same for the same traffic.

Session state, journal marks, contents and `meta` are left out: they differ between runs that observed the same.
Journal writers draw random ids, so they are named `w1`, `w2`, … in the order of their first exchanges (opening time,
then number). Lines stand in the order of FACTS, inside a class in the order of its key, text by code point.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import BinaryIO

import orjson

from proxy.model.facts import FACTS, ExchangeFact, Fact
from proxy.store.database import Database
from proxy.store.reader import Reader, snapshot
from proxy.store.rows import FORMS
from proxy.store.schema import TABLE_NAMES

HEADER = {"format": "compaction-gate facts", "version": 1}
WRITER_COLUMNS = ("writer", "summary_writer")


def dump(database: Database, out: BinaryIO) -> int:
    """Write all facts of the store; returns how many."""
    lines = 0
    with snapshot(database) as reader:
        out.write(orjson.dumps(HEADER) + b"\n")
        for line in _lines(reader):
            out.write(line + b"\n")
            lines += 1
    return lines


def _lines(reader: Reader) -> Iterator[bytes]:
    writers = {writer: f"w{place}" for place, writer in enumerate(reader.writers(), start=1)}
    for fact in FACTS:
        for found in _ordered(reader, fact, writers):
            row = FORMS[fact].row(found)
            named = {name: writers.get(str(row[name]), row[name]) for name in WRITER_COLUMNS if name in row}
            yield orjson.dumps({"fact": TABLE_NAMES[fact]} | row | named)


def _ordered(reader: Reader, fact: type[Fact], writers: Mapping[str, str]) -> Iterator[Fact]:
    if fact.KEY[0] != ExchangeFact.KEY[0]:
        yield from reader.each(fact)
        return
    for writer in writers:
        yield from reader.each(fact, writer=writer)
